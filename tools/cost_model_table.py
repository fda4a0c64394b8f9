"""solutions/gemm_f16/hopper/configs.def: a line CONFIG(...) for each tile configuration.

The last seven fields of a line are its times in microseconds. What stands before them names the
configuration. Only the times are ever written here.
"""

import math
import re
import sys

TIMES = ("launch", "k_iteration", "tile", "reads_c", "ragged", "misaligned", "contended")
DECIMALS = (2, 3, 2, 2, 2, 3, 3)
LINE = re.compile(r"^(\s*CONFIG\()([^()]*)(\).*)$", re.S)
NUMBER = re.compile(r"\d+(\.\d*)?f?|INFINITY")


class Table:
    """The configurations in order: `names`, and `times`, a tuple of seven each."""

    def __init__(self, path):
        self.path, self.lines = path, path.read_text().splitlines(keepends=True)
        self.at, self.names, self.times = [], [], []
        for i, line in enumerate(self.lines):
            if found := LINE.match(line):
                self.at.append(i)
                self.read(i + 1, [field.strip() for field in found[2].split(",")])
        if not self.names:
            sys.exit(f"{path}: has no line CONFIG(...)")

    def read(self, number, fields):
        times, name = fields[-len(TIMES):], " ".join(fields[:-len(TIMES)])
        if not name or not all(NUMBER.fullmatch(time) for time in times):
            sys.exit(f"{self.path}:{number}: the line should end with {len(TIMES)} times: {', '.join(TIMES)}")
        if name in self.names:
            sys.exit(f"{self.path}:{number}: an earlier line has the configuration {name}, too")
        self.names.append(name)
        self.times.append(tuple(math.inf if time == "INFINITY" else float(time.rstrip("f")) for time in times))

    def write(self, times):
        """Replaces the times that have changed. Columns stay aligned as far as there are blanks."""
        for i, old, new in zip(self.at, self.times, times):
            if new != old:
                self.lines[i] = LINE.sub(lambda line: line[1] + self.fields(line[2], new) + line[3], self.lines[i])
        self.times = list(times)
        self.path.write_text("".join(self.lines))

    @staticmethod
    def fields(text, times):
        fields = text.split(",")
        for i, (time, decimals) in enumerate(zip(times, DECIMALS), len(fields) - len(TIMES)):
            suffix = "f" if fields[i].rstrip().endswith("f") else ""
            said = f"{time:.{decimals}f}{suffix}"
            fields[i] = f" {said}".rjust(len(fields[i]))
        return ",".join(fields)
