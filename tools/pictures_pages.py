"""What tools/pictures keeps current in solutions/README.md: the table of machine balance, from the table of GPUs, and what
each of our steps reached, from its header."""

import re

BEGIN, END = "<!-- tools/pictures write -->", "<!-- end -->"
GENERATIONS = (("Volta", "v100"), ("Turing", "t4"), ("Ampere", "a100"), ("Ada", "rtx4090"), ("Hopper", "h100"), ("Hopper", "h200"),
               ("Blackwell", "b200"))
FIGURE = re.compile(r"(?<=\| )[\d.]+ (?:TFLOP/s|GB/s), \d+%(?= \|)|(?<=\| )not measured(?= \|)")
LINK = re.compile(r"\]\(([a-z0-9_]+/[a-z0-9_]+\.cu)\)")


def balance(gpus):
    rows = ["| | SMs x MHz | DRAM, GB/s | f32: FMAs a clock and SM, TFLOP/s | balance | m | f16 on tensor cores | balance |",
            "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for generation, name in GENERATIONS:
        gpu = gpus[name]
        clocks = 2e6 * gpu["multiprocessors"] * gpu["mhz"]
        f32, f16, dram = gpu["f32"] * clocks, gpu["f16"] * clocks, gpu["dram"]
        rows.append(f"| {generation}: {name.upper()} | {gpu['multiprocessors']} x {gpu['mhz']} | {dram / 1e9:.0f} | {gpu['f32']}, {f32 / 1e12:.1f} | "
                    f"{f32 / dram:.1f} | {4 * f32 / dram:.0f} | {gpu['f16']}, {f16 / 1e12:.0f} | {f16 / dram:.0f} |")
    return "\n".join(rows)


def reached(solutions, line):
    """What the header of the first .cu that a table's row links says, in place of the row's figure."""
    link = LINK.search(line)
    if not line.startswith("|") or not link or not FIGURE.search(line):
        return line
    found = re.search(r"reached: ([\d.]+ \S+, \d+%)", (solutions / link[1]).read_text())
    return FIGURE.sub(found[1], line) if found else line


def readme(solutions, known):
    """The page as it should be."""
    text = (solutions / "README.md").read_text()
    before, rest = text.split(BEGIN + "\n")
    text = f"{before}{BEGIN}\n{balance(known['gpus'])}\n{END}{rest.split(END, 1)[1]}"
    return "\n".join(reached(solutions, line) for line in text.split("\n"))
