"""Measurements made from known times, for test_cost_model.

usage: cost_model_synthetic.py make SOURCE COUNTS TRUTH.cuh OUT.json   TRUTH.cuh: a copy of
           cuts.cuh, which gets the known times; OUT.json: as tools/cost-model measure
       cost_model_synthetic.py check SOURCE TRUTH.cuh FITTED.cuh       exit status 1: not the same
       cost_model_synthetic.py choice SOURCE COUNTS FITTED.cuh OUT.json   exit status 1: FITTED.cuh
           chooses cuts for OUT.json's shapes that take more than the best ones
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, sys.argv[2] + "/tools")
import cost_model  # noqa: E402

GPU = {"multiprocessors": 132, "clusters": [132, 66, 39, 30, 22, 17, 15, 15]}
# Between these, by member of cut_times; another member is between 0.5 and 2.
RANGES = {"launch": (1.0, 5.0), "step": (0.15, 0.7), "tile": (0.6, 4.0), "slow_step": (0.05, 0.2)}
NOISE = 0.001


def known_times(table, counted, rng):
    """New ones, but for those that no shape asks for (which a fit leaves alone)."""
    values = [rng.uniform(*RANGES.get(member, (0.5, 2.0))) for _ in table.cuts for member in table.members]
    values += [rng.uniform(0.4, 0.8)]
    asked = {i for counts in counted for cut, c in enumerate(counts) if c
             for i, times in zip(table.columns(cut), c.counts) if times}
    return [new if i in asked else old for i, (new, old) in enumerate(zip(values, table.values))]


def shapes(rng):
    """Sizes like those of the generator: small as common as large, multiples of 8, uniform; large
    ones, as the largest tiles have several rounds nowhere else; and an odd K besides a multiple of 8."""
    def small_or_large():
        return round(16 * 256 ** rng.random())

    def multiple():
        return (small_or_large() + 7) // 8 * 8

    draws = [(small_or_large,) * 3] * 200 + [(multiple,) * 3] * 200 + [(lambda: rng.randint(16, 4096),) * 3] * 50
    draws += [(lambda: 8 * rng.randint(250, 512),) * 3] * 200 + [(small_or_large, multiple, small_or_large)] * 200
    return [(*(draw() for draw in three), float(rng.random() < 0.5)) for three in draws]


def make(source, program, truth, out):
    rng = random.Random(1)
    table = cost_model.Table(pathlib.Path(truth))
    drawn = shapes(rng)
    counted = cost_model.count(program, table, GPU, drawn)
    for shape, counts in zip(drawn, counted):  # the script computes what the host does
        for cut, c in enumerate(counts):
            if c and c.us != c.time(table, table.values, cut) and \
                    not abs(c.us / c.time(table, table.values, cut) - 1) < 1e-5:
                sys.exit(f"{shape}: the host takes {table.cuts[cut]} to need {c.us} us, the script another time")
    table.write(known_times(table, counted, rng))
    table = cost_model.Table(table.path)
    rows = []
    for shape, counts in zip(drawn, counted):
        m = cost_model.Measured(shape, [], None, counts)
        times = [m.time(table, table.values, cut) for cut in range(len(table.cuts))]
        us = [t and t * (1 + rng.gauss(0, NOISE)) for t in times]
        rows.append(dict(zip(("m", "n", "k", "beta"), shape), us=us))
    pathlib.Path(out).write_text(json.dumps({
        "schema_version": 2, "command": "tools/cost-model measure", "gpu": GPU,
        "cuts": table.cuts, "shapes": rows}))


def check(source, truth, fitted):
    truth, fitted = (cost_model.Table(pathlib.Path(path)) for path in (truth, fitted))
    names = [f"{cut} {member}" for cut in truth.cuts for member in truth.members] + ["COPY_MEGABYTE"]
    far = [f"{name}: {got} instead of {want}" for name, want, got in zip(names, truth.values, fitted.values)
           if not abs(got - want) <= 0.04 * want + 0.01]
    if far:
        sys.exit("\n".join(far))


def choice(source, program, fitted, out):
    table = cost_model.Table(pathlib.Path(fitted))
    measured = cost_model.load(program, table, out)
    slower = [m.us[m.choice(table, table.values)] / m.best for m in measured]
    if cost_model.geometric_mean(slower) > 1.01:
        sys.exit(f"chosen cuts take {cost_model.geometric_mean(slower):.3f} times as long as the best ones")


if __name__ == "__main__":
    {"make": make, "check": check, "choice": choice}[sys.argv[1]](*sys.argv[2:])
