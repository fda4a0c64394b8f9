#!/usr/bin/env python3
"""Makes mutants of honest kernels, has gemmjudge judge them on the emulated GPU, and counts how many it
refuses and how many of its hints name the fault.

usage: mutate.py [--gemmjudge PATH] [--seeds N] [--first-seed N] [--cases N] [--jobs N]
                 [--kernel NAME]... [--operator NAME]... [--verbose] [--check]

kernels/ has the honest kernels, operators.py the faults. A fault that finds no place in a kernel is
skipped and counted. --check fails where a mutant is accepted, a hint misleads, or fewer faults are
named than asked for."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "fixtures"))
from operators import EQUIVALENT, NEUTRAL, OPERATORS, Operator
from true_hints import Run, untrue

HONEST = Operator("honest", [], [])  # the kernel itself, which has to be accepted
KERNELS = Path(__file__).parent / "kernels"
SINGLE_LEAST, DOUBLE_LEAST, REFUSED_LEAST = 85, 60, 99  # percent, with --check


def substitute(text, pattern, replacement, count=0):
    """The text with the edit in it; None where it finds no place."""
    if count >= 0:
        changed, made = re.subn(pattern, replacement, text, count=count)
        return changed if made else None
    found = list(re.finditer(pattern, text))
    return text[:found[-1].start()] + found[-1].expand(replacement) + text[found[-1].end():] if found else None


def with_fault(text, alternatives):
    for edits in alternatives:
        changed = text
        for edit in edits:
            changed = changed and substitute(changed, *edit)
        if changed:
            return changed
    return None


def mutant_of(text, operator):
    """The kernel with the operator's faults in it; None where one of them finds no place."""
    for alternatives in operator.faults:
        text = text and with_fault(text, alternatives)
    return text


def write_mutants(folder, kernels, operators):
    """{kernel: [(operator, file)]}, and how many were skipped."""
    mutants, skipped = {}, 0
    for kernel in kernels:
        text = (KERNELS / f"{kernel}.cu").read_text()
        for operator in [HONEST] + operators:
            changed = mutant_of(text, operator)
            if changed is None or any((kernel, part) in EQUIVALENT for part in operator.name.split("+")):
                skipped += 1
                continue
            path = Path(folder) / f"{kernel}-{operator.name}.cu"
            path.write_text(changed)
            mutants.setdefault(kernel, []).append((operator, path))
    return mutants, skipped


def judge(arguments, folder, kernel, mutants, seed):
    """The judge's results of all mutants of one kernel, in their order."""
    problem = re.search(r"// problem: (\S+)", (KERNELS / f"{kernel}.cu").read_text()).group(1)
    out = Path(folder) / f"{kernel}-{seed}.json"
    command = ["nice", arguments.gemmjudge, "judge", "--problem", problem, "--device", "emu",
               "--time", "none", "--cases", str(arguments.cases), "--seed", str(seed), "--json", str(out)]
    files = [str(path) for _, path in mutants]
    ended = subprocess.run(command + files, capture_output=True, text=True, check=False)
    if not out.exists():
        sys.exit(f"{kernel}: gemmjudge ended with {ended.returncode}: {ended.stderr}")
    results = json.loads(out.read_text())["results"]
    return {Path(result["file"]): result for result in results}


class Tally:
    def __init__(self):
        self.mutants = Counter()
        self.refused = Counter()
        self.named = Counter()
        self.accepted, self.silent, self.misled, self.broken = [], [], [], []

    def add(self, kernel, operator, seed, result):
        where = f"{kernel} {operator.name} seed {seed}"
        if result["verdict"] == "compile_error":
            self.broken.append(f"{where}: {result['detail']}")
            return
        if operator is HONEST:
            if result["verdict"] != "accepted":
                self.broken.append(f"{where}: {result['verdict']}: {result['detail']}")
            return
        self.mutants[operator.name] += 1
        if result["verdict"] == "accepted":
            self.accepted.append(where)
            return
        self.refused[operator.name] += 1
        hints = result["hints"]
        if all(any(re.search(named, hint) for hint in hints) for named in operator.named):
            self.named[operator.name] += 1
        else:
            self.silent.append(f"{where}: {result['detail'][:150]} | " + " | ".join(hints))
        run = Run(result)
        for hint in hints:
            why = untrue(run, hint, lambda said: any(re.search(one, said) for one in operator.named + NEUTRAL))
            self.misled += [f"{where}: {hint}: {why}"] if why else []


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def show_group(title, operators, tally):
    """Prints the rows of a kind, and returns its (refused, named) in percent."""
    print(f"\n| {title} | Mutants | Refused | Named |\n|---|---:|---:|---:|")
    names = [operator.name for operator in operators if tally.mutants[operator.name]]
    for name in names:
        mutants, refused = tally.mutants[name], tally.refused[name]
        print(f"| {name} | {mutants} | {percent(refused, mutants):.0f}% | "
              f"{percent(tally.named[name], refused):.0f}% |")
    mutants, refused, named = (sum(of[name] for name in names)
                               for of in (tally.mutants, tally.refused, tally.named))
    print(f"| all | {mutants} | {percent(refused, mutants):.1f}% | {percent(named, refused):.1f}% |")
    return percent(refused, mutants), percent(named, refused)


def show_list(title, lines):
    if lines:
        print(f"\n{title}:")
    for line in lines:
        print("  " + line)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gemmjudge", default="build/gemmjudge")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kernel", action="append")
    parser.add_argument("--operator", action="append")
    parser.add_argument("--verbose", action="store_true", help="say which faults no hint names")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    os.environ["GEMMJUDGE_STORE"] = "none"
    kernels = arguments.kernel or sorted(path.stem for path in KERNELS.glob("*.cu"))
    operators = [one for one in OPERATORS if not arguments.operator or one.name in arguments.operator]
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        mutants, skipped = write_mutants(folder, kernels, operators)
        seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
        runs = [(kernel, seed, pool.submit(judge, arguments, folder, kernel, mutants[kernel], seed))
                for seed in seeds for kernel in mutants]
        for kernel, seed, run in runs:
            results = run.result()
            for operator, path in mutants[kernel]:
                tally.add(kernel, operator, seed, results[path])

    print(f"{len(kernels)} kernels, {len(operators)} operators, {arguments.seeds} seeds, {arguments.cases} cases: "
          f"{sum(map(len, mutants.values())) - len(kernels)} mutants, {skipped} combinations without one")
    single = show_group("Single fault", [one for one in operators if len(one.faults) == 1], tally)
    double = show_group("Two faults", [one for one in operators if len(one.faults) == 2], tally)
    print(f"\nmisled: {len(tally.misled)}")
    show_list("Misled", tally.misled)
    show_list("Accepted", tally.accepted)
    show_list("Do not compile, or honest and refused", tally.broken)
    if arguments.verbose:
        show_list("Refused and not named", tally.silent)
    good = (not tally.misled and not tally.broken and min(single[0], double[0]) >= REFUSED_LEAST and
            single[1] >= SINGLE_LEAST and double[1] >= DOUBLE_LEAST)
    sys.exit(1 if arguments.check and not good else 0)


if __name__ == "__main__":
    main()
