"""Tile configurations of hopper.cu: what was measured of them becomes their times in configs.def.

usage: cost_model.py files CONFIGS.def FOLDER OUT          a solution for each configuration of FOLDER
       cost_model.py suited MODEL CONFIGS.def DEVICE DRAW  numbers of the configurations that such shapes need
       cost_model.py collect MODEL CONFIGS.def DEVICE DRAW OUT.csv BENCH.json
       cost_model.py fit MODEL CONFIGS.def MEASURED.csv... (needs scipy)
       cost_model.py prune MEASURED.csv...

MODEL is the compiled tools/cost_model.cu, DEVICE what it says of the GPU.
"""

import json
import pathlib
import re
import subprocess
import sys

import cost_model_csv
import cost_model_fit
from cost_model_prune import prune
from cost_model_table import Table
from measured import told


def number_of(label):
    """A solution with a configuration of its own is named configuration_07.cu."""
    return int(re.search(r"configuration_(\d+)\.cu$", label)[1])


def write_files(table, folder, out):
    """Solutions of two lines."""
    out.mkdir(parents=True, exist_ok=True)
    for number in range(len(table.names)):
        path = out / f"configuration_{number:02}.cu"
        path.write_text(f'#define HOPPER_CONFIG {number}\n#include "{folder.resolve()}/hopper.cu"\n')
        print(path)


# ---- measure -----------------------------------------------------------------------------


def probe(draw):
    """Shapes of all kinds that a draw has. Of uniform ones, those that TMA can address are too few to
    be worth the time: see collect()."""
    steps = {"default": (0, 1, 4), "uniform": (1, 4), "aligned": (0, 8)}[draw]
    for size in (16, 64, 256, 1024, 4096):
        for n in steps:
            for k in steps:
                if draw != "uniform" or n % 8 or k % 8:
                    yield size, size - n, size - k, 1


def fitting(program, table, device, draw, shapes):
    """For each (m, n, k, beta_is_0): by configuration, whether it can do that."""
    measured = [cost_model_csv.Shape(("", "", "", device, draw, *map(str, shape))) for shape in shapes]
    cost_model_fit.ask(program, table, measured)
    return [[terms is not None for terms in shape.terms] for shape in measured]


def suited(program, table, device, draw):
    for i, fits in enumerate(zip(*fitting(program, table, device, draw, probe(draw)))):
        if any(fits):
            print(i)


def stats_of(timing, role):
    """[(label, statistics)] of what ran."""
    entries = [(e["label"], e[timing["clock"]]) for e in timing["entries"] if e["role"] == role and e["ran"]]
    return [(label, stats) for label, stats in entries if stats]


def shape_of(case):
    return case["m"], case["n"], case["k"], int(case["beta"] == 0)


def rows_of(head, draw, timing, names, fits):
    """Rows of CSV for a shape; none where a configuration that can do it was not measured, as nobody
    could say which one is the best."""
    by_number = {number_of(label): stats for label, stats in stats_of(timing, "file")}
    if any(can and i not in by_number for i, can in enumerate(fits)):
        return []
    case = timing["case"]
    key = [*head, draw, *shape_of(case)]
    libraries = [stats for _, stats in stats_of(timing, "library")]
    found = [(names[i], stats) for i, stats in sorted(by_number.items()) if fits[i]]
    if libraries:
        found.append((cost_model_csv.LIBRARY, min(libraries, key=lambda stats: stats["median_us"])))
    return [[*key, name, f"{s['median_us']:.3f}", f"{100 * (s['high_us'] - s['low_us']) / s['median_us']:.1f}"] for name, s in found]


def collect(program, table, device, draw, out, bench):
    result = json.loads(pathlib.Path(bench).read_text())
    timings = [t for t in result["bench"] if t["case"]["alpha"] != 0]  # 0 multiplies nothing
    head = [result["started"], result["device"]["name"], result["device"]["driver"], device]
    shapes = [shape_of(t["case"]) for t in timings]
    whole = 0
    for timing, fits in zip(timings, fitting(program, table, device, draw, shapes)):
        rows = rows_of(head, draw, timing, table.names, fits)
        cost_model_csv.append(out, rows)
        whole += bool(rows)
    print(f"{out}: {whole} shapes appended, {len(timings) - whole} left out (a configuration that can do them was not measured)")
    wrong = {e["label"] for t in timings for e in t["entries"] if e["role"] == "file" and e["wrong_elements"]}
    if wrong:
        sys.exit(f"wrong results of: {', '.join(sorted(wrong))}")


def main(what, *arguments):
    if what == "files":
        table, *folders = map(pathlib.Path, arguments)
        return write_files(Table(table), *folders)
    if what == "prune":
        return prune(cost_model_csv.read(arguments))
    program, table, rest = arguments[0], Table(pathlib.Path(arguments[1])), arguments[2:]
    if what == "suited":
        return suited(program, table, *rest)
    if what == "collect":
        return collect(program, table, *rest)
    return cost_model_fit.fit(program, table, cost_model_csv.read(rest))


if __name__ == "__main__":
    sys.exit(told(main, *sys.argv[1:]))
