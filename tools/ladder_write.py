"""Tables, pictures and headers of what tools/ladder has measured.

usage: ladder_write.py write|headers RESULT.json SOLUTIONS
"""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

import measured


def read_facts(path):
    """ladders.txt: facts of steps, units and GPUs; `shape` is for tools/ladder itself."""
    steps, units, gpus = {}, {}, {}
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
    return steps, units, gpus


def median_of(entry, clock):
    stats = entry.get(clock) or entry.get("span") or entry.get("event")
    return stats["median_us"] if entry["ran"] and stats else None


class Column:
    """One ladder at one shape: what each entry reached."""

    def __init__(self, shape, bench):
        self.shape = shape
        self.timing = bench["bench"][0]
        self.device = bench["device"]
        self.started = bench["started"]
        self.command = bench["command"]
        self.entries = {e["label"]: e for e in self.timing["entries"]}
        for label in self.entries:
            if label.endswith(".cu"):
                measured.name(label)

    def median(self, label):
        entry = self.entries.get(label)
        return median_of(entry, self.timing["clock"]) if entry else None

    def tflops(self, label):
        case, us = self.timing["case"], self.median(label)
        terms = math.prod(int(case[size]) for size in ("batch", "m", "n", "k"))
        return 2 * terms / us * 1e-6 if us else None

    def rate(self, label):
        return self.entries[label]["gbytes_per_s"] if self.vector else self.tflops(label)

    @property
    def vector(self):
        return self.shape.count("x") == 1

    @property
    def unit(self):
        return "GB/s" if self.vector else "TFLOP/s"

    @property
    def baselines(self):
        return [label for label in self.entries if not label.endswith(".cu")]

    @property
    def yardstick(self):
        """The first baseline that was measured, cuBLAS where the problem has it."""
        return next((label for label in self.baselines if self.median(label)), None)

    def percent(self, label):
        """Of the yardstick."""
        own = self.median(label)
        return 100 * self.median(self.yardstick) / own if own and self.yardstick else None

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
        head += [column.title + ", us", column.unit, f"of {column.yardstick or '-'}"]
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
            wrong = "\\*" if column.entries[label]["wrong_elements"] else ""
            cells += [number(us) + wrong, number(column.rate(label)), percentage(column.percent(label))]
        cells += [facts.get(step, (0, ""))[1]] * sources
        lines.append("| " + " | ".join(cells) + " |")
    return lines, notes


def clocks_of(columns):
    parts = []
    for column in columns:
        t = column.timing
        text = f"{column.title} {t['sm_clock_mhz_median']:.0f} (lowest {t['sm_clock_mhz_min']:.0f})"
        if t["throttled"]:
            text += f", held down: {t['throttle_reason']}"
        if t["wide_interval"]:
            text += ", medians uncertain by more than 1%"
        parts.append(text)
    limit = columns[0].timing["sm_clock_mhz_limit"]
    return f"SM clock in MHz, limit {limit:.0f}: " + "; ".join(parts) + "."


GNUPLOT = """\
set terminal svg noenhanced size 760,520 font "sans-serif,13" background "white"
set output "{svg}"
set title "{title}"
set logscale xy
set xlabel "operations per byte asked of global memory"
set ylabel "TFLOP/s"
set xrange [{x0}:{x1}]
set yrange [{y0}:{y1}]
set grid back linecolor "#dddddd"
set key bottom right
set samples 2000
{extra}
plot {plots}
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
            points.append((fact[0], tflops, label[:2]))
    if not points:
        return False
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x0, x1 = min(xs) / 4, max(xs) * 8
    compute = None
    if unit:
        clock = column.timing["sm_clock_mhz_median"] or column.device["sm_clock_mhz"]
        compute = unit[1] * column.device["multiprocessors"] * clock * 1e-6
    y1 = 2 * max(ys + ([compute] if compute else []))
    y0 = min(ys) / 4
    plots = []
    flat = compute or y1
    if memory:
        for name, roof, color in (("DRAM", memory[0], "#1f77b4"), ("L2", memory[1], "#2ca02c")):
            plots.append(f'(x*{roof * 1e-3} < {flat} ? x*{roof * 1e-3} : 1/0) with lines linewidth 2 '
                         f'linecolor "{color}" title "{name}, {roof * 1e-3:.3g} TB/s"')
    if compute:
        plots.append(f'{compute} with lines linewidth 2 linecolor "#555555" '
                     f'title "{unit[0]}, {number(compute)} TFLOP/s"')
    if column.yardstick:
        plots.append(f'{column.tflops(column.yardstick)} with lines dashtype 2 linecolor "#d62728" '
                     f'title "{measured.plain(column.yardstick)}"')
    plots.append('"-" using 1:2 with points pointtype 7 pointsize 0.7 linecolor "black" notitle')
    script = GNUPLOT.format(
        svg=folder / ladder / "roofline.svg", x0=x0, x1=x1, y0=y0, y1=y1, extra=labels_beside(points, (x0, x1), (y0, y1)),
        title=measured.plain(f"{ladder}, {column.title}, {column.device['name']}"), plots=", \\\n     ".join(plots))
    script += "".join(f"{x} {y}\n" for x, y, _ in points) + "e\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True


def load(path):
    """Columns by ladder, in the order measured, and why steps are missing."""
    result = json.loads(pathlib.Path(path).read_text())
    if result.get("schema_version") != 2:
        sys.exit(f"{path}: no result of tools/ladder measure")
    ladders = {}
    for run in result["runs"]:
        ladders.setdefault(measured.name(run["ladder"]), []).append(Column(run["shape"], run["bench"]))
    missing = {(m["ladder"], m["shape"], m["step"]): m["why"] for m in result["left_out"]}
    return result, ladders, missing


def labels_of(columns):
    return sorted({label for c in columns for label in c.entries if label.endswith(".cu")})


def picture_column(columns):
    """4096^3 where all steps were measured there, else the largest shape with the most steps."""
    def medians(column):
        return sum(column.median(label) is not None for label in column.entries)

    most = max(map(medians, columns))
    whole = [c for c in columns if medians(c) == most]
    return next((c for c in whole if c.title == "4096^3"), whole[-1])


def measured_on(result, column):
    """A section's first line."""
    device, factors = column.device, column.timing["case"]["scalars"]
    line = (f"Measured on an {device['name']} ({device['multiprocessors']} SMs, driver {device['driver']}, "
            f"runtime {device['runtime']}, {device['library']}) on {column.started[:10]} by `{result['command']}`")
    return line + (", with " + ", ".join(f"{name} = {value:g}" for name, value in factors.items()) if factors else "") + "."


