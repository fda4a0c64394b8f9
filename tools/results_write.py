"""RESULTS.md of solutions/gemm_f16 and of epilogues, from what tools/results has measured.

usage: results_write.py MEASURED ROOT
"""

import json
import pathlib
import shutil
import sys

from measured import told

# Parts in the order of the page, and their titles.
SOLUTION_PARTS = {
    "random": "200 random shapes",
    "aligned": "200 random shapes, every size a multiple of 8",
    "uniform": "200 random shapes, sizes uniform",
    "leetgpu": "1024^3, alpha = beta = 1",
    "squares": "Squares, beta = 0",
    "odd": "Odd sizes",
    "sigmoid": "Sigmoid fused",
    "relu": "ReLU fused",
    "gelu": "GELU fused",
    "bias_gelu": "Bias and GELU fused",
}
# Their pictures are results_NAME.svg.
EPILOGUE_PARTS = {"sigmoid": "sigmoid", "bias_gelu": "bias, then gelu", "silu": "silu"}
LADDER_PARTS = ("relu", "sigmoid", "gelu")
LIBRARY_PARTS = ("relu", "gelu", "bias_gelu")

KERNEL, OWN = "cuBLAS+kernel", "cuBLASLt fused"  # labels of entrants
AT = "4096x4096x1024"
SCHEMAS = (1, 2)  # of gemmjudge's reports; they differ in nothing that is read here


class Part:
    """What one call of gemmjudge gave."""

    def __init__(self, folder, name):
        whole = (folder / f"{name}.json").exists()
        stem = name if whole else name + ".partial"
        self.result = json.loads((folder / f"{stem}.json").read_text())
        if self.result.get("schema_version") not in SCHEMAS:
            sys.exit(f"{folder}/{stem}.json: no result of gemmjudge that this script knows")
        self.text = (folder / f"{stem}.txt").read_text()
        self.markdown = (folder / f"{stem}.md").read_text()
        self.svg = folder / f"{stem}.svg"
        self.cut_off = not whole

    @property
    def overall(self):
        return self.result["overall"][0]

    def timing(self, shape):
        for timing in self.result["bench"]:
            case = timing["case"]
            if f"{case['m']}x{case['n']}x{case['k']}" == shape:
                return timing
        return None

    def entry(self, shape):
        """The file (fused, in a comparison), at a shape; None when it was not measured."""
        timing = self.timing(shape)
        entry = timing and next(e for e in timing["entries"] if e["role"] == "file")
        return entry if entry and entry["ran"] else None

    def library_ratio(self, shape):
        entry = self.entry(shape)
        return entry and entry["ratio_to_fastest_library"]

    def speed_up(self, shape, label):
        entry = self.entry(shape)
        ratio = entry and entry.get("speed_up_over", {}).get(label)
        return ratio and ratio["value"]

    def fusion_cost(self, shape):
        entry = self.entry(shape)
        cost = entry and entry.get("fusion_cost_percent")
        return cost and cost["value"]

    def remarks(self, shape=None):
        timings = [self.timing(shape)] if shape else self.result["bench"]
        held = sum(t["throttled"] for t in timings if t)
        wide = sum(t["wide_interval"] for t in timings if t)
        many = f" at {{}} of {len(timings)} shapes" if len(timings) > 1 else ""
        out = ["cut off after " + str(len(self.result["bench"])) + " shapes"] * self.cut_off
        out += ["clock held down" + many.format(held)] * (held > 0)
        out += ["medians uncertain" + many.format(wide)] * (wide > 0)
        return "; ".join(out)


def load(folder, names):
    return {name: Part(folder, name) for name in names
            if any((folder / f"{name}{end}.json").exists() for end in ("", ".partial"))}


def targets():
    """(case, part, shape or None, figure of the part, at least or None)"""
    def at(shape, part, least, title=None):
        return (title or shape, part, shape, lambda p: p.library_ratio(shape), least)

    def over(label, chain, part, shape, least):
        return (f"{chain} fused, {shape}, over {label}", part, shape, lambda p: p.speed_up(shape, label), least)

    def mean(part, least):
        return (SOLUTION_PARTS[part] + ": geometric mean", part, None, lambda p: p.overall["geometric_mean"], least)

    def worst(part, least):
        return (SOLUTION_PARTS[part] + ": the worst", part, None, lambda p: p.overall["worst"], least)

    return [
        mean("random", 2.5), worst("random", 0.9), mean("aligned", 1.10), worst("aligned", None),
        mean("uniform", 2.5), worst("uniform", 0.9),
        at("1024x1024x1024", "leetgpu", 1.15, "1024x1024x1024, alpha = beta = 1"),
        at("2048x2048x2048", "squares", 1.0), at("4096x4096x4096", "squares", 1.02),
        at("8192x8192x8192", "squares", 1.02),
        at("4095x4093x4091", "odd", 3.8), at("1023x1023x1023", "odd", None),
        over(KERNEL, "sigmoid", "sigmoid", "8192x8192x1024", 1.35), over(KERNEL, "sigmoid", "sigmoid", AT, 1.30),
        over(OWN, "relu", "relu", AT, 1.0), over(OWN, "gelu", "gelu", AT, 1.0),
        over(OWN, "bias, gelu", "bias_gelu", AT, 1.0),
    ]


