"""hopper.cu beside what CUDA-L2 published of its kernels, by the size of the product."""

import math
import re

import data_file

# Classes of products and the GFLOP below which each ends.
CLASSES = (("below 1 GFLOP", 1), ("1 to 30", 30), ("30 to 300", 300), ("300 and above", math.inf))


def published(path):
    """What the file says: a shape, and how many times as fast as cuBLASLt."""
    out = {}
    for line in path.read_text().splitlines():
        found = re.fullmatch(r"(\d+),(\d+),(\d+) # (\d+\.\d+)", line)
        if found:
            out["x".join(found.groups()[:3])] = float(found[4])
        elif not line.startswith("#"):
            raise ValueError(f"{line!r} is no size with its figure")
    return out


def gflop(shape):
    return 2e-9 * math.prod(map(int, shape.split("x")))


def of_class(ratios, low, high):
    return {shape: ratio for shape, ratio in ratios.items() if low <= gflop(shape) < high}


def columns(side):
    return [f">{side}: mean", f">{side}: worst", f"{side}: at", f">{side}: below {data_file.BELOW}"]


def figures(ratios):
    """The columns of one side: the geometric mean and what follows."""
    if not ratios:
        return [""] * 4
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worst = min(ratios, key=ratios.get)
    below = sum(ratio < data_file.BELOW for ratio in ratios.values())
    return [data_file.ratio_words(mean), data_file.ratio_words(ratios[worst]), worst, str(below)]


def rows(ours, theirs):
    """A row for each class and one for all: both sides at the same sizes, those that ours has, or all
    where nothing of ours is measured."""
    theirs = {shape: ratio for shape, ratio in theirs.items() if not ours or shape in ours}
    ours = {shape: ours[shape] for shape in theirs if ours}
    out, low = [], 0
    for title, high in CLASSES + (("all", math.inf),):
        low = 0 if title == "all" else low
        of_them = of_class(theirs, low, high)
        if of_them:
            out.append([title, str(len(of_them)), *figures(of_class(ours, low, high)), *figures(of_them)])
        low = high
    return out
