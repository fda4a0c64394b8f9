"""Data files, page, pictures and headers of what tools/ladder has measured.

usage: ladder_write.py write [RESULT.json] SOLUTIONS | headers SOLUTIONS
"""

import json
import math
import pathlib
import re
import shutil
import sys

import data_file
import measured
import picture


def read_facts(path):
    """ladders.txt: facts of steps, units, GPUs and folders; `shape` is for tools/ladder itself."""
    steps, units, gpus, remarks = {}, {}, {}, {}
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "step":
            name, intensity, *figure = rest.split(None, 2)
            steps[name] = (float(intensity), figure[0] if figure else "")
        elif kind == "unit":
            folder, unit, operations = rest.split()
            units[folder] = (unit, float(operations))
        elif kind == "gpu":
            name, dram, l2 = (field.strip() for field in rest.split("|"))
            gpus[name] = (float(dram), float(l2))
        elif kind in ("baseline", "note"):
            folder, text = rest.split(None, 1)
            remarks.setdefault(folder, []).append(f"Baselines: {text}" if kind == "baseline" else text)
    return steps, units, gpus, remarks


class Column:
    """One ladder at one shape: what each entry reached."""

    def __init__(self, run):
        self.timing, = run["timings"]
        self.shape = self.timing["shape"]
        self.gpu, self.started, self.command = run["gpu"], run["started"], run["command"]
        self.entries = {entry["label"]: entry for entry in self.timing["entries"]}
        for label in self.entries:
            if label.endswith(".cu"):
                measured.name(label)

    def figure(self, label, name):
        return self.entries.get(label, {}).get(name)

    def median(self, label):
        return self.figure(label, "us")

    def rate(self, label):
        return self.figure(label, "rate")

    def tflops(self, label):
        """Also of a matrix and a vector, whose rate is GB/s."""
        us = self.median(label)
        if us and data_file.is_matrix_and_vector(self.shape):
            return 2e-6 * math.prod(map(int, self.shape.split("x"))) / us
        return self.rate(label)

    def percent(self, label):
        """Its speed relative to the fastest baseline."""
        us = self.median(label)
        return 100 * self.median(self.fastest) / us if us and self.fastest else None

    @property
    def unit(self):
        return "GB/s" if data_file.is_matrix_and_vector(self.shape) else "TFLOP/s"

    @property
    def baselines(self):
        return [label for label in self.entries if not label.endswith(".cu")]

    @property
    def fastest(self):
        """The fastest baseline that was measured, or None."""
        return min(filter(self.median, self.baselines), key=self.median, default=None)

    @property
    def title(self):
        sizes = self.shape.split("x")
        if len(sizes) == 1:
            return "N = " + self.shape
        return sizes[0] + "^3" if len(sizes) == 3 and len(set(sizes)) == 1 else self.shape


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def percentage(value):
    return "" if value is None else f"{value:.1f}%"


def table_of(ladder, columns, labels, facts, why):
    """`why` says, for (shape, label), why a cell is empty; returns lines and notes."""
    head = ["Step"]
    for column in columns:
        head += [column.title + ", us", column.unit, f"of {column.fastest or '-'}"]
    sources = any(facts.get(f"{ladder}/{label.removesuffix('.cu')}", (0, ""))[1] for label in labels)
    lines = ["| " + " | ".join(head + ["source's own"] * sources) + " |",
             "|---" + "|--:" * (len(head) - 1) + "|---" * sources + "|"]
    notes = []
    for label in labels + columns[0].baselines:
        step = f"{ladder}/{label.removesuffix('.cu')}"
        cells = [f"[{label.removesuffix('.cu')}]({ladder}/{label})" if label in labels else label]
        for column in columns:
            us = column.median(label)
            if us is None:
                entry = column.entries.get(label)
                reason = entry["detail"] if entry else why(column.shape, label)
                if reason not in notes:
                    notes.append(reason)
                cells += [f"({notes.index(reason) + 1})", "", ""]
                continue
            wrong = "\\*" if "wrong" in column.entries[label] else ""
            cells += [number(us) + wrong, number(column.rate(label)), percentage(column.percent(label))]
        cells += [facts.get(step, (0, ""))[1]] * sources
        lines.append("| " + " | ".join(cells) + " |")
    return lines, notes


