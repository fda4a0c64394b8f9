"""RESULTS.md of solutions/gemm_f16 and of epilogues, from their data files, and the data files from
what tools/results has measured.

usage: results_write.py [MEASURED] ROOT
"""

import json
import pathlib
import shutil
import sys

import cuda_l2
import data_file
from measured import told

# Parts in the order of the page, and their titles.
DRAWS = {
    "random": "{} random shapes",
    "aligned": "{} random shapes, every size a multiple of 8",
    "uniform": "{} random shapes, sizes uniform",
    "cuda_l2": "{} sizes of CUDA-L2",
    "decode": "{} decode shapes",
}
SIZES = {"random": 100, "aligned": 100, "uniform": 100, "cuda_l2": 220, "decode": 40}  # that tools/results measures
SHAPES = ("leetgpu", "squares", "misaligned")
# The chains of epilogue stages, and the parts that measure each: where two have the same case, and
# on the same day, the first counts. Pictures are results_CHAIN.svg, from CHAIN_over_k.
CHAINS = {"sigmoid": "sigmoid", "bias_gelu": "bias, gelu", "silu": "silu", "relu": "relu", "gelu": "gelu"}
# What is measured in a steady stream, and the chains of these parts.
STEADY_SQUARES = "steady_squares"
STEADY_CHAINS = {"steady_sigmoid": "sigmoid", "steady_bias_gelu": "bias, gelu"}
SOLUTION_PARTS = (*DRAWS, *SHAPES, "sigmoid", "relu", "gelu", "bias_gelu", STEADY_SQUARES)
EPILOGUE_PARTS = ("sigmoid_over_k", "bias_gelu_over_k", "silu_over_k", "ladder_relu", "ladder_sigmoid", "ladder_gelu", *STEADY_CHAINS)

HOPPER, LADDER = "hopper.cu", "12_any_size.cu"
KERNEL, KERNEL_LT, OWN = "cuBLAS+kernel", "cuBLASLt+kernel", "cuBLASLt fused"  # labels of entrants
AT = "4096x4096x1024"
LONG = "8192x8192x1024"
PUBLISHED = "results/cuda_l2_published.txt"


class Part:
    """What one call of gemmjudge gave."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        data = data_file.load(path)
        self.run, = data["runs"]
        self.on = self.run["started"][:10] + data_file.commit_words(data)

    @property
    def overall(self):
        return self.run["overall"]

    @property
    def timings(self):
        return self.run.get("timings", [])

    @property
    def drawn_ratios(self):
        """Of each of many shapes, that over the fastest library."""
        rows = (dict(zip(data_file.DRAWN, row)) for row in self.run.get("drawn", []))
        return {row["shape"]: row["ratio"] for row in rows if row["ratio"]}

    @property
    def title(self):
        """Of a draw."""
        return DRAWS[self.name].format(self.overall["shapes"])

    def over_all(self, shape):
        """Over the fastest library whatever its results are; without a shape, of a draw."""
        if shape is None:
            return self.overall.get("over_all")
        library, entry = data_file.fastest(self.timing(shape), right=False), self.entry(shape)
        return library["us"] / entry["us"] if library else None

    def timing(self, shape):
        return next((timing for timing in self.timings if timing["shape"] == shape), None)

    def entry(self, shape, role="file"):
        """The file (fused, in a comparison) at a shape; None where it was not measured."""
        timing = self.timing(shape)
        entries = timing["entries"] if timing else []
        return next((entry for entry in entries if entry["role"] == role and "us" in entry), None)

    def remarks(self, shape=None):
        if shape:
            timing = self.timing(shape)
            held, wide, many = bool(timing["clock"]["held_down"]), timing["uncertain"], ""
            unsettled = not timing.get("steady", {"settled": True})["settled"]
        else:
            held, wide, unsettled = self.overall["held_down"], self.overall["uncertain"], False
            many = f" at {{}} of {self.overall['shapes']} shapes"
        out = [f"cut off after {len(self.timings) or self.overall['shapes']} shapes"] * self.run.get("cut_off", False)
        out += ["clock held down" + many.format(held)] * (held > 0)
        out += ["medians uncertain" + many.format(wide)] * (wide > 0)
        return "; ".join(out + ["power or clock not settled"] * unsettled)

    def source(self, page):
        """When it was measured, as a link to the figures."""
        return f"[{self.run['started'][:10]}]({data_file.link(page, self.path)})"


class Data:
    """All data files of the two folders."""

    def __init__(self, root):
        self.root = root
        self.parts = {name: Part(name, path) for name, path in paths(root).items() if path.exists()}

    def fused(self, chain, shape):
        """The part that says what hopper.cu reaches with a chain at a shape: of all the newest; every
        page takes the case from there."""
        names = [name for name in (chain, f"{chain}_over_k") if name in self.parts]
        parts = [self.parts[name] for name in names if self.parts[name].entry(shape)]
        return max(parts, key=lambda part: part.run["started"][:10]) if parts else None

    def shapes_over_k(self, chain):
        part = self.parts.get(f"{chain}_over_k")
        return [timing["shape"] for timing in part.timings] if part else []


def paths(root):
    """Of every part's data file."""
    return {name: root / folder / "results" / f"{name}.json"
            for folder, names in (("solutions/gemm_f16", SOLUTION_PARTS), ("epilogues", EPILOGUE_PARTS)) for name in names}


