"""The times of configs.def from measurements.

What a configuration takes is the root of two squares' sum: of its bound, and of a time that is
linear in its seven times, a fixed part and a count for each of them. The compiled
tools/cost_model.cu says all of these of any shape, so that the heuristic's own code is what is fitted.

The fit has two steps. Least squares, each configuration by itself, bring the predicted times near
the measured ones. From there a gradient descent over the times of all configurations lowers what
counts, the loss of the choice: shapes whose choice is right stay as they are, and the times move
where two configurations are mistaken for each other.
"""

import math
import subprocess
import sys

from cost_model_table import DECIMALS, TIMES

FEW = 5  # shapes that a configuration needs for a fit
ROUNDS = 4  # of the least squares of a configuration
BOUND = 0.97  # of a measured time: a bound above it explains the time by itself

# What a shape counts, by its draw. Those of `large`, which everybody measures, are few.
COUNTS = {"large": 30, "cuda-l2": 2, "decode": 2, "aligned": 2, "default": 1.5, "uniform": 1.5}
BEHIND, COUNTS_BEHIND = 0.95, 2.5  # where the library takes less than this part of the best configuration's time
LONG, COUNTS_LONG = 300, 2  # shapes that take longer, microseconds

STEPS, RATE = 1500, 0.05  # of the descent, Adam's; the rate falls to 0
SOFT, SHARP = 0.1, 0.01  # how near to the first, in logarithms of time, another has a part of the choice: in the first step, and in the last ones
SHARPENED = 0.5  # of the steps: from then on SHARP
MOST = 1.0  # a logarithm of a time over the best one: what is slower is as bad
ABSENT = 0.4  # the same of what has no row: mostly it was slower than `measure` writes
ERRORS = 0.1  # what squares of errors of the predicted times count beside the loss
LEAST = 1e-4  # a time, for its logarithm


class Terms:
    """What the heuristic takes a configuration to cost on a shape. `us` is the host's own sum with the
    compiled times."""

    def __init__(self, words):
        self.us, self.bound, self.fixed, *self.counts = (float(word) for word in words)

    def time(self, times):
        return math.hypot(self.fixed + sum(count * us for count, us in zip(self.counts, times) if count), self.bound)


def ask(program, table, measured):
    """Sets `terms` of every shape: by configuration, None where it may not be chosen."""
    lines = "".join(f"{s.device} {s.m} {s.n} {s.k} {s.layout} {int(s.reads_c)}\n" for s in measured)
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


# ---- least squares ---------------------------------------------------------------------------


def least_squares(old, rows):
    """The times of one configuration: least squares of relative errors, no time below 0. A row is
    (terms, us, us of the shape's best configuration). An error where the configuration took twice as
    long as the best one counts an eighth, as it is not chosen there; unless the times of the round
    before would choose it. A time that nothing measured depends on stays as it is."""
    import numpy
    from scipy.optimize import nnls

    rows = [row for row in rows if row[0].bound < BOUND * row[1]]
    if len(rows) < FEW:
        return old
    us, best = (numpy.array([row[i] for row in rows]) for i in (1, 2))
    counts, fixed = numpy.array([row[0].counts for row in rows]), numpy.array([row[0].fixed for row in rows])
    wanted = us * numpy.sqrt(1 - (numpy.array([row[0].bound for row in rows]) / us) ** 2) - fixed
    out = numpy.where(numpy.isfinite(old), old, 0.0)
    known, seems = counts.any(axis=0), us
    for _ in range(ROUNDS):
        weight = numpy.minimum(best / seems, 1) ** 3 / us
        weighted = counts[:, known] * weight[:, None]
        sizes = numpy.linalg.norm(weighted, axis=0)  # columns of like size, for nnls's tolerance
        sizes[sizes == 0] = 1
        out[known] = nnls(weighted / sizes, wanted * weight)[0] / sizes
        seems = numpy.minimum(us, fixed + counts @ out)
    return out


# ---- the descent -----------------------------------------------------------------------------


def counts_of(shape):
    counts = COUNTS.get(shape.draw, 1)
    if shape.library and shape.library < BEHIND * shape.best:
        counts *= COUNTS_BEHIND
    return counts * (COUNTS_LONG if shape.best > LONG else 1)


