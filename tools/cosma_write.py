"""COSMA.md and its pictures, from what tools/cosma has measured, which is kept beside them.

usage: cosma_write.py RESULT.json FOLDER
"""

import json
import math
import pathlib
import shutil
import statistics
import sys

import data_file
import measured
import picture

FAMILIES = {"square": "Square, w x w x w", "large_n": "Large N, w x w^2 x w", "large_k": "Large K, w x w x w^2",
            "flat": "Flat, w^2 x w^2 x w"}
BY = {"defaults": "defaults", "thesis": "thesis' first", "model": "model's first", "tuned": "tuned",
      "figure": "the figure's own"}
KEPT = "results/cosma.json"  # from the page
COLORS = {"defaults": "#888888", "thesis": "#1f77b4", "model": "#2ca02c", "tuned": "#d62728"}

# What the thesis says; V100 (NVCC 11.0) where it says nothing else.
THESIS = {
    "square": "slightly slower than cuBLAS about w = 2000, faster above 10000 and where w is small (4.2.3, figures "
              "4.10 and 4.11)",
    "large_n": "faster than cuBLAS where matrices are small; where they are larger the generator's schedules do badly "
               "(4.2.3, figures 4.12 and 4.13)",
    "large_k": "similar to large N (4.2.3, A.2.3)",
    "flat": "similar to large N (4.2.3, A.2.3)",
    "swizzle": "no gain from more than 1 at 16384^3 on a V100, some on a P100 (4.2.1, figures 4.1 and 4.2)",
    "atomics": "atomics are faster where matrices are small, as a second launch costs about 20 us; the reduction kernel "
               "is faster where they are large (4.2.1, figure 4.3)",
    "tile": "1.8% slower than cuBLAS with the same tile, standard deviation 3.38 (4.2.2, figure 4.4)",
    "sigmoid 8192x8192x8192": "cuBLAS and a kernel are faster (figure 4.5)",
    "sigmoid 8192x8192x1024": "cuCOSMA is faster (figure 4.6)",
}
# Its speed beside the library at the special matrices, about, and the figure that shows it.
THESIS_SPECIAL = {"128x128x128": (2, "4.14"), "4x8x3000000": (1.3, "4.15"), "4x3000000x4": (10, "4.16"),
                  "38416x38416x4": (1.2, "4.17")}


REGISTERS = 65536  # words of a multiprocessor
BOUND = (
    "How few words can cross from a large memory into a fast one of S words, for M x N x K multiply-adds?", "",
    "- *What is enough.* Hold a x b sums of C. Each k then needs a words of A and b of B for a b multiply-adds: (a + b) / (a b) words for each, least for "
    "a = b. All of S as sums, a = sqrt(S), makes it 2 / sqrt(S): 2 MNK / sqrt(S) words, and MN to store C.",
    "- *Why not much less.* Multiply-adds are points (i, j, k) of a box; what they use of A, B and C are their shadows on three of its walls. "
    "Shadows of x, y and z words hold sqrt(x y z) points at most (Loomis and Whitney). Cut a run into parts that each move S words: a part "
    "has at most 2 S words of each matrix at hand, so it does at most sqrt(8) S^1.5 multiply-adds, and MNK of them need MNK / (sqrt(8) S^1.5) parts of S words: "
    "MNK / (2.83 sqrt(S)). That is Hong and Kung's order (1981). That nothing beats the constant 2 either is proved by COSMA's authors, whose schedule is "
    "within sqrt(S) / (sqrt(S + 1) - 1) of it: 1.004 for the 65,536 registers of a multiprocessor, which are 1/128 word a multiply-add.",
    "- *Small products.* Where p multiprocessors have MNK / p each, and a cube of so many, with side a, needs less than that memory (a < sqrt(S), "
    "MNK < 2.2 x 10^9 here), its three faces are the least: 3 a^2 = 3 (MNK / p)^(2/3) words each. Thin products have to read and store each matrix once "
    "in any case, which is the most of the three at the thinnest.", "",
    "Below is the largest of these, with S the registers of one multiprocessor, and how many times as much the blocks of each schedule request: A once for each "
    "column of tiles, B once for each row, C for each part of a split. Caches serve part of it. 128x128 sums are a quarter of the registers, so the defaults "
    "request twice the least of large products: 1/64 word a multiply-add. Less than 1 have those of small products that leave multiprocessors idle, "
    "as fewer of them need fewer words. The least traffic is not the least time: the thesis' first schedule of 4096^3 requests a quarter less than "
    "the defaults and takes 19% longer (*Families*), as one block a multiprocessor hides no waits. The thesis found so, too.")