# ---- from what was measured -------------------------------------------------------------


def take(measured, root):
    """The parts that are there, into data files and pictures. False where there are none."""
    found = False
    of_commit = measured / "commit"
    commit = data_file.commit(of_commit.read_text() if of_commit.exists() else "")
    for name, path in paths(root).items():
        stem = next((stem for stem in (name, name + ".partial") if (measured / f"{stem}.json").exists()), None)
        if stem is None:
            continue
        found = True
        report = json.loads((measured / f"{stem}.json").read_text())
        data_file.save(path, "tools/results measure OUTDIR", [data_file.compact_run(report, cut_off=stem != name)], of_commit=commit)
        picture = measured / f"{stem}.svg"
        if name.endswith("_over_k") and picture.exists():
            shutil.copyfile(picture, root / "epilogues" / f"results_{name.removesuffix('_over_k')}.svg")
    return found


# ---- what both pages have ---------------------------------------------------------------


def measured_on(parts):
    gpus = list(dict.fromkeys(data_file.gpu_words(part.run["gpu"]) for part in parts))
    wrong = [part.name for part in parts if "gpu_computes_wrongly" in part.run]
    when = list(dict.fromkeys(part.on for part in parts))
    out = [f"Measured on an {' and an '.join(gpus)}, on {' and '.join(when)}, by", ""]
    if wrong:
        out = [f"**The GPU computed wrongly (a library missed elements of exact cases): {', '.join(wrong)}.**", ""] + out
    return out + ["    tools/results measure OUTDIR", "    tools/results write OUTDIR", ""]


SOURCES = ["Each date links to the data file that a figure is from, which has the command and every time. Of a case that was",
           "measured more than once, all pages show the newest measurement.", ""]


def ratio(value):
    return data_file.ratio_words(value) or "-"


