"""Tile configurations of hopper.cu: what was measured of them becomes their times in configs.def.

usage: cost_model.py files CONFIGS.def OUT     a solution for each configuration
       cost_model.py collect MODEL CONFIGS.def DEVICE DRAW OUT.csv BENCH.json
       cost_model.py fit MODEL CONFIGS.def MEASURED.csv...    (needs scipy)

MODEL is the compiled tools/cost_model.cu, DEVICE what it says of the GPU.
"""

import json
import pathlib
import re
import sys

import cost_model_csv
import cost_model_fit
from cost_model_table import Table
from measured import told


def number_of(label):
    """A solution with a configuration of its own is named configuration_07.cu."""
    return int(re.search(r"configuration_(\d+)\.cu$", label)[1])


def write_files(configs, out):
    """Two lines each."""
    solution = pathlib.Path(__file__).resolve().parent / "cost_model_solution.cu"
    out.mkdir(parents=True, exist_ok=True)
    for i in range(len(Table(configs).names)):
        path = out / f"configuration_{i:02}.cu"
        path.write_text(f'#define HOPPER_CONFIG {i}\n#include "{solution}"\n')
        print(path)


# ---- measure -----------------------------------------------------------------------------


def fitting(program, table, device, draw, shapes):
    """For each (m, n, k, beta_is_0): by configuration, whether it can do that."""
    measured = [cost_model_csv.Shape(("", "", "", device, draw, *map(str, shape))) for shape in shapes]
    cost_model_fit.ask(program, table, measured)
    return [[terms is not None for terms in shape.terms] for shape in measured]


def spans_of(timing, role):
    """[(label, statistics of device spans)] of what ran; a library counts where its results keep the error bound."""
    return [(e["label"], e["span"]) for e in timing["entries"]
            if e["role"] == role and e["ran"] and e["span"] and not (role == "library" and e["wrong_elements"])]


def shape_of(case):
    return case["m"], case["n"], case["k"], int(case["beta"] == 0)


def rows_of(head, draw, timing, names, fits):
    """Rows of CSV for a shape; none where a configuration that can do it was not measured, as nobody
    could say which one is the best."""
    by_number = {number_of(label): span for label, span in spans_of(timing, "file")}
    if any(can and i not in by_number for i, can in enumerate(fits)):
        return []
    case = timing["case"]
    key = [*head, draw, *shape_of(case)]
    libraries = [span for _, span in spans_of(timing, "library")]
    found = [(names[i], span) for i, span in sorted(by_number.items()) if fits[i]]
    if libraries:
        found.append((cost_model_csv.LIBRARY, min(libraries, key=lambda span: span["median_us"])))
    return [[*key, name, f"{s['median_us']:.3f}", f"{100 * (s['high_us'] - s['low_us']) / s['median_us']:.1f}"] for name, s in found]


def wrong_results(timings, fitted):
    """Labels of what computed wrongly. Where a configuration cannot do a shape, it is wrong on purpose."""
    return {e["label"] for timing, fits in zip(timings, fitted) for e in timing["entries"]
            if e["role"] == "file" and e["wrong_elements"] and fits[number_of(e["label"])]}


def collect(program, table, device, draw, out, bench):
    result = json.loads(pathlib.Path(bench).read_text())
    timings = result["bench"]
    head = [result["started"], result["device"]["name"], result["device"]["driver"], device]
    fitted = fitting(program, table, device, draw, [shape_of(t["case"]) for t in timings])
    whole = 0
    for timing, fits in zip(timings, fitted):
        rows = rows_of(head, draw, timing, table.names, fits)
        cost_model_csv.append(out, rows)
        whole += bool(rows)
    print(f"{out}: {whole} shapes appended, {len(timings) - whole} left out (a configuration that can do them was not measured)")
    wrong = wrong_results(timings, fitted)
    if wrong:
        sys.exit(f"wrong results of: {', '.join(sorted(wrong))}")


def main(what, *arguments):
    if what == "files":
        return write_files(*map(pathlib.Path, arguments))
    program, table, rest = arguments[0], Table(pathlib.Path(arguments[1])), arguments[2:]
    if what == "collect":
        return collect(program, table, *rest)
    return cost_model_fit.fit(program, table, cost_model_csv.read(rest))


if __name__ == "__main__":
    sys.exit(told(main, *sys.argv[1:]))
