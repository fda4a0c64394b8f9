"""The times of hopper.cu's cuts: reads what was measured, fits them, writes them back.

usage: cost_model.py cuts CUTS.cuh                         names of the cuts, in order
       cost_model.py files FOLDER OUT [NUMBER...]          solutions with one cut each, of FOLDER's hopper.cu
       cost_model.py collect COUNTS CUTS.cuh GPU OUT.json BENCH.json...
       cost_model.py fit COUNTS CUTS.cuh MEASURED.json... (needs scipy)
       cost_model.py judged COUNTS CUTS.cuh GPU JUDGED.json    exit status 1: not all is well

COUNTS is the compiled tools/cost_model.cu, GPU what it says of the GPU.
"""

import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from measured import told

NUMBER = r"\d+\.\d*f"
ROW = re.compile(r"(\w+_cut<Element,[^;{}]*?)(\{\s*" + NUMBER + r"(?:,\s*" + NUMBER + r")*\s*\}|UNMEASURED)\)")
COPY = re.compile(r"(COPY_MEGABYTE) = (" + NUMBER + ")")
ALIAS = re.compile(r"using (\w+) = ((?:deferred<)?gemm_config<[^;]*>);")
DECIMALS = {"step": 3, "slow_step": 3, "busy_step": 3}  # 2 for others
KEPT = 60  # shapes of a cut: see kept_times()