def table(head, rows):
    """`head`: the columns; those of figures begin with '>'."""
    lines = ["| " + " | ".join(name.removeprefix(">") for name in head) + " |",
             "|" + "|".join("--:" if name.startswith(">") else "---" for name in head) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


# ---- in a steady stream -----------------------------------------------------------------

IN_A_STREAM = [
    "All figures above are of bursts: single calls on an idle GPU, with rests between them. Here the entrants make calls back to back",
    "(`--steady`), in blocks of about a second in turns, on a GPU as warm as in a loop of hours, where the power's limit holds the clock",
    "down. `Speed` is how many times as fast `hopper.cu` is, `energy` what it takes of a product's joules, both beside the entrant named.", ""]


def libraries_beside(timing, labels):
    """The ones with these labels that ran; without labels the fastest whose results keep the error bound."""
    if labels:
        return [entry for entry in timing["entries"] if entry["role"] == "library" and "us" in entry and entry["label"] in labels]
    right = data_file.fastest(timing, right=True)
    return [right] if right else []


def over_both(entry, other, name):
    """Theirs in parts of ours."""
    return ratio(other[name] / entry[name]) if entry.get(name) and other.get(name) else "-"


def figure(entry, name):
    return f"{entry[name]:g}" if name in entry else "-"


def steady_rows(part, title, labels, page):
    rows = []
    for timing in part.timings:
        entry = part.entry(timing["shape"])
        for other in libraries_beside(timing, labels) if entry else []:
            energy = f"{entry['joules'] / other['joules']:.2f}" if entry.get("joules") and other.get("joules") else "-"
            rows.append([title + timing["shape"], other["label"], figure(entry, "burst_us"), over_both(entry, other, "burst_us"),
                         figure(entry, "us"), over_both(entry, other, "us"), figure(entry, "watts"), figure(entry, "mhz"),
                         figure(other, "mhz"), figure(entry, "joules"), energy, part.source(page), part.remarks(timing["shape"])])
    return rows


def steady_section(rows):
    """Nothing where nothing was measured."""
    head = ["Case", "Beside", ">bursts, us", ">speed", ">steady, us", ">speed", ">W", ">MHz", ">its MHz", ">J", ">energy", "Measured", "Remarks"]
    return ["", "## In a steady stream", "", *IN_A_STREAM, *table(head, rows)] if rows else []


# ---- solutions/gemm_f16/RESULTS.md ------------------------------------------------------


def targets(data):
    """(case, part, its shape or None, figure, at least or None, the figure over the fastest of all)"""
    def nothing(_):
        return None

    def draw(part, figure, words, least):
        title = data.parts[part].title if part in data.parts else DRAWS[part].format(SIZES[part])
        of_all = (lambda p: p.over_all(None)) if figure == "geometric_mean" else nothing
        return [(f"{title}: {words}", data.parts.get(part), None, lambda p: p.overall[figure], least, of_all)]

    def at(part, shape, least, title=None):
        return [(title or shape, data.parts.get(part), shape, lambda p: p.entry(shape).get("ratio"), least,
                 lambda p: p.over_all(shape))]

    def fused(chain, shape, label, least):
        return [(f"{CHAINS[chain]} fused, {shape}, over {label}", data.fused(chain, shape), shape,
                 lambda p: p.entry(shape).get("over", {}).get(label), least, nothing)]

    out = []
    for part, mean, worst in (("random", 2.5, 0.9), ("aligned", 1.10, None), ("uniform", 2.5, 0.9), ("cuda_l2", 1.18, 0.9), ("decode", 1.05, 0.9)):
        out += draw(part, "geometric_mean", "geometric mean", mean) + draw(part, "worst", "the worst", worst)
    out += at("leetgpu", "1024x1024x1024", 1.15, "1024x1024x1024, alpha = beta = 1")
    for shape, least in (("2048x2048x2048", 1.0), ("4096x4096x4096", 1.02), ("8192x8192x8192", 1.02)):
        out += at("squares", shape, least)
    out += at("misaligned", "4095x4093x4091", 3.8) + at("misaligned", "1023x1023x1023", None)
    out += fused("sigmoid", LONG, KERNEL, 1.35) + fused("sigmoid", AT, KERNEL, 1.30)
    return out + fused("relu", AT, OWN, 1.0) + fused("gelu", AT, OWN, 1.0) + fused("bias_gelu", AT, OWN, 1.0)


def target_rows(data, page):
    rows = []
    for title, part, shape, figure, least, of_all in targets(data):
        there = part is not None and (shape is None or part.entry(shape))
        value = figure(part) if there else None
        met = "" if least is None or not value else "yes" if value >= least else "**no**"
        beside = data_file.ratio_words(of_all(part)) if there else ""
        reached = data_file.ratio_words(value) or ("no library is right" if there and beside else "not measured")
        rows.append([title, "" if least is None else f"{least:.2f}", reached, met, beside,
                     part.source(page) if there else "", part.remarks(shape) if there else ""])
    return table(["Case", ">At least", ">Reached", "", ">Over the fastest of all", "Measured", "Remarks"], rows)


def draw_rows(data):
    rows = []
    for name in DRAWS:
        if name in data.parts:
            all_of = data.parts[name].overall
            rows.append([data.parts[name].title, str(all_of.get("fastest_is_wrong", "-")), str(all_of.get("no_library_is_right", "-")),
                         str(all_of["below"]), all_of["worst_at"], str(all_of.get("multiply_nothing", 0)),
                         data_file.ratio_words(all_of.get("mean_of_the_others"))])
    return table(["Draw", ">the fastest is wrong", ">no library is right", f">below {data_file.BELOW}", "The worst at", ">alpha = 0", ">mean of the others"], rows)


def shape_rows(data):
    rows = []
    for part in (data.parts[name] for name in SHAPES if name in data.parts):
        for timing in part.timings:
            entry = part.entry(timing["shape"])
            factors = ", ".join(f"{name} {value:g}" for name, value in timing["scalars"].items())
            if entry:
                rows.append([timing["shape"], factors, f"{entry['us']:g}", f"{entry['rate']:g}", f"{timing['clock']['median']:.0f}"])
    return table(["Shape", "Scalars", ">us", ">TFLOP/s", ">SM clock, MHz"], rows)


def beside_cuda_l2(data, page):
    path = page.parent / PUBLISHED
    part = data.parts.get("cuda_l2")
    ours = part.drawn_ratios if part else {}
    when = f"were measured on {part.source(page)}." if part else \
        "are **not measured** yet: that takes a GPU, and `tools/results measure OUTDIR 540 cuda_l2`."
    return ["", "## Beside CUDA-L2", "",
            "CUDA-L2 published a kernel for each of 1,000 sizes (the suite `cuda-l2`), and how many times as fast as the fastest",
            f"algorithm of cuBLASLt it is on an H100. For 220 of these sizes [its figures]({data_file.link(page, path)})",
            "stand beside those of `hopper.cu`, which is one program for all: over the faster of cuBLAS and cuBLASLt's heuristic",
            f"results. Ours {when}",
            "Machines and libraries differ, so compare classes and not single sizes. Means are geometric.", "",
            *table(["Product", ">sizes", *cuda_l2.columns(HOPPER), *cuda_l2.columns("CUDA-L2")],
                   cuda_l2.rows(ours, cuda_l2.published(path)))]


def write_solution(data, page):
    parts = [data.parts[name] for name in SOLUTION_PARTS if name in data.parts]
    out = ["# What hopper.cu reaches", ""] + measured_on(parts)
    out += ["A figure is the time of the fastest library whose results keep the error bound over the time of `hopper.cu`: of cuBLAS",
            "(`cublasGemmEx`) and the best of what cuBLASLt suggests, each also in its accurate mode where the default leaves the bound",
            "(partial sums of split-K in f32, one rounding at beta = 1); or of what the case names. \"Over the fastest of all\" is over",
            "a library's default even where its results are wrong (-: that was not recorded then). All take turns on fresh inputs,",
            "by the median device span of a call."]
    out += SOURCES + target_rows(data, page)
    out += ["", "Of the draws: at how many cases the fastest library leaves the error bound, and at how many every one does; how many lie",
            "below, and how many have alpha = 0. Those multiply nothing, and their ratio is 1;",
            "`bench` draws none of them any more, so that a new mean compares with the mean of the others.", ""] + draw_rows(data)
    out += ["", "The shapes by themselves, by the median device span of a call:", ""] + shape_rows(data)
    squares = data.parts.get(STEADY_SQUARES)
    out += steady_section(steady_rows(squares, "", (), page) if squares else [])
    out += beside_cuda_l2(data, page)
    out += ["", "What fusing gains at other shapes: [epilogues/RESULTS.md](../../epilogues/RESULTS.md)."]
    page.write_text("\n".join(out) + "\n")


# ---- epilogues/RESULTS.md ---------------------------------------------------------------


def cost(entry):
    return f"{entry['cost_percent']:.1f}%" if entry and "cost_percent" in entry else "-"


def floor(timing, alone):
    """What the chain takes at least by itself, as `cost` has it."""
    return f"{100 * timing['floor'] / alone['us']:.1f}%" if alone and "floor" in timing else "-"


def over(entry, label):
    return ratio(entry.get("over", {}).get(label)) if entry else "-"


def single_rows(data, page):
    """At 4096x4096x1024: what fusing costs, and the speed beside the libraries."""
    rows = []
    for chain, title in CHAINS.items():
        part, ladder = data.fused(chain, AT), data.parts.get(f"ladder_{chain}")
        entry = part and part.entry(AT)
        if part or ladder:
            rows.append([title, cost(ladder and ladder.entry(AT)), cost(entry), over(entry, KERNEL), over(entry, OWN),
                         part.source(page) if part else ""])
    return table(["Fused", f">costs {LADDER}", f">costs {HOPPER}", f">{HOPPER} over {KERNEL}", f">over {OWN}", "Measured"], rows)


def chain_rows(data, chain, page):
    """Over K, and the two shapes of 8192."""
    rows = []
    for shape in data.shapes_over_k(chain):
        part = data.fused(chain, shape)
        entry, alone = part.entry(shape), part.entry(shape, "file without epilogue")
        rows.append([shape, f"{entry['us']:.2f}", f"{alone['us']:.2f}" if alone else "-", cost(entry),
                     floor(part.timing(shape), alone), over(entry, KERNEL),
                     over(entry, KERNEL_LT), over(entry, OWN), part.source(page), part.remarks(shape)])
    return table(["Shape", ">fused, us", ">alone, us", ">costs", ">floor", f">over {KERNEL}", f">over {KERNEL_LT}", f">over {OWN}", "Measured",
                  "Remarks"], rows)


def write_epilogues(data, page):
    shown = [part for name, part in data.parts.items() if name in EPILOGUE_PARTS]
    out = ["# What fusing an epilogue gains", ""] + measured_on(shown)
    out += ["which call `gemmjudge compare`: f16, alpha = 1 and beta = 0, all entrants taking turns on fresh inputs. Columns `over`",
            "have how many times as fast the fused kernel is: as a library and one more kernel for the epilogue, or as cuBLASLt's own",
            "fusion, where it has the chain. \"Alone\" is the same solution with no epilogue but alpha and beta, over which the chain costs;",
            "`floor` is what the GPU's units allow for the chain by itself (\"-\": it was not recorded then).",
            "A chain that costs less than its floor hides behind products."]
    out += SOURCES + [f"At {AT}, with an earlier step of the f16 ladder beside it, where one block's epilogue hides behind another's",
                      "products:", ""]
    out += single_rows(data, page)
    for chain, title in CHAINS.items():
        if f"{chain}_over_k" not in data.parts:
            continue
        out += ["", f"## {title}", ""] + chain_rows(data, chain, page)
        picture = f"results_{chain}.svg"
        if (page.parent / picture).exists():
            whole = data.parts[f"{chain}_over_k"]
            out += ["", f"![{title}: speed-up over K]({picture})", "", f"The picture is of one measurement, {whole.source(page)}."]
    streams = {name: title for name, title in STEADY_CHAINS.items() if name in data.parts}
    out += steady_section([row for name, title in streams.items()
                           for row in steady_rows(data.parts[name], f"{title}, ", (KERNEL, KERNEL_LT, OWN), page)])
    page.write_text("\n".join(out) + "\n")


def main(*arguments):
    *measured, root = arguments
    if measured and not take(measured[0], root):
        sys.exit(f"{measured[0]}: nothing of tools/results measure is here")
    data = Data(root)
    write_solution(data, root / "solutions/gemm_f16/RESULTS.md")
    write_epilogues(data, root / "epilogues/RESULTS.md")


if __name__ == "__main__":
    told(main, *map(pathlib.Path, sys.argv[1:]))
