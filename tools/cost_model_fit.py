"""The times of configs.def from measurements, and how well the heuristic chooses with them.

The time of a configuration is linear in its seven times: a fixed part, and a count for each of
them. The compiled tools/cost_model.cu says both of any shape, so that the heuristic's own code is
what is fitted.
"""

import math
import subprocess
import sys

from cost_model_csv import DRAWS
from cost_model_table import DECIMALS, TIMES

FEWEST = 4 * len(TIMES)  # shapes that a configuration needs for a fit
FEW = 5  # shapes that it needs for one factor of all its times
SAME = 0.01  # a factor this near to 1 is left alone: a second fit then changes nothing
FOLDS = 5  # of the cross-validation
LARGE = 5  # rows of another draw that one of `large` counts as: nothing else is like them, and they are few
ROUNDS = 4  # of the fit of a configuration
BOUND = 0.95  # of a measured time: a lower bound above it explains the time by itself
WORST = 5  # shapes that are shown


class Terms:
    """What the heuristic takes a configuration to cost on a shape: at least `least` us, else `fixed`
    and each time as often as its count. `us` is the host's own sum with the compiled times."""

    def __init__(self, words):
        self.us, self.least, self.fixed, *self.counts = (float(word) for word in words)

    def time(self, times):
        return max(self.least, self.fixed + sum(count * us for count, us in zip(self.counts, times) if count))


def ask(program, table, measured):
    """Sets `terms` of every shape: by configuration, None where it cannot do the shape."""
    lines = "".join(f"{s.device} {s.m} {s.n} {s.k} {int(s.reads_c)}\n" for s in measured)
    asked = subprocess.run([program], input=lines, capture_output=True, text=True)
    if asked.returncode:
        sys.exit(asked.stderr.strip() or f"{program} failed")
    width = 4 + len(TIMES)
    for shape, line in zip(measured, asked.stdout.splitlines(), strict=True):
        words = line.split()
        if len(words) != width * len(table.names):
            sys.exit(f"{table.path}: the heuristic has other configurations; compile it with this file")
        groups = [words[i:i + width] for i in range(0, len(words), width)]
        shape.terms = [Terms(group[1:]) if group[0] == "1" else None for group in groups]


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


# ---- the fit ---------------------------------------------------------------------------------


def fit_one(old, rows):
    """The times of one configuration: least squares of relative errors, no time below 0. A row is
    (terms, us, us of the shape's best configuration, draw). An error where the configuration took twice as
    long as the best one counts an eighth, as it is not chosen there; unless the times of the round
    before would choose it. A time that nothing measured depends on stays as it is. Few rows change
    all times by one factor."""
    import numpy
    from scipy.optimize import nnls

    rows = [row for row in rows if row[0].least < BOUND * row[1]]
    if len(rows) < FEW:
        return old
    us, best = (numpy.array([row[i] for row in rows]) for i in (1, 2))
    counts, fixed = numpy.array([row[0].counts for row in rows]), numpy.array([row[0].fixed for row in rows])
    once = numpy.array([LARGE if row[3] == "large" else 1 for row in rows]) / us
    out = numpy.where(numpy.isfinite(old), old, 0.0)
    known, few = counts.any(axis=0), len(rows) < FEWEST
    columns = (counts @ out)[:, None] if few else counts[:, known]  # few: what one factor of all times is fitted to
    unit, seems = out.copy(), us
    for _ in range(ROUNDS):
        weight = numpy.minimum(best / seems, 1) ** 3 * once
        weighted = columns * weight[:, None]
        sizes = numpy.linalg.norm(weighted, axis=0)  # columns of like size, for nnls's tolerance
        fitted = nnls(weighted / sizes, (us - fixed) * weight)[0] / sizes
        if few:
            out = unit * (1 if abs(fitted[0] - 1) < SAME else fitted[0])
        else:
            out[known] = fitted
        seems = numpy.minimum(us, fixed + counts @ out)
    return tuple(round(float(time), decimals) for time, decimals in zip(out, DECIMALS))


def rows_of(measured, i, name):
    return [(s.terms[i], s.us[name], s.best, s.draw) for s in measured if name in s.us and s.terms[i]]


def fit_all(table, measured):
    return [fit_one(old, rows_of(measured, i, name)) for i, (name, old) in enumerate(zip(table.names, table.times))]


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


def print_gpu(table, new, gpu, by_gpu):
    measured = by_gpu[gpu]
    now = chosen_by(table, new, measured)
    print(f"\n{gpu}, {len(measured)} shapes: time of the choice over that of the best measured configuration, less 1")
    print(f"  {'':<44}" + "".join(f"{draw:>10}" for draw in (*DRAWS, "all")))
    print_loss("the table as it was", chosen_by(table, table.times, measured))
    print_loss("the table as it is now", now)
    print_loss(f"cross-validated, {FOLDS} folds", cross_validated(table, measured))
    for other in by_gpu:
        print_loss(f"fitted to {other}", chosen_by(table, fit_all(table, by_gpu[other]), measured))
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
        if len(errors) < FEWEST:
            does = f"one factor of its times: {FEWEST} shapes are needed for more" if len(errors) >= FEW else "keeps its times"
            print(f"{name:<{width}}  {len(errors):>6}  {does}")
            continue
        mean, (worst, shape) = sum(error for error, _ in errors) / len(errors), max(errors)
        print(f"{name:<{width}}  {len(errors):>6}  {100 * mean:>9.1f}%  {100 * worst:.0f}% {shape}")


def fit(program, table, measured):
    """Fits to the GPU of the first shape in `measured`, whose order is that of the command line's files."""
    first = measured[0].gpu
    measured = sorted(only_known(table, measured), key=lambda shape: shape.key)
    ask(program, table, measured)
    by_gpu = {gpu: [s for s in measured if s.gpu == gpu] for gpu in sorted({s.gpu for s in measured})}
    if first not in by_gpu:
        sys.exit(f"{first}: nothing was measured of the configurations that {table.path} has")
    new = fit_all(table, by_gpu[first])
    print(f"fitted to {first}")
    print_errors(table, new, by_gpu[first])
    for gpu in by_gpu:
        print_gpu(table, new, gpu, by_gpu)
    table.write(new)
    print(f"\nwrote {table.path}")