def clocks_of(columns):
    parts = []
    for column in columns:
        clock = column.timing["clock"]
        text = f"{column.title} {clock['median']:.0f} (lowest {clock['lowest']:.0f})"
        if clock["held_down"]:
            text += f", held down: {clock['held_down']}"
        if column.timing["uncertain"]:
            text += ", medians uncertain by more than 1%"
        parts.append(text)
    limit = columns[0].timing["clock"]["limit"]
    return f"SM clock in MHz, limit {limit:.0f}: " + "; ".join(parts) + "."


GNUPLOT = """\
set terminal svg noenhanced size 760,520 font "sans-serif,13" background "white"
set title "{title}"
set logscale xy
set xlabel "operations per byte requested from global memory"
set ylabel "TFLOP/s"
set xrange [{x0}:{x1}]
set yrange [{y0}:{y1}]
set grid back linecolor "#dddddd"
set key bottom right
set samples 2
{extra}
plot sample {plots}
"""


def spread(values, gap):
    """Places for labels: near the values, at least `gap` apart, in the same order."""
    places = []
    for value in values:
        places.append(max(value, places[-1] + gap) if places else value)
    shift = sum(p - v for p, v in zip(places, values)) / len(values)
    return [p - shift for p in places]


def labels_beside(points, x_range, y_range):
    """gnuplot's commands for the numbers beside the points (x, y, text): a column for
    each x, on the left where the next column is near, with a hair line to the point."""
    columns = {}
    for x, y, text in points:
        columns.setdefault(x, []).append((y, text))
    gap = 0.037 * math.log10(y_range[1] / y_range[0])
    width = math.log10(x_range[1] / x_range[0])
    commands, xs = [], sorted(columns)
    for x, following in zip(xs, xs[1:] + [math.inf]):
        left = math.log10(following / x) < 0.12 * width
        at = x * 10 ** (width * (-0.03 if left else 0.03))
        column = sorted(columns[x])
        for (y, text), place in zip(column, spread([math.log10(y) for y, _ in column], gap)):
            commands.append(f'set label "{text}" at {at},{10 ** place} {"right" if left else "left"}')
            commands.append(f'set arrow from {x},{y} to {at},{10 ** place} nohead linecolor "#999999"')
    return "\n".join(commands)


def roofline(folder, ladder, column, labels, steps, unit, memory):
    """Draws every step at its intensity, below the roofs. False when there is none."""
    points = []
    for label in labels:
        fact, tflops = steps.get(f"{ladder}/{label.removesuffix('.cu')}"), column.tflops(label)
        if fact and tflops:
            points.append((fact[0], tflops, label.split("_")[0] if label[0].isdigit() else label.removesuffix(".cu")))
    if not points:
        return False
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x0, x1 = min(xs) / 4, max(xs) * 8
    compute = None
    clock = column.timing["clock"]["median"] or column.timing["clock"]["limit"]
    if unit and clock:
        compute = unit[1] * column.gpu["multiprocessors"] * clock * 1e-6
    y1 = 2 * max(ys + ([compute] if compute else []))
    y0 = min(ys) / 4
    plots = []
    flat = compute or y1
    if memory:
        for name, roof, color in (("DRAM", memory[0], "#1f77b4"), ("L2", memory[1], "#2ca02c")):
            plots.append(f'[{x0}:{max(x0, min(x1, flat / (roof * 1e-3)))}] x*{roof * 1e-3} with lines linewidth 2 '
                         f'linecolor "{color}" title "{name}, {roof * 1e-3:.3g} TB/s"')
    if compute:
        plots.append(f'[{x0}:{x1}] {compute} with lines linewidth 2 linecolor "#555555" '
                     f'title "{unit[0]}, {number(compute)} TFLOP/s"')
    if column.fastest:
        plots.append(f'[{x0}:{x1}] {column.tflops(column.fastest)} with lines dashtype 2 linecolor "#d62728" '
                     f'title "{measured.plain(column.fastest)}"')
    plots.append('"-" using 1:2 with points pointtype 7 pointsize 0.7 linecolor "black" notitle')
    script = GNUPLOT.format(
        x0=x0, x1=x1, y0=y0, y1=y1, extra=labels_beside(points, (x0, x1), (y0, y1)),
        title=measured.plain(f"{ladder}, {column.title}, {column.gpu['name']}"), plots=", \\\n     ".join(plots))
    script += "".join(f"{x} {y}\n" for x, y, _ in points) + "e\n"
    picture.draw(script, folder / ladder / "roofline.svg")
    return True


