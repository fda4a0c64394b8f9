"""Measurements of tile configurations as CSV: a row is one configuration, or the faster library, on
one shape. solutions/gemm_f16/hopper/measurements/README.md says what the columns are.
"""

import csv
import math
import sys

COLUMNS = ("date", "gpu", "driver", "device", "draw", "m", "n", "k", "layout", "beta_is_0", "configuration", "median_us", "calls")
KEY = COLUMNS[:10]
DRAWS = ("default", "uniform", "aligned", "large", "deep", "decode", "cuda-l2")
LAYOUTS = ("n_major", "k_major")
LIBRARY = "library"


class Shape:
    """One shape on one GPU: `us` by configuration, and of the faster library (None: not measured)."""

    def __init__(self, key):
        self.key = key
        self.date, self.gpu, self.driver, self.device, self.draw, *sizes, self.layout, beta_is_0 = key
        self.m, self.n, self.k = (int(size) for size in sizes)
        self.reads_c = beta_is_0 == "0"
        self.us, self.library = {}, None

    @property
    def best(self):
        return min(self.us.values())

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}" + (", k_major" if self.layout == "k_major" else "") + (", beta" if self.reads_c else "")


def fault(row):
    """What is wrong with a row; None: nothing."""
    if None in row or None in row.values():
        return f"should have {len(COLUMNS)} columns"
    if row["draw"] not in DRAWS:
        return f"draw is {row['draw']!r}, should be one of {', '.join(DRAWS)}"
    if not row["device"] or not all(word.isdecimal() for word in row["device"].split(" ")):
        return f"device is {row['device']!r}, should be numbers"
    for name in ("m", "n", "k"):
        if not row[name].isdecimal() or not 1 <= int(row[name]) < 2**31:
            return f"{name} is {row[name]!r}, should be a size"
    if row["layout"] not in LAYOUTS:
        return f"layout is {row['layout']!r}, should be {' or '.join(LAYOUTS)}"
    if row["beta_is_0"] not in ("0", "1"):
        return f"beta_is_0 is {row['beta_is_0']!r}, should be 0 or 1"
    if not row["configuration"]:
        return "configuration is empty"
    try:
        us, calls = float(row["median_us"]), int(row["calls"])
    except ValueError:
        return "median_us and calls should be numbers"
    return None if 0 < us < math.inf and calls > 0 else "median_us and calls should be above 0"


def add(shapes, row):
    key = tuple(row[column] for column in KEY)
    shape = shapes.setdefault(key, Shape(key))
    if row["configuration"] == LIBRARY:
        shape.library = float(row["median_us"])
    else:
        shape.us[row["configuration"]] = float(row["median_us"])


def read_file(path, shapes):
    with open(path, newline="") as file:
        rows = csv.DictReader(file, strict=True)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            sys.exit(f"{path}:1: the columns should be {','.join(COLUMNS)}")
        for row in rows:
            if why := fault(row):
                sys.exit(f"{path}:{rows.line_num}: {why}")
            add(shapes, row)


def read(paths):
    """The shapes of all files, in the order of their first rows."""
    shapes = {}
    for path in paths:
        try:
            read_file(path, shapes)
        except (csv.Error, OSError, UnicodeDecodeError) as error:
            sys.exit(f"{path}: no CSV that can be read: {error}")
    measured = [shape for shape in shapes.values() if shape.us]
    if not measured:
        sys.exit(f"{', '.join(map(str, paths))}: no configuration was measured")
    return measured


def append(path, rows):
    """Rows of COLUMNS; the file begins with their names."""
    with open(path, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(COLUMNS)
        writer.writerows(rows)