def number(value):
    """Three digits."""
    return f"{value:.0f}" if value >= 99.95 else f"{value:.3g}"


class Run:
    """One experiment at one shape."""

    def __init__(self, run):
        self.experiment, self.w, self.shape, self.tune = run["experiment"], run["w"], run["shape"], run["tune"]
        self.labels, self.chosen, self.bounds = run["labels"], run["chosen"], run.get("bounds")
        self.bound = self.bounds["least_seconds"] * 1e6 if self.bounds else None  # in microseconds
        self.timing, self.started, self.gpu = run["bench"]["timings"][0], run["bench"]["started"], run["bench"]["gpu"]
        entries = self.timing["entries"]
        self.us = {(e["label"], e["role"]): e["us"] for e in entries if "us" in e}
        self.spreads = [data_file.spread(e) for e in entries if "us" in e]
        self.wrong = {e["label"] for e in entries if e.get("wrong")}
        self.failed = {e["label"]: e["detail"] for e in entries if "us" not in e}
        sizes = [int(size) for size in self.shape.split("x")]
        self.tflop = 2e-12 * math.prod(sizes)

    def time(self, name, role="file"):
        """Of a schedule, by who chose it, in microseconds; None: it was not measured."""
        return self.us.get((self.labels.get(name), role))

    @property
    def libraries(self):
        return {label: us for (label, role), us in self.us.items() if role == "library"}

    @property
    def library(self):
        """The faster one's time."""
        return min(self.libraries.values(), default=None)

    @property
    def best(self):
        """The fastest schedule's time."""
        return min((us for us in map(self.time, BY) if us), default=None)

    def speed_up(self, name):
        us = self.time(name)
        return self.library / us if us and self.library else None

    def cell(self, name):
        """The time of a schedule and its speed beside the faster library."""
        us, factor = self.time(name), self.speed_up(name)
        if us is None:
            return "-"
        wrong = "\\*" if self.labels[name] in self.wrong else ""
        return number(us) + wrong + (f" ({factor:{'.2f' if factor >= 0.01 else '.1g'}}x)" if factor else "")


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"] + [
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def libraries_of(runs):
    return list(dict.fromkeys(label for run in runs for label in run.libraries))


def compared(runs, first, names):
    """A row for each run: its libraries' times, and each schedule's with its speed beside them."""
    libraries = libraries_of(runs)
    names = [name for name in names if any(name in run.labels for run in runs)]
    rows = [first(run) + [number(run.libraries[label]) if label in run.libraries else "-" for label in libraries] +
            [run.cell(name) for name in names] for run in runs]
    return libraries, names, rows


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


# ---- sections ------------------------------------------------------------------------------


def family(name, runs):
    libraries, names, rows = compared(runs, lambda run: [run.w, run.shape], BY)
    means = []
    for by in names:
        factors = [run.speed_up(by) for run in runs if run.speed_up(by)]
        means.append(f"{geometric_mean(factors):.2f}x" if factors else "-")
    head = ["w", "M x N x K"] + [label + ", us" for label in libraries] + [BY[by] for by in names]
    return [f"### {FAMILIES[name]}", ""] + table(head, rows + [["geometric mean", ""] + [""] * len(libraries) + means]) + [
        f"The thesis: {THESIS[name]}.", ""]


def families(runs):
    out = ["## Families", "", "Times are in microseconds, in brackets the speed beside the faster library.", "",
           "![Speed of the schedules beside the faster library](cosma_families.svg)", ""]
    for name in FAMILIES:
        if runs.get(name):
            out += family(name, runs[name])
    return out