def take(path, solutions):
    """What tools/ladder measure has found, into a data file for each ladder; returns their names."""
    result = json.loads(pathlib.Path(path).read_text())
    if result.get("schema_version") != 1:
        sys.exit(f"{path}: no result of tools/ladder measure")
    runs = {}
    for run in result["runs"]:
        compact = data_file.compact_run(run["bench"], str(run["shape"]))
        runs.setdefault(measured.name(run["ladder"]), []).append(compact)
    for ladder, own in runs.items():
        left = [{key: str(one[key]) for key in ("shape", "step", "why")} for one in result["left_out"] if one["ladder"] == ladder]
        data_file.save(data_of(solutions, ladder), str(result["command"]), own, left,
                       data_file.commit(result.get("commit", "")))
    return list(runs)


def data_of(solutions, ladder):
    return solutions / "results" / f"{ladder}.json"


def load(solutions, ladder):
    """Its data file, its columns in the order measured, and why steps are missing, by shape and step."""
    data = data_file.load(data_of(solutions, ladder))
    missing = {(one["shape"], one["step"]): one["why"] for one in data["left_out"]}
    return data, [Column(run) for run in data["runs"]], missing


def ladders_of(solutions):
    """Those that have data, in the order of ladders.txt."""
    lines = (solutions / "ladders.txt").read_text().splitlines()
    order = list(dict.fromkeys(line.split()[1].split("/")[0] for line in lines if line.startswith("step ")))
    return [ladder for ladder in order if data_of(solutions, ladder).exists()]


def labels_of(columns):
    return sorted({label for c in columns for label in c.entries if label.endswith(".cu")})


def newer_of(solutions, ladder, steps):
    """The files of a ladder, of those that ladders.txt names, that are newer than its figures."""
    _, columns, missing = load(solutions, ladder)
    named = {f"{step.removeprefix(ladder + '/')}.cu" for step in steps
             if step.startswith(ladder + "/") and (solutions / f"{step}.cu").exists()}
    return named - set(labels_of(columns)) - {label for _, label in missing}


def picture_column(columns):
    """4096^3 where all steps were measured there, else the largest shape with the most steps."""
    def medians(column):
        return sum(column.median(label) is not None for label in column.entries)

    most = max(map(medians, columns))
    whole = [c for c in columns if medians(c) == most]
    return next((c for c in whole if c.title == "4096^3"), whole[-1])


def measured_on(data, column):
    """A section's first line."""
    factors = column.timing["scalars"]
    line = f"Measured on an {data_file.gpu_words(column.gpu)} on {column.started[:10]}{data_file.commit_words(data)} by `{data['asked']}`"
    return line + (", with " + ", ".join(f"{name} = {value:g}" for name, value in factors.items()) if factors else "") + "."


# Pages of a ladder's folder about what is no step of it.
BESIDE = {"results": "RESULTS.md", "design": "DESIGN.md", "schedules chosen for a shape": "COSMA.md"}


def notes_on(ladder, solutions):
    """Where a person reads on."""
    out = []
    notes = next((name for name in ("NOTES.md", "LOG.md") if (solutions / ladder / name).exists()), None)
    if notes:
        out.append(f"What was expected of each step, and why it came out as it did: [notes]({ladder}/{notes}).")
    beside = [f"[{text}]({ladder}/{name})" for text, name in BESIDE.items() if (solutions / ladder / name).exists()]
    if beside:
        out.append(f"What is beside the ladder: {', '.join(beside)}.")
    return out


