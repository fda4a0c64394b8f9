"""The shapes that tools/cost-model measures.

usage: cost_model_shapes.py DRAW...     prints lines of a draw, M N K, the layout of B and beta_is_0,
           those of all draws in one random order: however early a measurement ends, it has some of each

default, uniform and aligned are drawn anew each time, like the sizes of gemmjudge's generated cases
(testcases/draw_shape.c); the others are lists, each in both layouts of B.
"""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWN = 200  # shapes of a draw
SMALLEST, LARGEST = 16, 4096

# Squares, and shapes beyond the sizes of the draws.
LARGE = """1024x1024x1024 2048x2048x2048 4096x4096x4096 8192x8192x8192 8192x8192x1024 4096x4096x1024 4095x4093x4091
    1023x1023x1023 3072x3072x3072 6144x6144x6144 6144x4096x2048 8192x1024x4096 1024x8192x4096 4096x8192x512 16384x128256x4096"""

# A long K beside M and N that make few tiles, and the other way round, a short K.
DEEP = """256x512x12288 2048x512x16384 128x1024x16384 12288x4096x512 1024x512x12288 2048x128x16384 1024x256x12288
    256x2048x16384 64x4096x8192 512x512x8192 12288x16384x64 512x1024x8192 256x2048x12288 128x128x16384 16384x256x8192
    2048x1024x8192 512x512x4096 4096x128x4096 256x256x8192 1024x1024x4096 8192x8192x512 2048x512x4096 128x2048x4096
    4096x1024x1024 512x2048x8192 64x512x16384 16384x8192x64 1024x1024x16384 2048x256x4096 16384x4096x256 256x1024x4096
    12288x2048x1024 4096x4096x64 4096x4096x128 4096x4096x256 4096x4096x512"""

# testcases/suites/decode.ini
DECODE_ROWS = (1, 4, 8, 16, 24, 32, 48, 64)
DECODE = ((4096, 4096), (6144, 4096), (28672, 4096), (4096, 14336), (8192, 28672))  # N, K


def listed(text):
    return [tuple(int(size) for size in shape.split("x")) for shape in text.split()]


def cuda_l2():
    lines = (ROOT / "solutions/gemm_f16/results/cuda_l2_published.txt").read_text().splitlines()
    return [tuple(int(size) for size in line.split("#")[0].split(",")) for line in lines if not line.startswith("#")]


LISTS = {
    "large": lambda: listed(LARGE),
    "deep": lambda: listed(DEEP),
    "decode": lambda: [(m, n, k) for n, k in DECODE for m in DECODE_ROWS],
    "cuda-l2": cuda_l2,
}


def any_size(low=SMALLEST, high=LARGEST):
    """Half of the time uniform, else of a uniform order of magnitude: small ones as common as large ones."""
    if random.random() < 0.5:
        return random.randint(low, high)
    return round(low * (high / low) ** random.random())


def multiple(step, low=SMALLEST, high=LARGEST):
    return max(step, SMALLEST, any_size(low, high) // step * step)


def aligned(low=SMALLEST, high=LARGEST):
    return multiple(random.choice((8, 16, 64, 128)), low, high)


def mixed(low=SMALLEST, high=LARGEST):
    """Aligned, one beside that, or of any kind."""
    kind = random.choice((aligned, aligned, lambda low, high: max(low, min(high, aligned(low, high) + random.choice((-1, 1)))), any_size))
    return kind(low, high)


def default():
    """Squares, sizes of one kind, of several kinds; and skinny ones, of one large size, or flat ones, of two."""
    size = random.choice((aligned, any_size, mixed))
    family = random.choice(("square", "skinny", "apart", "apart"))
    if family == "square":
        return (size(),) * 3
    if family == "apart":
        return size(), size(), size()
    large = random.choice(((False, True, False), (False, False, True), (True, True, False)))
    return tuple(mixed(LARGEST // 2, LARGEST) if one else mixed(SMALLEST, LARGEST // 16) for one in large)


DRAWS = {
    "default": default,
    "uniform": lambda: tuple(random.randint(SMALLEST, LARGEST) for _ in range(3)),
    "aligned": lambda: tuple(max(SMALLEST, (size + 4) // 8 * 8) for size in default()),
}


def lines_of(draw):
    if draw in DRAWS:
        return [(draw, *DRAWS[draw](), "n_major", random.randrange(2)) for _ in range(DRAWN)]
    return [(draw, *shape, layout, 1) for shape in LISTS[draw]() for layout in ("n_major", "k_major")]


if __name__ == "__main__":
    lines = [line for draw in sys.argv[1:] for line in lines_of(draw)]
    random.shuffle(lines)
    for line in lines:
        print(*line)