def why(runs):
    """Of the special matrices, what keeps the best below the thesis' factor."""
    out = []
    for run in runs:
        factor, _ = THESIS_SPECIAL[run.shape]
        if not (run.best and run.library) or run.library / run.best >= factor:
            continue
        line = (f"- {run.shape}: the best schedule takes {run.best / run.bound:.2f} times the bound. {factor:g} times the "
                f"library's speed would be {number(run.library / factor)} us")
        if run.library / factor < run.bound:
            line += ", less than the bound"
        elif run.bounds["launch_seconds"] == run.bounds["least_seconds"]:
            line += ("; launch, the first loads, and sums that meet through L2 follow one another, and no schedule makes one of "
                     "them shorter")
        out.append(line + ".")
    return out + [""] if out else []


def least_words(sizes, multiprocessors):
    """That have to be moved, at least about, where a multiprocessor holds REGISTERS words (lower_bound() says why)."""
    m, n, k = sizes
    products = m * n * k
    once = m * k + k * n + m * n
    large = 2 * products / math.sqrt(REGISTERS) + m * n
    small = 3 * multiprocessors * (products / multiprocessors) ** (2 / 3)
    return max(once, large if products > multiprocessors * REGISTERS ** 1.5 else small)


def words(sizes, schedule):
    """That the blocks of a schedule request: A for each column of tiles, B for each row, C for each part of a split."""
    m, n, k = sizes
    return m * k * -(-n // schedule["BLOCK_N"]) + k * n * -(-m // schedule["BLOCK_M"]) + schedule["SPLIT_K"] * m * n


def lower_bound(runs):
    names, rows = [name for name in BY if name in COLORS and any(name in run.chosen for run in runs)], []
    for run in runs:
        sizes = [int(size) for size in run.shape.split("x")]
        least = least_words(sizes, run.gpu["multiprocessors"])
        rows.append([run.experiment.replace("_", " "), run.shape, number(least / 1e6)] +
                    [f"{words(sizes, run.chosen[name]) / least:.3g}" if name in run.chosen else "-" for name in names])
    return ["## The lower bound", "", *BOUND, ""] + table(["", "M x N x K", "least, million words"] + [BY[name] for name in names], rows)


def special(runs):
    libraries, names, rows = compared(runs, lambda run: [run.shape], BY)
    for row, run in zip(rows, runs):
        factor, figure = THESIS_SPECIAL[run.shape]
        row += [f"{run.library / run.best:.2f}x" if run.library and run.best else "-", number(run.bound),
                f"{run.library / run.bound:.2f}x" if run.library else "-", f"about {factor:g} (figure {figure})"]
    head = ["M x N x K"] + [label + ", us" for label in libraries] + [BY[name] for name in names] + [
        "best", "bound, us", "at most", "the thesis"]
    return ["## Special matrices", "", "As above; the thesis (section 4.2.4) tells the speed beside the fastest of cuBLAS' "
            "kernels. No call takes less than the *bound* of `gemmjudge explain`, which is the launch, or the operands and the "
            "result once through memory; *at most* is the faster library's time over that.", ""] + table(head, rows) + why(runs)


def tile(runs):
    """The defaults are the tile that the thesis compares with cuBLAS' own."""
    slower = [100 * (1 / run.speed_up("defaults") - 1) for run in runs if run.speed_up("defaults")]
    if len(slower) < 2:
        return []
    return ["## The tile of 128 x 128", "", f"Over the squares the defaults take {statistics.fmean(slower):.1f}% more time than "
            f"the faster library, standard deviation {statistics.stdev(slower):.1f}. The thesis: {THESIS['tile']}.", ""]


def swizzle(runs):
    out = ["## SWIZZLE", "", "All else as in listing 4.1 of the thesis, which are the file's defaults. The picture has every value "
           "that was measured.", "", "![Time over SWIZZLE](cosma_parts.svg)", ""]
    values = list(dict.fromkeys(name for run in runs for name in run.labels))
    head = ["SWIZZLE"] + [f"{run.shape}, {what}" for run in runs for what in ("us", "TFLOP/s")]
    rows = []
    for name in values:
        times = [run.time(name) for run in runs]
        if not all(times):
            continue
        rows.append([name.split()[1]] + [cell for run, us in zip(runs, times) for cell in
                                         (number(us), number(run.tflop / us * 1e6))])
    for label in libraries_of(runs):
        rows.append([label] + [cell for run in runs for us in [run.libraries.get(label)] for cell in
                               ((number(us), number(run.tflop / us * 1e6)) if us else ("-", "-"))])
    return out + table(head, rows) + [f"The thesis: {THESIS['swizzle']}.", ""]


def atomics(runs):
    rows = []
    for run in runs:
        a, r = run.time("atomics"), run.time("reduction")
        if a and r:
            rows.append([run.w, run.shape, run.chosen["atomics"]["SPLIT_K"], number(a), number(r), f"{a / r:.2f}x"])
    if not rows:
        return []
    return ["## Atomics and the reduction kernel", "", "The first schedule of the thesis' order for the shapes of large K, or "
            "the model's where that does not split K.", ""] + table(
                ["w", "M x N x K", "SPLIT_K", "atomics, us", "reduction kernel, us", "speed of the reduction kernel"], rows) + [
                    f"The thesis: {THESIS['atomics']}.", ""]


def sigmoid(runs):
    libraries, names, rows = compared(runs, lambda run: [run.shape], BY)
    rows = [row + [THESIS.get("sigmoid " + run.shape, "")] for row, run in zip(rows, runs)]
    head = ["M x N x K"] + [label + ", us" for label in libraries] + [BY[name] for name in names] + ["the thesis"]
    return ["## Sigmoid", "", "Fused into the kernel; libraries need one more kernel, which is in their times. cuBLASLt fuses "
            "no sigmoid.", ""] + table(head, rows)


def ranks(runs):
    largest = {run.experiment: run for run in sorted(runs, key=lambda run: run.w or 0)}
    tuned = [run for run in runs if run.time("tuned") and (run.experiment not in FAMILIES or run is largest[run.experiment])]
    if not tuned:
        return []
    rows = [[run.experiment, run.shape, *(run.tune[fact] for fact in ("schedules", "budget", "tried", "model", "thesis")),
             " ".join(f"{name}={value}" for name, value in run.chosen["tuned"].items()
                      if value != run.chosen["defaults"].get(name)) or "the defaults"] for run in tuned]
    return ["## What tuning chose", "", "How many schedules there are, how many of them were tried in so many seconds, where the tuned "
            "one stands in each of the two orders, and how it differs from the defaults, which are tried first. "
            f"Of a family the largest is shown; [{KEPT}]({KEPT}) has all.", ""] + table(
                ["", "M x N x K", "schedules", "budget, s", "tried", "by the model", "by the thesis", "constants"], rows)


def thread_tiles(searched):
    """The tiles of a thread in the parts that were searched, and the shapes of each part."""
    shapes = {}
    for run in searched:
        m, n = (3 + list(run.chosen["exhaustive"]).index(name) for name in ("THREAD_M", "THREAD_N"))  # behind time and ranks
        tiles = sorted({(time[m], time[n]) for time in run.tune["exhaustive"]["times"]}, reverse=True)
        shapes.setdefault(", ".join(f"{rows} x {columns}" for rows, columns in tiles), []).append(run.shape)
    return "; ".join(f"{tiles} at {', '.join(at)}" for tiles, at in shapes.items())


def exhaustive(runs):
    """What the rankings and the search are worth, beside every schedule of a part of the space."""
    searched = [run for run in runs if run.time("exhaustive")]
    if not searched:
        return []
    rows, tuned = [], []
    for run in searched:
        facts, best = run.tune["exhaustive"], run.time("exhaustive")
        share = best / run.time("tuned") if run.time("tuned") else None
        tuned += [share] if share else []
        rows.append([run.shape, f"{facts['measured']} of {facts['schedules']}", number(best)] +
                    [f"{best / run.time(by):.2f}" if run.time(by) else "-" for by in ("tuned", "model", "thesis")] +
                    [cell for order in ("model", "thesis") for cell in
                     (f"{facts['orders'][order]['first_ten_reach']:.2f}", facts["orders"][order]["best"])])
    reach = {order: [run.tune["exhaustive"]["orders"][order] for run in searched] for order in ("model", "thesis")}
    means = [f"{100 * statistics.fmean(o['first_ten_reach'] for o in reach[order]):.0f}% by {name}" for order, name in
             (("model", "the model"), ("thesis", "the thesis' order"))]
    held = [f"{sum(o['best'] <= 10 for o in reach[order])} of {len(searched)}" for order in reach]
    return ["## Every schedule measured", "", "A part of the space, of which every schedule was measured: blocks of 8 to 256 rows "
            "and columns (of 1024 values at least where C has more than 65,536), splits of K that fill the GPU by atomics and by the "
            "reduction kernel; the order of blocks, the depth of a tile and blocks a multiprocessor as usual (`PART_CANDIDATES` in "
            "`tools/cosma_measure.py`). A thread's tiles are "
            f"{thread_tiles(searched)}. *Speed* is "
            "beside the best of these, in alternation; the tuned schedule is from the whole space, and may be faster. *First ten* are "
            "the first ten of an order within the part, *rank* is that of the best.", ""] + table(
                ["M x N x K", "measured", "best, us", "speed: tuned", "model's first", "thesis' first", "model's first ten", "rank",
                 "thesis' first ten", "rank"], rows) + [
                     f"On average the first ten reach {' and '.join(means)} of the best; they hold it for {held[0]} shapes and for "
                     f"{held[1]}." + (f" Tuned schedules have {100 * geometric_mean(tuned):.0f}% of its speed, "
                                      f"{100 * min(tuned):.0f}% at least." if tuned else "") +
                     " NVIDIA says of nvMatmulHeuristics that 16 of its schedules reach 96% of an exhaustive search on an H100.", ""]


def missing(runs, left_out):
    """By reason, what it is about."""
    reasons = {}
    for run in runs:
        name = f"{run.experiment} {run.shape}"
        for label, why in run.failed.items():
            by = [entry for entry, known in run.labels.items() if known == label]
            if label != "cuBLASLt fused" or run.experiment != "sigmoid":  # which that section says
                reasons.setdefault(why, []).append(f"{name}, {', '.join(by) or label}")
        if "error" in run.tune:
            reasons.setdefault(run.tune["error"], []).append(f"{name}, tuned")
        if "error" in run.tune.get("exhaustive", {}):
            reasons.setdefault(run.tune["exhaustive"]["error"], []).append(f"{name}, every schedule")
        if run.timing["clock"]["held_down"]:
            reasons.setdefault(f"the clock was held down ({run.timing['clock']['held_down']})", []).append(name)
        if run.timing["uncertain"]:
            reasons.setdefault("the interval of a median is wide", []).append(name)
    for gap in left_out:
        reasons.setdefault(gap["why"], []).append(f"{gap['experiment']} {gap['shape']}")
    out = [f"- {why}: {'; '.join(gaps)}" for why, gaps in reasons.items()]
    return ["## What is missing, or uncertain", ""] + out + [""] if out else []


# ---- pictures ------------------------------------------------------------------------------

PICTURE = """\
set terminal svg noenhanced size {size} font "sans-serif,13" background "white"
set grid back linecolor "#dddddd"
set key bmargin center horizontal
set border 3
set tics nomirror
set samples 2
set multiplot layout {layout}
{plots}
unset multiplot
"""


def block(name, points):
    return f"${name} << END\n" + "".join(f"{x} {y}\n" for x, y in points) + "END\n"


def panel(title, x, y, curves, log_x=True, y_range="[0:*]"):
    """curves: (title, color, points)."""
    blocks = "".join(block(f"curve{i}", points) for i, (_, _, points) in enumerate(curves))
    plots = ", \\\n     ".join(f'$curve{i} with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor "{color}" title "{name}"'
                              for i, (name, color, _) in enumerate(curves))
    return (blocks + f'set title "{measured.plain(title)}"\nset xlabel "{x}"\nset ylabel "{y}"\n' +
            ("set logscale x 2\n" if log_x else "unset logscale x\n") + f"set yrange {y_range}\n" +
            f'plot {plots}, 1 with lines dashtype 2 linecolor "black" notitle\n')


def draw(svg, size, layout, panels):
    if panels:
        script = PICTURE.format(size=size, layout=layout, plots="\n".join(panels))
        picture.draw(script, svg)


def picture_of_families(runs, svg):
    panels = []
    for name, title in FAMILIES.items():
        curves = []
        for by, color in COLORS.items():
            points = [(run.w, run.speed_up(by)) for run in runs.get(name, []) if run.speed_up(by)]
            if points:
                curves.append((BY[by].replace("'", ""), color, points))
        if curves:
            panels.append(panel(title, "w", "speed beside the faster library", curves))
    draw(svg, "1000,760", "2,2", panels)


def picture_of_parts(runs, svg):
    panels, curves = [], []
    for run, color in zip(runs.get("swizzle", []), COLORS.values()):
        base = run.time("swizzle 1")
        points = [(int(name.split()[1]), base / run.time(name)) for name in run.labels if base and run.time(name)]
        if points:
            curves.append((run.shape, color, points))
    if curves:
        panels.append(panel("SWIZZLE", "SWIZZLE", "speed beside SWIZZLE = 1", curves, False, "[*<0.98:1.02<*]"))
    points = [(run.w, run.time("atomics") / run.time("reduction")) for run in runs.get("large_k", [])
              if run.time("atomics") and run.time("reduction")]
    if points:
        panels.append(panel("Large K", "w", "speed beside atomics", [("reduction kernel", "#1f77b4", points)]))
    draw(svg, "1000,400", "1,2", panels)


# ---- the page ------------------------------------------------------------------------------


def head(result, runs):
    days = sorted({run.started[:10] for run in runs})
    spreads = sorted(spread for run in runs for spread in run.spreads)
    return ["# The experiments of the cuCOSMA thesis", "",
            "Chapter 4 of the thesis with [cosma.cu](cosma.cu), measured by `" + result["command"] + "` and written by "
            f"`tools/cosma write`: on an {data_file.gpu_words(runs[0].gpu)}, {' to '.join(dict.fromkeys((days[0], days[-1])))}. "
            "A row is one call "
            "of gemmjudge, all of its entries in alternation, alpha = 1 and beta = 0. *Defaults* are the file's own constants "
            "(listing 4.1); *thesis' first* is the schedule that the thesis' order has first; *model's first* and *tuned* are "
            "`gemmjudge tune`'s, by prediction and by measurement in a few seconds (*What tuning chose* has them). Times are medians; "
            f"their 95% intervals are {statistics.median(spreads):.1f}% to either side in the median, {spreads[len(spreads) * 9 // 10]:.1f}% at most for nine "
            f"of ten ([{KEPT}]({KEPT}) has each). The thesis measured on a V100 with NVCC 11.0.", ""]


def write(path, folder):
    if not shutil.which("gnuplot"):
        sys.exit("tools/cosma: no gnuplot here, which draws the pictures (Debian's gnuplot-nox)")
    result = json.loads(path.read_text())
    if result.get("schema_version") != 2 or "runs" not in result:
        sys.exit(f"{path}: no result of tools/cosma measure")
    everything = [Run(run) for run in result["runs"]]
    if not everything:
        sys.exit(f"{path}: nothing was measured")
    runs = {}
    for run in everything:
        runs.setdefault(run.experiment, []).append(run)
    for members in runs.values():
        members.sort(key=lambda run: run.w or 0)
    out = head(result, everything)
    out += families(runs) if any(name in runs for name in FAMILIES) else []
    out += lower_bound([run for name in (*FAMILIES, "special") for run in runs.get(name, [])])
    out += tile(runs.get("square", []))
    for name, section in (("special", special), ("swizzle", swizzle), ("large_k", atomics), ("sigmoid", sigmoid)):
        out += section(runs[name]) if name in runs else []
    out += exhaustive(everything) + ranks(everything) + missing(everything, result["left_out"])
    if any(run.wrong for run in everything):
        out += ["\\* some elements of timed calls were outside the error bound", ""]
    picture_of_families(runs, folder / "cosma_families.svg")
    picture_of_parts(runs, folder / "cosma_parts.svg")
    (folder / "COSMA.md").write_text("\n".join(out).rstrip("\n") + "\n")
    kept = folder / KEPT
    kept.parent.mkdir(exist_ok=True)
    if not kept.exists() or not kept.samefile(path):
        shutil.copy(path, kept)


if __name__ == "__main__":
    measured.told(write, *map(pathlib.Path, sys.argv[1:3]))