def target_rows(parts):
    rows = ["| Case | At least | Reached | | Remarks |", "|---|--:|--:|---|---|"]
    for title, name, shape, figure, least in targets():
        part = parts.get(name)
        value = part and figure(part)
        reached = f"{value:.3f}" if value else "not measured"
        met = "" if least is None or not value else "yes" if value >= least else "**no**"
        asked = "" if least is None else f"{least:.2f}"
        remarks = part.remarks(shape) if part else ""
        rows.append(f"| {title} | {asked} | {reached} | {met} | {remarks} |")
    return rows


def measured_on(parts):
    devices, wrong = [], []
    for name, part in parts.items():
        device = part.result["device"]
        words = (f"{device['name']} ({device['multiprocessors']} SMs, driver {device['driver'].split(',')[0]}, "
                 f"{device['runtime']}, {device['library']})")
        devices += [words] * (words not in devices)
        wrong += [name] * part.result["gpu_computes_wrongly"]
    days = sorted({part.result["started"][:10] for part in parts.values()})
    out = [f"Measured on an {' and an '.join(devices)}", f"on {' and '.join(days)} with"]
    if wrong:
        out = [f"**The GPU computed wrongly (a library missed elements of exact cases): {', '.join(wrong)}.**", ""] + out
    return out


HOW = ["", "    tools/results measure OUTDIR", "    tools/results write OUTDIR", ""]


def write_solution(parts, page):
    out = ["# What hopper.cu reaches", ""] + measured_on(parts) + HOW
    out += ["A figure is the time of the fastest library over the time of `hopper.cu`: of cuBLAS (`cublasGemmEx`) and the best of",
            "cuBLASLt's heuristic results, or of what the case names. All take turns on fresh inputs, by the median device span of a call.", ""]
    out += target_rows(parts) + ["", "The tables are as the tool printed them."]
    for name, part in parts.items():
        out += ["", f"## {SOLUTION_PARTS[name]}", "", "    " + part.result["command"], "", "```text",
                part.text.strip("\n"), "```"]
    page.write_text("\n".join(out) + "\n")


def cell(value, form="{:.2f}"):
    return form.format(value) if value is not None else "-"


def fused_rows(parts):
    """Speed-up over cuBLAS and an extra kernel, by chain and shape."""
    shapes = ["4096x4096x64", AT, "4096x4096x8192", "8192x8192x1024", "8192x8192x8192"]
    rows = ["| Fused into hopper.cu | " + " | ".join(shapes) + " |", "|---" + "|--:" * len(shapes) + "|"]
    for name, part in parts.items():
        rows.append(f"| {EPILOGUE_PARTS[name]} | " +
                    " | ".join(cell(part.speed_up(shape, KERNEL)) for shape in shapes) + " |")
    return rows


def single_rows(ladder, hopper):
    """At 4096x4096x1024: what fusing costs, and the speed beside cuBLASLt's own fusion."""
    rows = ["| Fused | costs 06_any_size.cu | costs hopper.cu | hopper.cu beside cuBLASLt's own |", "|---|--:|--:|--:|"]
    for name in dict.fromkeys(LADDER_PARTS + LIBRARY_PARTS):
        ours, theirs = hopper.get(name), ladder.get(name)
        rows.append(f"| {EPILOGUE_PARTS.get(name, name)} | {cell(theirs and theirs.fusion_cost(AT), '{:.1f}%')} | "
                    f"{cell(ours and ours.fusion_cost(AT), '{:.1f}%')} | {cell(ours and ours.speed_up(AT, OWN))} |")
    return rows


def write_epilogues(parts, ladder, hopper, folder):
    everything = parts | {"ladder_" + name: part for name, part in ladder.items()} | hopper
    out = ["# What fusing an epilogue gains", ""] + measured_on(everything) + HOW
    out += ["which call `gemmjudge compare`: f16, alpha = 1 and beta = 0, all entrants taking turns on fresh inputs. The command of each",
            "table stands above it; \"alone\" is the same solution with no epilogue but alpha and beta.", "",
            "How many times as fast the fused kernel is as cuBLAS and one more kernel for the epilogue:", ""]
    out += fused_rows(parts)
    out += ["", f"At {AT}, with the f16 ladder's last step beside it, where one block's epilogue hides behind another's", "products:", ""]
    out += single_rows(ladder, hopper)
    for name, part in parts.items():
        out += ["", f"## {EPILOGUE_PARTS[name]}", "", "    " + part.result["command"], ""]
        if part.svg.exists():
            picture = f"results_{name}.svg"
            shutil.copyfile(part.svg, folder / picture)
            out += [f"![{EPILOGUE_PARTS[name]}: speed-up over K]({picture})", ""]
        out += [part.markdown.partition("\n## Timing\n")[2].strip("\n")]
    (folder / "RESULTS.md").write_text("\n".join(out) + "\n")


def main(measured, root):
    solution = load(measured, SOLUTION_PARTS)
    over_k = {name.removesuffix("_over_k"): part
              for name, part in load(measured, [name + "_over_k" for name in EPILOGUE_PARTS]).items()}
    ladder = {name.removeprefix("ladder_"): part
              for name, part in load(measured, ["ladder_" + name for name in LADDER_PARTS]).items()}
    if not solution and not over_k:
        sys.exit(f"{measured}: nothing of tools/results measure is here")
    if solution:
        write_solution(solution, root / "solutions/gemm_f16/RESULTS.md")
    if over_k:
        hopper = {name: solution[name] for name in (*LADDER_PARTS, *LIBRARY_PARTS) if name in solution}
        write_epilogues(over_k, ladder, hopper, root / "epilogues")


if __name__ == "__main__":
    told(main, pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