def section(result, ladder, columns, missing, facts, solutions):
    """The page's text about a ladder; draws its picture."""
    steps, units, gpus = facts
    labels = labels_of(columns)

    def why(shape, label):
        return missing.get((ladder, shape, label)) or missing.get((ladder, shape, "*")) or "not measured"

    lines, notes = table_of(ladder, columns, labels, steps, why)
    out = [f"## {ladder}", "", measured_on(result, columns[0]), ""] + lines + [""]
    out += [f"({i + 1}) not measured: {note}  " for i, note in enumerate(notes)]
    if any(e["wrong_elements"] for c in columns for e in c.entries.values()):
        out.append("\\* some elements of timed calls were outside the error bound  ")
    there, told = {c.shape for c in columns}, set()
    for (folder, shape, _), reason in missing.items():
        if folder == ladder and shape not in there | told:
            told.add(shape)
            out.append(f"{shape} was not measured: {reason}  ")
    out.append(clocks_of(columns))
    if (solutions / ladder / "NOTES.md").exists():
        out.append(f"What was expected of each step, and why it came out as it did: [notes]({ladder}/NOTES.md).")
    if roofline(solutions, ladder, picture_column(columns), labels, steps, units.get(ladder),
                gpus.get(columns[0].device["name"])):
        out += ["", f"![{ladder}: speed over operations per byte]({ladder}/roofline.svg)"]
    return "\n".join(out) + "\n\n"


def folder_of(command):
    found = re.search(r" solutions/([^/ ]+)/", command)
    return found and found[1]


def write(path, solutions):
    """Puts the sections of what was measured in place; the head and all other sections stay."""
    if not shutil.which("gnuplot"):
        sys.exit("tools/ladder: no gnuplot here, which draws the pictures (Debian's gnuplot-nox)")
    result, ladders, missing = load(path)
    facts, page = read_facts(solutions / "ladders.txt"), solutions / "RESULTS.md"
    head, *parts = re.split(r"^(?=## )", page.read_text(), flags=re.M)
    sections = {part.splitlines()[0].removeprefix("## "): part for part in parts}
    calls = [line for line in sections.pop("Commands", "").splitlines() if line.startswith("    ")]
    for ladder, columns in ladders.items():
        sections[ladder] = section(result, ladder, columns, missing, facts, solutions)
        calls = [call for call in calls if folder_of(call) != ladder] + ["    " + c.command for c in columns]

    def place(folder):
        return result["folders"].index(folder) if folder in result["folders"] else len(result["folders"])

    out = [head] + [sections[ladder] for ladder in sorted(sections, key=place)]
    out += ["## Commands\n\nOne table column each:\n\n"]
    out += [call + "\n" for call in sorted(calls, key=lambda call: place(folder_of(call)))]
    page.write_text("".join(out))


def headers(path, solutions):
    """The last line of a file's opening comment says what it reached."""
    _, ladders, _ = load(path)
    for ladder, columns in ladders.items():
        for label in labels_of(columns):
            at = [c for c in columns if c.median(label)]
            column = next((c for c in at if c.title == "4096^3"), at[-1] if at else None)
            if column is None:
                continue
            name = column.yardstick
            share = f", {column.percent(label):.0f}% of {name}" if name else ""
            line = (f" * reached: {number(column.rate(label))} {column.unit}{share} "
                    f"({column.device['name']}, {column.title}) */")
            file = solutions / ladder / label
            text = file.read_text()
            fresh, count = re.subn(r"^ \* reached: .*\*/$", lambda _: line, text, count=1, flags=re.M)
            if count == 0:
                print(f"{file}: no line ' * reached: ... */'", file=sys.stderr)
            elif fresh != text:
                file.write_text(fresh)


if __name__ == "__main__":
    measured.told({"write": write, "headers": headers}[sys.argv[1]], sys.argv[2], pathlib.Path(sys.argv[3]))