class Pairs:
    """Arrays of all pairs of a shape and a configuration that may be chosen for it, shape by shape."""

    def __init__(self, table, measured):
        import numpy

        pairs = [(s, i, terms) for s in measured for i, terms in enumerate(s.terms) if terms]
        us = numpy.array([s.us.get(table.names[i], math.nan) for s, i, _ in pairs])
        self.configuration = numpy.array([i for _, i, _ in pairs])
        self.counts = numpy.array([terms.counts for _, _, terms in pairs])
        self.fixed, self.bound = (numpy.array([getattr(terms, name) for _, _, terms in pairs]) for name in ("fixed", "bound"))
        lengths = [sum(terms is not None for terms in s.terms) for s in measured]
        self.starts = numpy.cumsum([0, *lengths[:-1]])
        self.shape = numpy.repeat(numpy.arange(len(measured)), lengths)
        self.weight = numpy.array([counts_of(s) for s, _, _ in pairs]) / len(measured)
        behind = numpy.log(us / numpy.array([s.best for s, _, _ in pairs]))
        self.loss = numpy.where(numpy.isnan(us), ABSENT, numpy.minimum(behind, MOST))
        self.log_us = numpy.log(us)
        self.trusted = numpy.where(numpy.isnan(us), 0.0, numpy.exp(-3 * behind))

    def step(self, times, near):
        """The loss of the choice, and the gradient by the logarithm of each time of the mean loss and
        the errors. For the gradient the choice is soft: a configuration has a part of it that falls
        with its predicted time, by a factor of e for `near`."""
        import numpy

        of = times[self.configuration]
        linear = numpy.maximum(self.fixed + numpy.einsum("pi,pi->p", self.counts, of), LEAST)
        predicted = numpy.hypot(linear, self.bound)
        logs = numpy.log(predicted)
        behind = logs - numpy.minimum.reduceat(logs, self.starts)[self.shape]
        loss = numpy.dot((behind == 0) * self.weight, self.loss)
        part = numpy.exp(-behind / near)
        part /= numpy.add.reduceat(part, self.starts)[self.shape]
        mean = numpy.add.reduceat(part * self.loss, self.starts)[self.shape]
        slope = part * (mean - self.loss) / near
        slope += 2 * ERRORS * self.trusted * numpy.where(self.trusted > 0, logs - self.log_us, 0.0)
        slope *= self.weight * linear / predicted
        each = (slope / predicted)[:, None] * self.counts * of
        return loss, numpy.stack([numpy.bincount(self.configuration, column, len(times)) for column in each.T], axis=1)


def descend(pairs, times):
    """Adam, over logarithms, so that no time becomes negative. Of the last steps, the one whose choices
    lose the least is taken."""
    import numpy

    logs = numpy.log(numpy.maximum(times, LEAST))
    mean, square = numpy.zeros_like(logs), numpy.zeros_like(logs)
    best, least = logs, math.inf
    for step in range(STEPS):
        near = SOFT * (SHARP / SOFT) ** min(1, step / (SHARPENED * STEPS))
        loss, slope = pairs.step(numpy.exp(logs), near)
        if step >= SHARPENED * STEPS and loss < least:
            best, least = logs.copy(), loss
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        logs -= RATE * (1 - step / STEPS) * mean / (numpy.sqrt(square) + 1e-6)
    return numpy.exp(best)


# ---- both ------------------------------------------------------------------------------------


def rows_of(measured, i, name):
    return [(s.terms[i], s.us[name], s.best) for s in measured if name in s.us and s.terms[i]]


def fit_all(table, measured):
    """The times of all configurations. One with few rows keeps its times, and so does a time that
    nothing measured depends on."""
    import numpy

    start, free = [], []
    for i, (name, old) in enumerate(zip(table.names, table.times)):
        rows = rows_of(measured, i, name)
        start.append(least_squares(old, rows))
        free.append(numpy.array([row[0].counts for row in rows]).any(axis=0) if len(rows) >= FEW else [False] * len(TIMES))
    start = numpy.where(numpy.isfinite(start), start, 0.0)
    fitted = numpy.where(free, descend(Pairs(table, measured), start), start)
    return [old if not any(known) else tuple(round(float(time), decimals) for time, decimals in zip(new, DECIMALS))
            for old, known, new in zip(table.times, free, fitted)]
