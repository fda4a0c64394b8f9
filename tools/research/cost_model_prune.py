"""How many tile configurations are worth their code, from measurements alone.

The loss of a set of configurations is the geometric mean, over shapes, of the time of the set's best
configuration over that of the best of all, less 1. A greedy selection adds the configuration that
lowers the loss most, until all are in. Each draw weighs the same, however many shapes it has.
"""

import math

from cost_model_csv import DRAWS

KNEE = 0.01  # the knee is the smallest set that loses no more than this on any draw
UNCOVERED = 10.0  # the ratio of a shape that no configuration of the set can do
BAR = 40  # characters of the curve for a loss of TOP
TOP = 0.5


class Curve:
    """Logarithms of ratios by draw. `best` is that of the set so far on each shape."""

    def __init__(self, measured):
        self.shapes = sorted(measured, key=lambda shape: shape.key)
        self.names = sorted({name for shape in measured for name in shape.us})
        self.draws = [draw for draw in DRAWS if any(s.draw == draw for s in measured)]
        self.logs = {name: [math.log(s.us[name] / s.best) if name in s.us else math.inf for s in self.shapes]
                     for name in self.names}
        counts = {draw: sum(s.draw == draw for s in self.shapes) for draw in self.draws}
        self.weights = [1 / (len(self.draws) * counts[s.draw]) for s in self.shapes]

    def best_of(self, names):
        start = [math.log(UNCOVERED)] * len(self.shapes)
        return [min(logs) for logs in zip(start, *(self.logs[name] for name in names))]

    def gain(self, best, name):
        return sum(weight * (now - log) for now, log, weight in zip(best, self.logs[name], self.weights) if log < now)

    def losses(self, best):
        """By draw."""
        out = []
        for draw in self.draws:
            logs = [log for log, shape in zip(best, self.shapes) if shape.draw == draw]
            out.append(math.exp(sum(logs) / len(logs)) - 1)
        return out

    def mean(self, best):
        return math.exp(sum(log * weight for log, weight in zip(best, self.weights))) - 1


def select(curve):
    """[(configuration that is added, losses by draw, mean loss)]"""
    best, left, out = curve.best_of([]), list(curve.names), []
    while left:
        name = max(left, key=lambda one: curve.gain(best, one))  # the first one of equals
        left.remove(name)
        best = [min(now, log) for now, log in zip(best, curve.logs[name])]
        out.append((name, curve.losses(best), curve.mean(best)))
    return out


def knee_of(steps):
    """The number of configurations at the knee."""
    return next(i for i, (_, losses, _) in enumerate(steps, 1) if all(loss <= KNEE for loss in losses))


def percent(loss):
    return f"{100 * loss:>8.2f}%"


def print_variants(curve):
    """What all configurations of a variant are worth together: the loss without them."""
    print(f"\n{'loss without the variant':<28}" + "".join(f"{draw:>9}" for draw in curve.draws))
    variants = sorted({name.split()[0] for name in curve.names})
    for variant in variants:
        losses = curve.losses(curve.best_of([name for name in curve.names if name.split()[0] != variant]))
        print(f"{variant:<28}" + "".join(map(percent, losses)))


def prune(measured):
    curve = Curve(measured)
    steps = select(curve)
    knee = knee_of(steps)
    print(f"{len(curve.shapes)} shapes, {len(curve.names)} configurations; loss: time of the set's best configuration over the best of all, less 1")
    print(f"{'':>4}" + "".join(f"{draw:>9}" for draw in curve.draws) + f"{'mean':>9}  {'':<{BAR}}  added")
    for i, (name, losses, mean) in enumerate(steps, 1):
        bar = "#" * min(BAR, math.ceil(mean / TOP * BAR - 1e-9))
        mark = "  <- knee" if i == knee else ""
        print(f"{i:>4}" + "".join(map(percent, [*losses, mean])) + f"  {bar:<{BAR}}  {name}{mark}")
    print(f"\nknee: {knee} configurations lose at most {100 * KNEE:.0f}% on every draw")
    print_variants(curve)
