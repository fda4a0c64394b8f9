"""Measurements made from known times, for test_cost_model. None of them was measured anywhere.

usage: cost_model_synthetic.py make SOURCE MODEL TRUTH.def OUT.csv   TRUTH.def: a copy of
           configs.def, which gets the known times
       cost_model_synthetic.py check SOURCE MODEL TRUTH.def FITTED.def    exit status 1: these
           predict other times
       cost_model_synthetic.py unknown SOURCE OUT.csv                configurations that configs.def has not
"""
import pathlib
import random
import sys

sys.path.insert(0, sys.argv[2] + "/tools")
import cost_model_csv  # noqa: E402
import cost_model_fit  # noqa: E402
from cost_model_table import Table  # noqa: E402

DEVICES = {"Pretended H200": "132 4917000 132 66 39 30 22 17 15 15", "Pretended H100": "114 3350000 114 57 33 26 19 14 12 12"}
# Between these; the other times are between 0.5 and 2.
RANGES = {"launch": (1.0, 5.0), "k_iteration": (0.15, 0.7), "tile": (0.6, 4.0), "misaligned": (0.05, 0.2)}
NOISE = 0.0005
NEAR = 1.2  # what takes less than so many times the best time has to be predicted well


def size():
    """Small ones as common as large ones."""
    return round(16 * 256 ** rng.random())


def multiple():
    return (size() + 7) // 8 * 8


def large():
    return 8 * rng.randint(250, 512)


def shapes():
    """Large ones, as the largest tiles have several waves nowhere else; K alone misaligned, and N alone."""
    kinds = [("default", (size, size, size))] * 60 + [("aligned", (multiple, multiple, multiple))] * 60
    kinds += [("uniform", (lambda: rng.randint(16, 4096),) * 3)] * 20 + [("aligned", (large, large, large))] * 50
    kinds += [("default", (size, multiple, size))] * 100 + [("default", (size, size, multiple))] * 20
    return [(draw, *(str(one()) for one in sizes), rng.choice(cost_model_csv.LAYOUTS), str(rng.randrange(2))) for draw, sizes in kinds]


def synthetic(gpu, drawn):
    return [cost_model_csv.Shape(("2026-01-02", gpu, "1", DEVICES[gpu], *shape)) for shape in drawn]


def known_times(table, measured):
    """New ones, but for those that no shape asks for: a fit leaves these alone."""
    out = []
    for i, old in enumerate(table.times):
        asked = [any(column) for column in zip(*(s.terms[i].counts for s in measured if s.terms[i]))] or [False] * 7
        fresh = [round(rng.uniform(*RANGES.get(name, (0.5, 2.0))), 2) for name in cost_model_fit.TIMES]
        out.append(tuple(new if use else us for new, use, us in zip(fresh, asked, old)))
    return out


def check_sums(table, measured):
    """The script computes what the host does."""
    for shape in measured:
        for name, times, terms in zip(table.names, table.times, shape.terms):
            if terms and not abs(terms.time(times) - terms.us) <= 1e-5 * terms.us:
                sys.exit(f"{shape}, {name}: the host computes {terms.us} us, the script {terms.time(times)} us")


def make(source, program, truth, out):
    table, drawn = Table(pathlib.Path(truth)), shapes()
    measured = synthetic("Pretended H200", drawn) + synthetic("Pretended H100", drawn[::2])
    cost_model_fit.ask(program, table, measured)
    check_sums(table, measured)
    table.write(known_times(table, measured))
    for shape in measured:
        times = [(name, terms.time(times) * (1 + rng.gauss(0, NOISE)))
                 for name, terms, times in zip(table.names, shape.terms, table.times) if terms]
        times.append((cost_model_csv.LIBRARY, 2 * min(us for _, us in times)))
        cost_model_csv.append(out, [[*shape.key, name, f"{us:.4f}", "9"] for name, us in times])


def check(source, program, truth, fitted):
    """What has to be told from the best is predicted within 3%, all else within 10% on the average."""
    truth, fitted = (Table(pathlib.Path(path)) for path in (truth, fitted))
    measured = synthetic("Pretended H200", shapes())
    cost_model_fit.ask(program, truth, measured)
    ratios = []
    for shape in measured:
        pairs = [(terms.time(old), terms.time(new), name) for name, terms, old, new
                 in zip(truth.names, shape.terms, truth.times, fitted.times) if terms]
        best = min(pairs)[0]
        ratios += [(abs(new / old - 1), old < NEAR * best, f"{shape}, {name}: {new:.2f} us instead of {old:.2f}") for old, new, name in pairs]
    far = [said for error, near, said in ratios if near and not error <= 0.03]
    if len(far) > 0.01 * len(ratios):
        sys.exit("\n".join(far))
    mean = sum(error for error, _, _ in ratios) / len(ratios)
    if not mean <= 0.1:
        sys.exit(f"errors of {100 * mean:.1f}% on the average")


def unknown(source, out):
    for i in range(9):
        key = ("2026-01-02", "Pretended H200", "1", DEVICES["Pretended H200"], "default", 64 + i, 64, 64, "n_major", 1)
        cost_model_csv.append(out, [[*key, f"GOOD {j}", "10.00", "9"] for j in range(3)])


if __name__ == "__main__":
    rng = random.Random(1)
    {"make": make, "check": check, "unknown": unknown}[sys.argv[1]](*sys.argv[2:])