class Table:
    """The numbers of cuts.cuh: those of each cut, in order (infinite for UNMEASURED, which
    nobody chooses), then COPY_MEGABYTE."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.members = re.findall(r"float (\w+);", re.search(r"struct cut_times \{(.*?)\}", self.text, re.S)[1])
        self.rows, self.copies = list(ROW.finditer(self.text)), list(COPY.finditer(self.text))
        if not self.rows or len(self.copies) != 1:
            sys.exit(f"{path}: no table of cuts that this script can read")
        aliases = dict(ALIAS.findall(self.text))
        self.cuts = [self.name(row[1], aliases) for row in self.rows]
        self.values = [value for row in self.rows for value in self.read(row[2])]
        self.values += [float(copy[2][:-1]) for copy in self.copies]
        self.decimals = [DECIMALS.get(m, 2) for m in self.members] * len(self.cuts) + [2]
        if len(self.values) != len(self.decimals):
            sys.exit(f"{path}: the cuts' rows do not have {len(self.members)} numbers each")

    @staticmethod
    def name(text, aliases):
        """What is said of a cut but for its times, with aliases spelt out: it stays the
        same when a row moves, and changes when the kernel does."""
        text = re.sub(r"\w+", lambda word: aliases.get(word[0], word[0]), text)
        return re.sub(r"Element,|\s", "", text).rstrip(",") + ")"

    def read(self, times):
        if times == "UNMEASURED":
            return [math.inf] + [0.0] * (len(self.members) - 1)
        return [float(number[:-1]) for number in re.findall(NUMBER, times)]

    def write(self, values):
        """Replaces the numbers, and nothing else."""
        said = [f"{value:.{decimals}f}f" for value, decimals in zip(values, self.decimals)]
        text, width = self.text, len(self.members)
        places = [(row.span(2), "{" + ", ".join(said[i * width:(i + 1) * width]) + "}")
                  for i, row in enumerate(self.rows) if math.isfinite(values[i * width])]
        places += [(copy.span(2), number) for copy, number in zip(self.copies, said[-1:])]
        for (start, stop), fresh in sorted(places, reverse=True):
            text = text[:start] + fresh + text[stop:]
        self.path.write_text(text)

    def only(self, cut, path):
        """Leaves the other kernels that use wgmma and TMA out; the rest do every shape."""
        left_out = [row for i, row in enumerate(self.rows) if i != cut and row[1].startswith(("tma_cut", "mixed_cut"))]
        text = self.text
        for row in reversed(left_out):
            text = text[:row.start()] + text[row.end():].removeprefix(",").lstrip("\n\t")
        path.write_text(text)
        return cut - sum(row.start() < self.rows[cut].start() for row in left_out)

    def file(self, folder, out, cut):
        """A solution OUT/cut_NN.cu, with a copy of hopper.cu's parts where the table has that cut
        and few others, as compiling all of them takes long."""
        copy = out.resolve() / f"cut_{cut:02}"
        shutil.copytree(folder / "hopper", copy / "hopper", dirs_exist_ok=True)
        shutil.copy(folder / "hopper.cu", copy)
        number = self.only(cut, copy / "hopper" / "cuts.cuh")
        path = out / f"cut_{cut:02}.cu"
        path.write_text(f'#define HOPPER_CUT {number}\n#include "{copy}/hopper.cu"\n')
        return path

    def columns(self, cut):
        """Indices of the numbers that the time of a cut is made of."""
        width = len(self.members)
        return [*range(cut * width, (cut + 1) * width), len(self.values) - 1]


class Counts:
    """Of a shape and a cut: what the host takes it to cost, in us, and by what each number
    of Table.columns was multiplied for that."""

    def __init__(self, words):
        self.us, *self.counts = [float(word) for word in words]

    def time(self, table, values, cut):
        return sum(count * values[i] for count, i in zip(self.counts, table.columns(cut)) if count)


def count(program, table, gpu, shapes):
    """For each shape (m, n, k, beta): Counts for each cut, None where it does not fit."""
    facts = " ".join(map(str, [gpu["multiprocessors"], *gpu["clusters"]]))
    lines = "".join(f"{facts} {m} {n} {k} {beta}\n" for m, n, k, beta in shapes)
    said = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    width, out = 1 + 1 + len(table.members) + 1, []
    for line in said.splitlines():
        words = line.split()
        if len(words) != width * len(table.cuts):
            sys.exit(f"{program} counts other cuts than {table.path} has: it is of another version")
        groups = [words[i * width:(i + 1) * width] for i in range(len(table.cuts))]
        out.append([Counts(g[1:]) if g[0] == "1" else None for g in groups])
    return out


def cut_of(name):
    """The index of a forced solution: its file is named cut_03.cu."""
    return int(re.search(r"cut_(\d+)\.cu$", name)[1])


# ---- collect ----------------------------------------------------------------------


def medians(timing, cuts):
    """Microseconds by cut; None for what was not measured."""
    us = [None] * cuts
    for entry in timing["entries"]:
        stats = entry[timing["clock"]]
        if entry["role"] == "file" and entry["ran"] and stats:
            us[cut_of(entry["label"])] = stats["median_us"]
    return us


def library(timing):
    """Microseconds of the faster library; None if neither was measured."""
    stats = [e[timing["clock"]] for e in timing["entries"] if e["role"] != "file" and e["ran"]]
    return min((s["median_us"] for s in stats if s), default=None)


def collect(program, table, gpu, out, benches):
    results = [json.loads(pathlib.Path(path).read_text()) for path in benches]
    timings = [t for result in results for t in result["bench"] if t["case"]["alpha"] != 0]  # 0 multiplies nothing
    shapes = [tuple(t["case"][key] for key in ("m", "n", "k", "beta")) for t in timings]
    lines = []
    for timing, shape, counts in zip(timings, shapes, count(program, table, gpu, shapes)):
        us = [t if c else None for t, c in zip(medians(timing, len(table.cuts)), counts)]
        lines.append(json.dumps(dict(zip(("m", "n", "k", "beta"), shape), us=us, library=library(timing))))
    head = {"schema_version": 2, "command": "tools/cost-model measure", "started": results[0]["started"],
            "device": results[0]["device"]["name"], "gpu": gpu, "cuts": table.cuts}
    out.write_text(json.dumps(head)[:-1] + ', "shapes": [\n' + ",\n".join(lines) + "\n]}\n")
    wrong = {e["label"] for t in timings for e in t["entries"] if e["role"] == "file" and e["wrong_elements"]}
    if wrong:
        sys.exit(f"wrong results of: {', '.join(sorted(wrong))}")


# ---- fit --------------------------------------------------------------------------


class Measured:
    """A shape, what each cut of the table and the faster library took (None: unknown), and
    the cuts' counts."""

    def __init__(self, shape, us, library, counts):
        self.shape, self.us, self.library, self.counts = shape, us, library, counts

    @property
    def best(self):
        return min(us for us in self.us if us)

    def time(self, table, values, cut):
        """The model's; None when the cut does not fit."""
        counts = self.counts[cut]
        return counts and counts.time(table, values, cut)

    def choice(self, table, values):
        times = [(self.time(table, values, cut), cut) for cut in range(len(table.cuts)) if self.counts[cut]]
        return min(times)[1]


