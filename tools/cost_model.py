"""How well the heuristic chooses with times that were fitted to measurements, and what `tools/cost-model fit` says of it.

usage: cost_model.py MODEL CONFIGS.def MEASURED.csv...    (needs scipy)

MODEL is the compiled tools/cost_model.cu.
"""

import math
import pathlib
import sys

import cost_model_csv
from cost_model_csv import DRAWS
from cost_model_fit import FEW, ask, fit_all
from cost_model_table import Table
from measured import told

FOLDS = 5  # of the cross-validation
WORST = 5  # shapes that are shown


def only_known(table, measured):
    """Leaves out what the table does not have, and says so."""
    known = set(table.names)
    unknown = {name for shape in measured for name in shape.us} - known
    if unknown:
        many = "s" if len(unknown) > 1 else ""
        print(f"left out: {len(unknown)} configuration{many} that {table.path} does not have: {'; '.join(sorted(unknown))}")
    for shape in measured:
        shape.us = {name: us for name, us in shape.us.items() if name in known}
    kept = [shape for shape in measured if shape.us]
    if not kept:
        sys.exit(f"nothing was measured of the configurations that {table.path} has")
    return kept


# ---- how well it does ------------------------------------------------------------------------


def choice(table, times, shape):
    """The number of the configuration that the heuristic takes."""
    fits = [i for i, terms in enumerate(shape.terms) if terms]
    return min(fits, key=lambda i: shape.terms[i].time(times[i]), default=None)


def chosen_us(table, times, shape):
    """Measured time of the choice; None if the choice was not measured."""
    i = choice(table, times, shape)
    return None if i is None else shape.us.get(table.names[i])


def geometric_mean(ratios):
    ratios = list(ratios)
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios)) if ratios else math.nan


def cross_validated(table, measured):
    """[(shape, measured time of the choice)]: each shape by times that were fitted without it."""
    out = []
    for fold in range(FOLDS):
        times = fit_all(table, [s for i, s in enumerate(measured) if i % FOLDS != fold])
        out += [(s, chosen_us(table, times, s)) for i, s in enumerate(measured) if i % FOLDS == fold]
    return out


def chosen_by(table, times, measured):
    return [(shape, chosen_us(table, times, shape)) for shape in measured]


def loss(pairs, draw=None):
    ratio = geometric_mean(us / s.best for s, us in pairs if us and draw in (None, s.draw))
    return "-" if math.isnan(ratio) else f"{100 * (ratio - 1):.2f}%"


def print_loss(title, pairs):
    print(f"  {title:<44}" + "".join(f"{loss(pairs, draw):>10}" for draw in (*DRAWS, None)))


def print_library(pairs):
    ahead = [(s.library / us, s.library / s.best) for s, us in pairs if us and s.library]
    if ahead:
        chosen, best = (geometric_mean(column) for column in zip(*ahead))
        print(f"  library / chosen {chosen:.3f}, library / best {best:.3f} ({len(ahead)} shapes)")


def print_worst(table, times, pairs):
    ratios = sorted(((us / s.best, str(s), s) for s, us in pairs if us), key=lambda row: row[:2], reverse=True)
    for ratio, said, shape in ratios[:WORST]:
        best = min(shape.us, key=shape.us.get)
        print(f"  {ratio:.3f}  {said}: {table.names[choice(table, times, shape)]}; best {best}")


def print_gpu(table, new, gpu, by_gpu, fitted):
    measured = by_gpu[gpu]
    now = chosen_by(table, new, measured)
    print(f"\n{gpu}, {len(measured)} shapes: time of the choice over that of the best measured configuration, less 1")
    print(f"  {'':<44}" + "".join(f"{draw:>10}" for draw in (*DRAWS, "all")))
    print_loss("the table as it was", chosen_by(table, table.times, measured))
    print_loss("the table as it is now", now)
    print_loss(f"cross-validated, {FOLDS} folds", cross_validated(table, measured))
    for other in by_gpu:
        print_loss(f"fitted to {other}", chosen_by(table, fitted[other], measured))
    unknown = sum(us is None for _, us in now)
    if unknown:
        print(f"  {unknown} shapes more, where the choice was not measured")
    print_library(now)
    print_worst(table, new, now)


def print_errors(table, new, measured):
    width = max(len(name) for name in table.names)
    print(f"{'configuration':<{width}}  shapes  mean error  worst at")
    for i, name in enumerate(table.names):
        errors = [(abs(s.terms[i].time(new[i]) / s.us[name] - 1), str(s)) for s in measured if name in s.us and s.terms[i]]
        if len(errors) < FEW:
            print(f"{name:<{width}}  {len(errors):>6}  keeps its times")
            continue
        mean, (worst, shape) = sum(error for error, _ in errors) / len(errors), max(errors)
        print(f"{name:<{width}}  {len(errors):>6}  {100 * mean:>9.1f}%  {100 * worst:.0f}% {shape}")


def fit(program, configs, *paths):
    """Fits to the GPU that the first file begins with."""
    table, measured = Table(pathlib.Path(configs)), cost_model_csv.read(paths)
    first = measured[0].gpu
    measured = sorted(only_known(table, measured), key=lambda shape: shape.key)
    ask(program, table, measured)
    by_gpu = {gpu: [s for s in measured if s.gpu == gpu] for gpu in sorted({s.gpu for s in measured})}
    if first not in by_gpu:
        sys.exit(f"{first}: nothing was measured of the configurations that {table.path} has")
    fitted = {gpu: fit_all(table, by_gpu[gpu]) for gpu in by_gpu}
    new = fitted[first]
    print(f"fitted to {first}")
    print_errors(table, new, by_gpu[first])
    for gpu in by_gpu:
        print_gpu(table, new, gpu, by_gpu, fitted)
    table.write(new)
    print(f"\nwrote {table.path}")


if __name__ == "__main__":
    sys.exit(told(fit, *sys.argv[1:]))