def section(solutions, ladder, steps, remarks):
    """The page's text about a ladder; `remarks` are lines on its baselines and steps."""
    data, columns, missing = load(solutions, ladder)
    known = labels_of(columns)
    newer = newer_of(solutions, ladder, steps)
    labels = sorted([*known, *newer])

    def why(shape, label):
        if label in newer:
            return "the file is newer than these figures"
        return missing.get((shape, label)) or missing.get((shape, "*")) or "it was left out"

    lines, notes = table_of(ladder, columns, labels, steps, why)
    out = [f"## {ladder}", "", measured_on(data, columns[0]), ""] + lines + [""]
    out += [f"{text}  " for text in remarks]
    out += [f"({i + 1}) not measured: {note}  " for i, note in enumerate(notes)]
    if any("wrong" in entry for column in columns for entry in column.entries.values()):
        out.append("\\* some elements of timed calls were outside the error bound  ")
    there, told = {column.shape for column in columns}, set()
    for (shape, _), reason in missing.items():
        if shape not in there | told:
            told.add(shape)
            out.append(f"{shape} was not measured: {reason}  ")
    out += [clocks_of(columns), *notes_on(ladder, solutions)]
    if (solutions / ladder / "roofline.svg").exists():
        out += ["", f"![{ladder}: speed over operations per byte]({ladder}/roofline.svg)"]
    return "\n".join(out) + "\n"


HEAD = """\
# What the ladders reach

`tools/ladder write` makes this page from the data files in [`results/`](results/), one a ladder, which have every command.
These commands measure the named folders anew, and leave the others as they are:

    tools/ladder measure OUT.json SECONDS FOLDER...
    tools/ladder write OUT.json

Times are medians of the device span of a call, with the steps of a table and its baselines taking turns on fresh
inputs (`gemmjudge bench`); outputs of timed calls are checked. TFLOP/s count 2 operations for each term of each
result's sum, whatever a step really does: 2 M N K, times the batch; for apsp 2 N^3. Operations of integers, and
additions and minima, count as those of floats. Percentages are speeds relative to the fastest baseline at
that shape, which the column's head names. Where a last column has what the step's source reports itself, it is on
that source's GPU: (W) RTX 5070 Ti at 4096^3, (B) RTX A6000 at 4092^3, (N) H200 at 1024^3 with alpha = beta = 1, (C)
V100; `ladders.txt` names the sources. Horizontally, the pictures have the operations per byte that a kernel requests from
global memory; caches serve part of what the first steps request, so that these stand above the memory's roofs.
"""


def pages(solutions):
    """solutions/RESULTS.md, from the data files alone."""
    steps, _, _, remarks = read_facts(solutions / "ladders.txt")
    sections = [section(solutions, ladder, steps, remarks.get(ladder, [])) for ladder in ladders_of(solutions)]
    (solutions / "RESULTS.md").write_text("\n".join([HEAD] + sections))


def write(path, solutions):
    """Takes what was measured over into the data files, draws its pictures, and writes the page."""
    if not shutil.which("gnuplot"):
        sys.exit("tools/ladder: no gnuplot here, which draws the pictures (Debian's gnuplot-nox)")
    steps, units, gpus, _ = read_facts(solutions / "ladders.txt")
    for ladder in take(path, solutions):
        _, columns, _ = load(solutions, ladder)
        roofline(solutions, ladder, picture_column(columns), labels_of(columns), steps, units.get(ladder),
                 gpus.get(columns[0].gpu["name"]))
    pages(solutions)


def header_line(columns, label):
    """What a file reached, at 4096^3 where it was measured there; None where it was not measured."""
    at = [c for c in columns if c.median(label)]
    column = next((c for c in at if c.title == "4096^3"), at[-1] if at else None)
    if column is None:
        return None
    share = f", {column.percent(label):.0f}% of {column.fastest}" if column.fastest else ""
    return f" * reached: {number(column.rate(label))} {column.unit}{share} ({column.gpu['name']}, {column.title}) */"


def headers(solutions):
    """The last line of a file's opening comment says what it reached."""
    for ladder in ladders_of(solutions):
        _, columns, _ = load(solutions, ladder)
        for label in labels_of(columns):
            file, line = solutions / ladder / label, header_line(columns, label)
            if line is None or not file.exists():
                continue
            text = file.read_text()
            fresh, count = re.subn(r"^ \* reached: .*\*/$", lambda _: line, text, count=1, flags=re.M)
            if count == 0 and label[0].isdigit(): # others say more in their own words
                print(f"{file}: no line ' * reached: ... */'", file=sys.stderr)
            elif fresh != text:
                file.write_text(fresh)


def main(verb, *arguments):
    *results, solutions = arguments
    if verb == "headers":
        return headers(solutions)
    return write(results[0], solutions) if results else pages(solutions)


if __name__ == "__main__":
    measured.told(main, sys.argv[1], *sys.argv[2:-1], pathlib.Path(sys.argv[-1]))