def load(program, table, path):
    """By name, so that a cut which the table has lost is left out, and a new one unknown."""
    result = json.loads(pathlib.Path(path).read_text())
    if result.get("command") != "tools/cost-model measure" or result["schema_version"] != 2:
        sys.exit(f"{path}: no result of tools/cost-model measure")
    index = {name: i for i, name in enumerate(result["cuts"])}
    shapes = [(s["m"], s["n"], s["k"], s["beta"]) for s in result["shapes"]]
    out = []
    counted = count(program, table, result["gpu"], shapes)
    for row, shape, counts in zip(result["shapes"], shapes, counted):
        us = [row["us"][index[name]] if name in index and fits else None for name, fits in zip(table.cuts, counts)]
        if any(us):
            out.append(Measured(shape, us, row.get("library"), counts))
    return out


def kept_times(program, table, gpu):
    """What the table says of generated shapes, small ones as common as large ones: for each cut
    those where it is nearest to the best. Shapes tell more than numbers of what is known of a cut:
    several numbers may err together and their sum be right."""
    rng = random.Random(1)

    def size(step):
        return (round(16 * 256 ** rng.random()) + step - 1) // step * step

    shapes = [(size(1), size(n), size(k), float(rng.random() < 0.3)) for n, k in [(8, 8), (8, 1), (1, 8), (1, 1)] * 300]
    cuts = range(len(table.cuts))
    out = [Measured(shape, [None] * len(table.cuts), None, counts)
           for shape, counts in zip(shapes, count(program, table, gpu, shapes))]
    times = [[m.time(table, table.values, cut) if m.counts[cut] else math.inf for cut in cuts] for m in out]
    best = [min(us) for us in times]
    for cut in cuts:
        for i in sorted(range(len(out)), key=lambda i: times[i][cut] / best[i])[:KEPT]:
            if math.isfinite(times[i][cut]):
                out[i].us[cut] = times[i][cut]
    return [m for m in out if any(m.us)]


def solve(table, measured, kept, pull):
    """Least squares of relative errors, no number below 0; a cut that took twice as long as
    the shape's best one counts half, as it is not chosen anyway. A number that nothing
    measured depends on stays as it is; of the cuts that were measured, each of the `kept` times
    counts as `pull` of a measured one."""
    import numpy
    from scipy.optimize import lsq_linear

    rows = [(cut, m, 1.0) for m in measured for cut in range(len(table.cuts)) if m.us[cut]]
    cuts = {cut for cut, _, _ in rows}
    rows += [(cut, m, pull) for m in kept for cut in cuts if m.us[cut]]
    matrix, weights = numpy.zeros((len(rows), len(table.values))), numpy.zeros(len(rows))
    for i, (cut, m, weight) in enumerate(rows):
        weights[i] = weight * m.best / m.us[cut]
        matrix[i, table.columns(cut)] = numpy.array(m.counts[cut].counts) / m.us[cut] * weights[i]
    known = numpy.any(matrix != 0, axis=0)
    values = numpy.array(table.values)
    values[known] = lsq_linear(matrix[:, known], weights, bounds=(0, numpy.inf)).x
    # COPY_MEGABYTE is never 0: tools/cost_model.cu divides by it.
    least = [0.0] * (len(values) - 1) + [0.01]
    return [max(round(float(v), d), low) for v, d, low in zip(values, table.decimals, least)]


