"""The experiments of the cuCOSMA thesis, chapter 4, one call of gemmjudge each.

usage: cosma_measure.py GEMMJUDGE OUT.json SECONDS TUNE [EXPERIMENT...]

A schedule is a solution of a few lines: its constants, and cosma.cu. So several are timed in
alternation, with the libraries. OUT.json is complete after every experiment, with what pages show
of a report (data_file.py), one experiment a line.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import data_file

SCHEMA_VERSION = 2
SOURCE = pathlib.Path("solutions/sgemm")
WORK = pathlib.Path(os.environ.get("BUILD", "build")) / "cosma"
ENDING = 20        # seconds that an interrupted gemmjudge may take to end
COMPILING = 15     # seconds; files are compiled side by side
USUAL_SIZE = 32768  # larger ones are asked for by name

FAMILIES = {  # table 4.3; ten w of each, as far as its operands and their references fit
    "square": (lambda w: (w, w, w), (32, 64, 128, 256, 384, 512, 1024, 2048, 4096, 8192)),
    "large_n": (lambda w: (w, w * w, w), (16, 24, 32, 48, 64, 96, 128, 192, 256, 512)),
    "large_k": (lambda w: (w, w, w * w), (16, 24, 32, 48, 64, 96, 128, 192, 256, 512)),
    "flat": (lambda w: (w * w, w * w, w), (8, 12, 16, 24, 32, 48, 64, 80, 96, 128)),
}

# Section 4.2.4, with the schedules that figures 4.14 to 4.16 name. The text of 4.16 has the sides
# of the thread's tile the wrong way round (8 rows of a warp's 4). What it has for 4.17 is no warp.
SPECIAL = {
    (128, 128, 128): {"BLOCK_M": 16, "BLOCK_N": 32, "WARP_M": 8, "WARP_N": 16, "THREAD_M": 2, "THREAD_N": 2,
                      "SPLIT_K": 4, "SWIZZLE": 1},
    (4, 8, 3000000): {"BLOCK_M": 4, "BLOCK_N": 8, "WARP_M": 4, "WARP_N": 8, "THREAD_M": 1, "THREAD_N": 1,
                      "SPLIT_K": 320, "SWIZZLE": 1},
    (4, 3000000, 4): {"BLOCK_M": 4, "BLOCK_N": 256, "WARP_M": 4, "WARP_N": 256, "THREAD_M": 4, "THREAD_N": 8,
                      "LOAD_K": 2, "LOAD_A": 2, "SWIZZLE": 1},
    (38416, 38416, 4): None,
}

# Listing 4.1 is cosma.cu's defaults; figures 4.1 and A.1.
SWIZZLES = {(8192, 8192, 8192): range(1, 17), (16384, 16384, 16384): (1, 2, 4, 8, 16)}
# Where every schedule of a part of the space is measured, to tell what the rankings and the search are
# worth: all of it would be 60 to 350 thousand. The part has what decides most, tiles and splits, and
# leaves alone what decides little by the models: of the rest the usual value. Shapes of each family,
# for which it has 25 to 222.
EXHAUSTIVE = {(128, 128, 128), (64, 4096, 64), (64, 64, 4096), (1024, 1024, 32), (256, 256, 256), (32, 1024, 32),
              (32, 32, 1024), (128, 16384, 128), (4096, 4096, 64), (2048, 2048, 2048)}
EXHAUSTIVE_SECONDS = 140  # 55% of them for the first passes
PART_CANDIDATES = {"BLOCK_M": "128 8 16 32 64 256", "BLOCK_N": "128 8 16 32 64 256", "LOAD_K": "8 16", "WARP_M": "32 8 16 64",
                   "WARP_N": "64 8 16 32", "THREAD_M": "8 1 2 4", "THREAD_N": "8 1 2 4", "SWIZZLE": "4 1", "DOUBLE_BUFFER": "1",
                   "OCCUPANCY": "2 1"}
PART_CONSTRAINTS = (
    "SWIZZLE == (ceil_div(M, BLOCK_M) >= 4 ? 4 : 1)",
    "OCCUPANCY == (THREADS * REGISTERS * 2 <= 65536 ? 2 : 1)",
    "LOAD_K == (BLOCK_M * BLOCK_N >= 16384 ? 8 : 16)",
    "max(WARP_M / THREAD_M, WARP_N / THREAD_N) == 8",
    "BLOCK_M * BLOCK_N >= 1024 || M * N <= 65536",
    "THREAD_M * THREAD_N == (BLOCK_M * BLOCK_N >= 8192 ? 64 : BLOCK_M * BLOCK_N >= 1024 ? 16 : BLOCK_M * BLOCK_N / 64)",
    "SPLIT_K == 1 || TILES * SPLIT_K * 5 >= gpu_multiprocessors && TILES * SPLIT_K <= gpu_multiprocessors * 2",
)
EXPERIMENTS = ("special", *FAMILIES, "sigmoid", "swizzle")
SIGMOID = ((8192, 8192, 8192), (8192, 8192, 1024), (1024, 1024, 1024), (128, 128, 128))  # figures 4.5, 4.6


def experiments():
    """(name, w or None, shape, seconds of timing), the most telling ones first."""
    yield from (("special", None, shape, 5) for shape in SPECIAL)
    for i in range(max(len(ws) for _, ws in FAMILIES.values())):
        for name, (sizes, ws) in FAMILIES.items():
            if i < len(ws):
                yield name, ws[i], sizes(ws[i]), 3
    yield from (("sigmoid", None, shape, 4) for shape in SIGMOID)
    yield from (("swizzle", None, shape, 10) for shape in SWIZZLES)


class LeftOut(Exception):
    """Why an experiment has no figures."""

    def __init__(self, why, status=1):
        super().__init__(why)
        self.status = status  # of gemmjudge: 3 where it cannot run


def timed(found):
    """The trials that have a time."""
    return [trial for trial in found["measured"].get("trials", []) if trial["outcome"] == "measured"]


def times(found):
    """Of every schedule that was measured: its time, its places in the orders, its constants. For models."""
    return [[data_file.rounded(t["median_us"], 4), t["rank"].get("model"), t["rank"].get("thesis"), *t["constants"].values()] for t in timed(found)]


def best_of(found):
    """The fastest schedule, where it is right."""
    best = found.get("measured", {}).get("best")
    if best is None or not best["right"]:
        raise LeftOut("no schedule was measured and right")
    return best


def say(text):
    print("tools/cosma: " + text, file=sys.stderr)


def end(child):
    child.send_signal(signal.SIGINT)
    try:
        child.wait(ENDING - 2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


class Session:
    def __init__(self, program, out, seconds, tune_seconds):
        self.program, self.out, self.tune_seconds = program, pathlib.Path(out), tune_seconds
        self.end = time.monotonic() + seconds
        self.folder = WORK / "sgemm"  # tells the problem
        sources = [SOURCE / "cosma.cu", *sorted(SOURCE.glob("*.cuh"))]
        self.folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copy(source, self.folder)
        self.result = {"schema_version": SCHEMA_VERSION, "command": "tools/cosma measure OUT.json", "device": None,
                       "content": hashlib.sha256(b"".join(s.read_bytes() for s in sources)).hexdigest(),
                       "runs": [], "left_out": []}
        if self.out.exists():
            self.go_on(json.loads(self.out.read_text()))
        self.part = self.out.with_name(self.out.name + ".part")
        self.part.touch()  # fails before anything was measured
        self.part.unlink()

    def go_on(self, before):
        if before.get("schema_version") != SCHEMA_VERSION or "content" not in before:
            sys.exit(f"tools/cosma: {self.out} is no result of tools/cosma measure: name another file")
        if before["content"] != self.result["content"]:
            sys.exit(f"tools/cosma: {self.out} was measured with another cosma.cu: name another file")
        self.result = before | {"left_out": []}

    def left(self):
        return self.end - time.monotonic()

    def save(self):
        facts = [f" {json.dumps(name)}: " + (data_file.listed(value, "  ") if isinstance(value, list) else json.dumps(value))
                 for name, value in self.result.items()]
        self.part.write_text("{\n" + ",\n".join(facts) + "\n}\n")
        os.replace(self.part, self.out)

    # ---- gemmjudge ---------------------------------------------------------------------

    def call(self, arguments, shape):
        """The JSON that gemmjudge wrote. Interrupts it where time ends."""
        json_file = WORK / "one.json"
        json_file.unlink(missing_ok=True)
        large = ["--large-sizes"] if max(shape) > USUAL_SIZE else []
        command = [self.program, *arguments, "--shape", "x".join(map(str, shape)), *large, "--device", "cuda",
                   "--json", str(json_file)]
        errors = WORK / "one.err"  # a file: what outlives gemmjudge holds no pipe of ours open
        with errors.open("w") as err:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        try:
            child.wait(max(self.left() - ENDING, 1))
        except subprocess.TimeoutExpired:
            end(child)
            raise LeftOut("no time was left") from None
        except KeyboardInterrupt:
            end(child)
            raise
        if not json_file.exists():
            said = errors.read_text(errors="replace").strip().splitlines() or [f"exit status {child.returncode}"]
            raise LeftOut(said[-1].removeprefix("gemmjudge: "), child.returncode)
        found = json.loads(json_file.read_text())
        if found.get("interrupted"):
            raise LeftOut("it was interrupted")
        return found

    def tune(self, shape, options, budget, source=SOURCE / "cosma.cu"):
        how = ["--time-limit", str(budget)] if budget else ["--model-only"]
        found = self.call(["tune", str(source), *options, *how], shape)
        if "error" in found["shapes"][0]:
            raise LeftOut(found["shapes"][0]["error"])
        return found

    def rank(self, shape, options):
        """Nothing can be measured where not even this finds its device."""
        try:
            return self.tune(shape, options, 0)
        except LeftOut as why:
            if why.status == 3:
                raise OSError(str(why)) from None
            raise

    def narrowed(self):
        """cosma.cu with the part of its space that is searched exhaustively."""
        text = (self.folder / "cosma.cu").read_text()
        for name, candidates in PART_CANDIDATES.items():
            text, count = re.subn(rf"(?m)^(// tune {name} = \d+) : .*$", rf"\1 : {candidates}", text)
            if count != 1:
                raise LeftOut(f"cosma.cu declares no {name}")
        before = "// tune role block_m"
        text = text.replace(before, "".join(f"// tune where {line}\n" for line in PART_CONSTRAINTS) + before, 1)
        path = self.folder / "part.cu"
        path.write_text(text)
        return path

    def exhaust(self, shape):
        """The fastest of all schedules of that part, and what each order's first ten reach of it."""
        seconds = min(EXHAUSTIVE_SECONDS, int(self.left()) - 3 * ENDING)
        if seconds < ENDING:
            raise LeftOut("no time was left")
        found = self.tune(shape, ("--exhaustive",), seconds, self.narrowed())["shapes"][0]
        best, trials = best_of(found), timed(found)
        fastest = min(trial["median_us"] for trial in trials)
        facts = {"schedules": found["schedules"], "measured": len(trials), "times": times(found), "orders": {}}
        for order in ("model", "thesis"):
            first = [trial["median_us"] for trial in trials if trial["rank"][order] <= 10]
            facts["orders"][order] = {"best": best["rank"][order], "first_ten_reach": fastest / min(first) if first else 0.0}
        return best["constants"], facts

    def schedules(self, shape, options=()):
        """Constants by who chose them, and what tuning said of them: the one place that knows
        how schedules are asked for."""
        found = self.rank(shape, options)
        at = found["shapes"][0]
        chosen = {"defaults": found["defaults"]}
        if "thesis_first" in at:
            chosen["thesis"] = at["thesis_first"]["constants"]
        if "model" in at["ranked"][0]:
            chosen["model"] = at["ranked"][0]["constants"]
        facts = {}
        if self.tune_seconds:
            try:
                at = self.tune(shape, options, self.tune_seconds)["shapes"][0]
                best = best_of(at)
                chosen["tuned"] = best["constants"]
                facts = {"schedules": at["schedules"], "budget": self.tune_seconds, "tried": at["measured"]["tried"],
                         "times": times(at), **best["rank"]}
            except LeftOut as why:
                facts = {"error": str(why)}
                say(f"not tuned: {why}")
        return chosen, facts

    def files(self, chosen):
        """Writes each schedule as a solution; labels by name, and paths, each once."""
        labels = {}
        for name, constants in chosen.items():
            labels[name] = "s" + "_".join(str(value) for value in constants.values()) + ".cu"
            lines = [f"#define {constant} {value}" for constant, value in constants.items()]
            (self.folder / labels[name]).write_text("\n".join(lines + ['#include "cosma.cu"', ""]))
        return labels, [str(self.folder / label) for label in dict.fromkeys(labels.values())]

    # ---- experiments -------------------------------------------------------------------

    def chosen(self, name, shape):
        if name == "swizzle":
            defaults = self.rank(shape, ())["defaults"]
            return {f"swizzle {s}": defaults | {"SWIZZLE": s} for s in SWIZZLES[shape]}, {}
        chosen, facts = self.schedules(shape, ("--epilogue", "sigmoid") if name == "sigmoid" else ())
        if SPECIAL.get(shape) and name == "special":
            chosen["figure"] = chosen["defaults"] | SPECIAL[shape]
        split = next((chosen[by] for by in ("thesis", "model", "tuned") if chosen.get(by, {}).get("SPLIT_K", 1) > 1), None)
        if name in FAMILIES and self.tune_seconds and shape in EXHAUSTIVE:
            try:
                chosen["exhaustive"], facts["exhaustive"] = self.exhaust(shape)
            except LeftOut as why:
                facts["exhaustive"] = {"error": str(why)}
                say(f"not searched exhaustively: {why}")
        if name == "large_k" and split:
            chosen["atomics"] = split | {"SPLIT_ATOMICS": 1}
            chosen["reduction"] = split | {"SPLIT_ATOMICS": 0}
        return chosen, facts

    def measure(self, name, w, shape, budget):
        chosen, facts = self.chosen(name, shape)
        bounds = {}
        if name == "special":  # what no call can take less than, whoever wrote it
            bounds = {"bounds": self.call(["explain", str(SOURCE / "cosma.cu")], shape)["bounds"]}
        labels, paths = self.files(chosen)
        command = ["compare", "--epilogue", "sigmoid"] if name == "sigmoid" else ["bench"]
        found = self.call([*command, *paths, "--budget", str(budget)], shape)
        if not found.get("bench"):
            raise LeftOut("gemmjudge timed nothing")
        bench = data_file.compact_run(found, "x".join(map(str, shape)))
        device = bench["gpu"]["name"]
        if self.result["device"] not in (None, device):
            sys.exit(f"tools/cosma: {self.out} was measured on {self.result['device']}, not on {device}: name another file")
        self.result["device"] = device
        self.result["runs"].append({"experiment": name, "w": w, "shape": "x".join(map(str, shape)), "labels": labels,
                                    "chosen": chosen, "tune": facts, "bench": bench, **bounds})

    def run(self, wanted):
        done = {(run["experiment"], run["shape"]) for run in self.result["runs"]}
        for name, w, shape, budget in experiments():
            title = "x".join(map(str, shape))
            if (name, title) in done or name not in wanted:
                continue
            try:
                if self.left() < budget + self.tune_seconds + COMPILING + ENDING:
                    raise LeftOut("no time was left")
                say(f"{name} {title}, {self.left():.0f} s are left")
                self.measure(name, w, shape, budget)
            except LeftOut as why:
                say(f"{name} {title} is left out: {why}")
                self.result["left_out"].append({"experiment": name, "shape": title, "why": str(why)})
            self.save()
        say(f"{len(self.result['runs'])} experiments are in {self.out}, {len(self.result['left_out'])} are not")
        return 1 if self.result["left_out"] else 0


def main(program, out, seconds, tune_seconds, *wanted):
    unknown = [name for name in wanted if name not in EXPERIMENTS]
    if unknown:
        say(f"no experiment {unknown[0]}: there are {' '.join(EXPERIMENTS)}")
        return 2
    try:
        return Session(program, out, int(seconds), int(tune_seconds)).run(wanted or EXPERIMENTS)
    except KeyboardInterrupt:
        say(f"interrupted: what was measured before is in {out}")
        return 130
    except ValueError as error:
        say(f"{out} cannot be read: {error}")
        return 3
    except OSError as error:
        say(str(error))
        return 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
