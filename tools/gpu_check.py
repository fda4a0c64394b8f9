"""What only a GPU can show of the judge: the parts of tools/gpu-check.

usage: gpu_check.py run GEMMJUDGE OUTDIR SECONDS [PART...] | report OUTDIR | parts
"""

import json
import os
import pathlib
import sys
import time

import measured
from gpu_check_times import (against, clocks, differences, f32, f32_specialised, f32_tiles, honest, invariant, seal_cost,
                             steady)
from gpu_check_verdicts import bits, company, sanitized, semantics, soak, sums, tricks, tricks_on_time, verdicts
from gpu_checker import ENDING, Checker, say

SCHEMA = 1

# Name, seconds that it may need, function; the most telling ones first.
PARTS = (("verdicts", 290, verdicts), ("semantics", 60, semantics), ("company", 300, company), ("bits", 330, bits),
         ("sums", 300, sums), ("f32", 170, f32),
         ("f32_specialised", 190, f32_specialised), ("clocks", 60, clocks), ("steady", 110, steady),
         ("tricks_on_time", 350, tricks_on_time), ("differences", 130, differences), ("against", 365, against),
         ("invariant", 240, invariant), ("seal_cost", 120, seal_cost), ("f32_tiles", 150, f32_tiles), ("sanitized", 200, sanitized),
         ("tricks", 190, tricks), ("soak", 200, soak), ("honest", 120, honest))


def run_part(checker, name, function):
    """Keeps what came out; a part of which something is missing has other files, and is done again."""
    began = time.monotonic()
    with open(checker.folder / f"{name}.txt", "w", encoding="utf-8") as checker.log:
        try:
            outcome = function(checker)
        except measured.MISFITS as error:  # the parts after this one are worth their time
            outcome = {"figures": {}, "failed": [f"{type(error).__name__}: {' '.join(str(error).split())}"], "missing": []}
    outcome |= {"schema_version": SCHEMA, "seconds": round(time.monotonic() - began)}
    target = checker.folder / (f"{name}.partial.json" if outcome["missing"] else f"{name}.json")
    (checker.folder / f"{name}.partial.json").unlink(missing_ok=True)
    target.write_text(json.dumps(outcome, indent=2) + "\n")
    say(f"{name}: {line_of(outcome)}")
    return outcome


def named(items):
    """The first three of many."""
    return "; ".join(items[:3]) + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def line_of(outcome):
    parts = [", ".join(f"{name}: {value}" for name, value in outcome["figures"].items())]
    parts += [f"failed: {named(outcome['failed'])}"] if outcome["failed"] else []
    parts += [f"missing: {named(outcome['missing'])}"] if outcome["missing"] else []
    return " | ".join(part for part in parts if part)


def run(program, folder, seconds, *only):
    unknown = set(only) - {name for name, _, _ in PARTS}
    if unknown:
        say(f"no part {min(unknown)}: there are {' '.join(name for name, _, _ in PARTS)}")
        return 2
    checker = Checker(program, folder, int(seconds))
    checker.folder.mkdir(parents=True, exist_ok=True)
    asked = [part for part in PARTS if part[0] in only or (not only and (part[0] != "against" or "AGAINST" in os.environ))]
    good = True
    for name, needs, function in asked:
        if (checker.folder / f"{name}.json").exists():
            continue
        if checker.left() < min(needs, int(seconds) - ENDING):
            say(f"{name} is left for another call: it may need {needs} s, {checker.left():.0f} are left")
            good = False
            continue
        outcome = run_part(checker, name, function)
        good = good and not outcome["failed"] and not outcome["missing"]
    return 0 if good else 1


def report(folder):
    print("| Part | What came out |\n|---|---|")
    for name, _, function in PARTS:
        files = [pathlib.Path(folder) / f"{name}{kind}.json" for kind in ("", ".partial")]
        there = [file for file in files if file.exists()]
        outcome = json.loads(there[0].read_text()) if there else None
        print(f"| {name}: {function.__doc__} | {line_of(outcome) if outcome else 'not run'} |")
        for kernel, figures in (outcome or {}).get("kernels", {}).items():
            off = "{:+.1f}, {:+.1f}, {:+.1f}".format(*figures["off_us"])
            print(f"| {kernel}, {figures['span_us']} us | {figures['confirmed']} of {figures['runs']} confirmed, {figures['near']} near; "
                  f"host-side time less span: {off} us (least, median, most) |")
    return 0


def parts():
    for name, seconds, function in PARTS:
        print(f"{name:16}{seconds:4} s  {function.__doc__}")
    return 0


if __name__ == "__main__":
    sys.exit(measured.told({"run": run, "report": report, "parts": parts}[sys.argv[1]], *sys.argv[2:]))