def print_errors(table, measured, values):
    print(f"{'cut':<48} shapes  mean error  worst at")
    for cut, name in enumerate(table.cuts):
        errors = [(abs(m.time(table, values, cut) / m.us[cut] - 1), m.shape) for m in measured if m.us[cut]]
        if not errors:
            print(f"{name:<48} {0:>6}  (keeps its numbers)")
            continue
        mean, (worst, shape) = sum(e for e, _ in errors) / len(errors), max(errors)
        few = "  (few)" if len(errors) < 4 * len(table.members) else ""
        print(f"{name:<48} {len(errors):>6} {100 * mean:>10.1f}%  {100 * worst:.0f}% {print_shape(shape)}{few}")


def print_shape(shape):
    m, n, k, beta = shape
    return f"{m}x{n}x{k}" + (", beta" if beta else "")


def geometric_mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


def print_choice(title, table, measured, values):
    """How long the chosen cuts take beside the best of each shape."""
    ratios, unknown, ahead = [], 0, []
    for m in measured:
        chosen = m.choice(table, values)
        if m.us[chosen] is None:
            unknown += 1
            continue
        if m.library:
            ahead.append((m.library / m.us[chosen], m.library / m.best))
        ratios.append((m.us[chosen] / m.best, print_shape(m.shape), table.cuts[chosen], table.cuts[m.us.index(m.best)]))
    if not ratios:
        sys.exit("no shape has a measured choice")
    print(f"\n{title}: chosen / best {geometric_mean([r[0] for r in ratios]):.4f} (geometric mean of {len(ratios)} shapes"
          + (f"; {unknown} more where the choice was not measured)" if unknown else ")"))
    if ahead:
        by_choice, by_best = (geometric_mean(ratios) for ratios in zip(*ahead))
        print(f"  library / chosen {by_choice:.3f}, library / best {by_best:.3f} (of {len(ahead)})")
    for ratio, shape, chosen, best in sorted(ratios, reverse=True)[:5]:
        print(f"  {ratio:.3f}  {shape}: {chosen}; best {best}")


def fit(program, table, paths):
    measured = [m for path in paths for m in load(program, table, path)]
    if not measured:
        sys.exit("nothing was measured of the cuts that the table has")
    pull, kept = float(os.environ.get("PULL", 0)), []
    if pull > 0:
        kept = kept_times(program, table, json.loads(pathlib.Path(paths[0]).read_text())["gpu"])
    values = solve(table, measured, kept, pull)
    print_errors(table, measured, values)
    print_choice("the table as it was", table, measured, table.values)
    print_choice("as it is now", table, measured, values)
    table.write(values)
    print(f"\nwrote {table.path}")


# ---- judged -----------------------------------------------------------------------


def judged(program, table, gpu, path):
    """Whether every cut was accepted, and did some cases itself."""
    result = json.loads(pathlib.Path(path).read_text())
    status = 0
    for judgement in result["results"]:
        cut = cut_of(judgement["file"])
        cases = [(c["m"], c["n"], c["k"], c["beta"]) for c in judgement["cases"]]
        counts = count(program, table, gpu, cases)
        own = [case for case, cuts in zip(cases, counts) if cuts[cut]]
        odd = sum(n % 8 != 0 or k % 8 != 0 for _, n, k, _ in own)
        good = judgement["verdict"] == "accepted" and own
        print(f"{table.cuts[cut]:<48} {judgement['verdict']}: {len(own)} of {len(cases)} cases by this cut, {odd} of them odd"
              + ("" if good else "  <-- not enough"))
        status |= not good
    return status


def main(what, *arguments):
    if what == "cuts":
        print("\n".join(Table(pathlib.Path(arguments[0])).cuts))
        return 0
    if what == "files":
        folder, out = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
        table = Table(folder / "hopper" / "cuts.cuh")
        for cut in [int(number) for number in arguments[2:]] or range(len(table.cuts)):
            print(table.file(folder, out, cut))
        return 0
    program, table, rest = arguments[0], Table(pathlib.Path(arguments[1])), arguments[2:]
    if what == "fit":
        return fit(program, table, rest)
    gpu = json.loads(rest[0])
    if what == "collect":
        return collect(program, table, gpu, pathlib.Path(rest[1]), rest[2:])
    return judged(program, table, gpu, rest[1])


if __name__ == "__main__":
    sys.exit(told(main, *sys.argv[1:]))
