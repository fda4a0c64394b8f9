"""What only a GPU can show of the judge: the parts of tools/gpu-check.

usage: gpu_check.py run GEMMJUDGE OUTDIR SECONDS [PART...] | report OUTDIR | parts
"""

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import measured

SCHEMA = 1
TESTS = pathlib.Path("harness/tests")
SOLUTIONS = pathlib.Path("solutions")
ENDING = 15      # seconds that a part may need to end when its time is up
SKIPPED = 77     # the exit status of a test that cannot be done here

# Kernels from 20 us to 27 ms, of all kinds, each at the shape that takes it so long on an H200.
HONEST = (("gemm_bf16/09_swizzled_three_level", "1024x1024x1024"), ("batched_f32/02_multistage", "32x256x256x256"),
          ("gemm_f16/04_double_buffer", "1024x1024x1024"), ("sgemm/12_multistage", "1024x1024x1024"),
          ("gemm_f16/06_any_size", "2048x2048x2048"), ("gemm_s8/02_wgmma", "8192x4096x2048"),
          ("gemm_f16/hopper", "4096x4096x4096"), ("gemv/04_rows_a_thread", "16384x16384"),
          ("gemm_bf16/08_swizzled", "4096x4096x4096"), ("apsp/03_blocked", "2048"),
          ("sgemm/12_multistage", "4096x4096x4096"), ("gemm_f16/01_naive", "4096x4096x4096"))
ROUNDS = 100     # that the figures of the part `honest` are meant for
LONGER = ("gemv/03_warp_a_row", "gemm_f16/06_any_size")  # whose judgement is timed with sealed calls and without
REPEATS = 10     # pairs of measurements for `diff`
F32 = ("sgemm/ffma", "sgemm/tensor", "sgemm/12_multistage")
TILE_SHAPES = ("4096x4096x4096", "2048x2048x2048", "1024x1024x1024", "512x512x512", "3001x1001x517", "333x2777x1999", "69x951x3596",
               "4000x40x300", "40x4000x300", "130x130x4000", "3900x3900x64", "16x4096x4096")
HEADLINES = ("1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "4095x4093x4091", "1023x1023x1023",
             "8192x8192x1024", "4096x4096x1024")
CUBES = ("512", "1024", "2048", "4096", "8192")
SANITIZED = ("sgemm/ffma", "sgemm/tensor", "gemm_f16/hopper")
SOAKS = 5        # at once, of 40 judgements each

# Follows a solution whose solve() was renamed: the same, and 3% slower where that takes 100 us.
SLOWER = """
#undef solve
static __global__ void spin(long long clocks)
{
	for (long long start = clock64(); clock64() - start < clocks;)
		;
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
	fast_solve(A, B, C, M, N, K, alpha, beta);
	spin<<<1, 1>>>(3600);
}
"""


class Checker:
    """One call: the program, where results go, and when it must be over."""

    def __init__(self, program, folder, seconds):
        self.program, self.folder, self.end = program, pathlib.Path(folder), time.monotonic() + seconds
        self.device = os.environ.get("DEVICE", "cuda")
        self.build = pathlib.Path(os.environ.get("BUILD", "build"))
        self.log = None
        cache = {} if os.environ.get("GEMMJUDGE_CACHE") else {"GEMMJUDGE_CACHE": os.path.abspath(self.build / "gpu-check")}
        self.environment = os.environ | {"GEMMJUDGE_STORE": "none", "GEMMJUDGE_TEST_DEVICE": self.device} | cache

    def left(self):
        return self.end - time.monotonic()

    def run(self, command, seconds, **environment):
        """(exit status, output) of a program, which is ended with all that it started when its time is up."""
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=self.environment | environment, start_new_session=True) as child:
            try:
                output = child.communicate(timeout=max(1, min(seconds, self.left())))[0]
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                output = child.communicate()[0] + "\n(its time was up)\n"
        self.log.write(f"#### {' '.join(map(str, command))}: {child.returncode}\n{output}\n")
        return child.returncode, output

    def judge(self, file, *options, seconds=60):
        """(exit status, report) of a judgement."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            status, _ = self.run([self.program, "judge", file, "--device", self.device, "--json", report, "--quiet", *options],
                                 seconds)
            return status, json.loads(report.read_text()) if report.exists() and status in (0, 1) else None

    def compile_ahead(self, files, *options):
        """nvcc takes some seconds a file and one core: all files at once, before any clock runs."""
        jobs = os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda file: self.judge(file, *options, "--cases", "1", "--max-dim", "16", "--time", "none", seconds=120),
                          files))


def say(text):
    print(f"tools/gpu-check: {text}", file=sys.stderr, flush=True)


def own_tmp():
    """What a command begins with that shall have a /tmp of its own. Judges find each other by a file there,
    and wait: tests that measure nothing need not."""
    alone = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs gpu-check /tmp && exec "$@"', "own_tmp"]
    try:
        works = subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    return alone if works else []


def solution(name):
    return SOLUTIONS / (name + ".cu")


# ---- verdicts -------------------------------------------------------------------------


def tests_at_once(checker, tests):
    """The figures of many tests, {name: command}, several of them at a time."""
    alone = own_tmp()
    jobs = max(1, (os.cpu_count() or 1) - 1) if alone else 1

    def status_of(command):
        return checker.run([*alone, *command], 240)[0] if checker.left() > ENDING else None

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        statuses = dict(zip(tests, pool.map(status_of, tests.values())))
    failed = [f"{name}: exit status {status}" for name, status in statuses.items() if status not in (0, SKIPPED, None)]
    untried = [name for name, status in statuses.items() if status is None]
    return {"figures": {"tests": len(tests), "skipped": list(statuses.values()).count(SKIPPED), "failed": len(failed)},
            "failed": failed, "missing": untried}


def wanted(paths):
    """Those whose name has the text in FILES, for trying this script."""
    return sorted(path for path in paths if os.environ.get("FILES", "") in path.name)


def verdicts(checker):
    """Every fixture, shipped solution and program of the tests has its verdict."""
    tests = {}
    for file in wanted(SOLUTIONS.glob("*/*.cu")):
        tests[str(file)] = ["bash", TESTS / "solutions/run_solution", file, checker.program]
    for file in wanted((TESTS / "fixtures").glob("*.cu")):
        tests[str(file)] = ["bash", TESTS / "fixtures/run_fixture", file, checker.program]
    for what in ("configurations", "calls", "graph"):
        if (checker.build / "tests/hopper_gemm").exists() and not os.environ.get("FILES"):
            tests["hopper_gemm " + what] = ["bash", TESTS / "run_on_gpu", checker.build / "tests/hopper_gemm", what]
    return tests_at_once(checker, tests)


def cheat_command(checker, file):
    return ["bash", TESTS / "cheats/run_cheat", file, checker.program, checker.build / "tests/naive_judge"]


def tricks(checker):
    """Every trick that does not aim at times is refused, and works without the defence."""
    files = [file for file in wanted((TESTS / "cheats").glob("*.cu")) if not file.name.startswith("time_")]
    return tests_at_once(checker, {str(file): cheat_command(checker, file) for file in files})


def tricks_on_time(checker):
    """Every trick against time is refused, not confirmed, or shown with its true time."""
    failed, missing, skipped, shown = [], [], 0, {}
    files = wanted((TESTS / "cheats").glob("time_*.cu"))
    for file in files:
        if checker.left() < ENDING + 20:
            missing.append(str(file))
            continue
        status, output = checker.run(cheat_command(checker, file), 90)
        shown[file.stem] = re.findall(r"^(?:SHOWN|FAILED|NOT TRIED|honest|trick)\b.*", output, re.MULTILINE)
        skipped += status == SKIPPED
        if status not in (0, SKIPPED):
            failed.append(f"{file}: {'; '.join(shown[file.stem])}")
    return {"figures": {"tricks": len(files), "skipped": skipped, "failed": len(failed)}, "shown": shown, "failed": failed,
            "missing": missing}


def soak(checker):
    """Judgements of files drawn at random, with processes killed: right verdicts, and nothing left."""
    def one(number):
        folder = checker.build / f"tests/soak-{number}"
        return checker.run(["bash", TESTS / "robust/soak", checker.program, "--judgements", 40, "--seed", 1000 * number + os.getpid(),
                            "--seconds", int(checker.left() - 4 * ENDING), "--device", checker.device.rstrip("0123456789:")],
                           checker.left() - ENDING, GEMMJUDGE_CACHE=os.path.abspath(folder))

    with concurrent.futures.ThreadPoolExecutor(SOAKS) as pool:
        outcomes = list(pool.map(one, range(SOAKS)))
    judged = sum(len(re.findall(r"^\d+ \S+\.cu: ", output, re.MULTILINE)) for _, output in outcomes)
    failed = [line for _, output in outcomes for line in re.findall(r"^FAILED: .*", output, re.MULTILINE)]
    failed += [f"soak {number}: exit status {status}" for number, (status, _) in enumerate(outcomes) if status != 0]
    missing = [] if judged >= 40 * SOAKS else [f"{40 * SOAKS - judged} judgements"]
    return {"figures": {"judgements": judged, "failed": len(failed)}, "failed": failed, "missing": missing}


def sanitized(checker):
    """Twenty small cases under each of compute-sanitizer's memcheck and racecheck."""
    failed, checks = [], 0
    for name in SANITIZED:
        for check in ("memcheck", "racecheck"):
            if checker.left() < ENDING + 60:
                return {"figures": {"checks": checks, "failed": len(failed)}, "failed": failed, "missing": [f"{name} {check}"]}
            status, _ = checker.judge(solution(name), "--sanitize", check, "--cases", "20", "--max-dim", "160", "--time", "none",
                                      "--timeout", "100", seconds=150)
            checks += 1
            if status != 0:
                failed.append(f"{name}: {check}, exit status {status}")
    return {"figures": {"checks": checks, "failed": len(failed)}, "failed": failed, "missing": []}


# ---- times ----------------------------------------------------------------------------


def timed_file(report):
    """The file's entry in the timing of a report."""
    return next(entry for entry in report["results"][0]["timing"]["entries"] if entry["role"] == "file")


def honest(checker):
    """How often sealed calls confirm honest times, and how far the time from outside is off."""
    rounds = checker.folder / "honest.jsonl"
    checker.compile_ahead({solution(name) for name, _ in HONEST})
    with open(rounds, "a", encoding="utf-8") as out:
        while checker.left() > ENDING + 45:
            for name, shape in HONEST:
                if checker.left() < ENDING + 8:
                    break
                status, report = checker.judge(solution(name), "--cases", "1", "--max-dim", "16", "--time", shape)
                row = {"kernel": name, "shape": shape, "status": status}
                if report and report["results"][0]["timing"]:
                    entry = timed_file(report)
                    row |= {"gpu": report["device"]["name"], "span": entry["microseconds"], "sealed": entry["sealed"]}
                out.write(json.dumps(row) + "\n")
                out.flush()
    rows = [json.loads(line) for line in rounds.read_text().splitlines()]
    return honest_figures(rows)


def honest_figures(rows):
    kernels, failed, runs = {}, [], []
    for name, shape in HONEST:
        mine = [row for row in rows if (row["kernel"], row["shape"]) == (name, shape)]
        timed = [row for row in mine if row.get("sealed", {}).get("outside")]
        failed += [f"{name}: exit status {row['status']}" for row in mine if row["status"] != 0]
        if not timed:
            continue
        runs.append(len(mine))
        spans = [row["span"] for row in timed]
        off = [row["sealed"]["outside"] - row["span"] for row in timed]
        near = [abs(o) <= max(5, 0.03 * span) for o, span in zip(off, spans)]
        kernels[f"{name} {shape}"] = {
            "runs": len(mine), "span_us": round(statistics.median(spans), 1),
            "confirmed": sum(row["sealed"]["state"] == "confirmed" for row in timed),
            "near": sum(near), "off_us": [round(value, 1) for value in (min(off), statistics.median(off), max(off))]}
    total = sum(runs)
    confirmed = sum(kernel["confirmed"] for kernel in kernels.values())
    near = sum(kernel["near"] for kernel in kernels.values())
    figures = {"runs": total, "confirmed": confirmed, "within 5 us or 3%": near}
    if confirmed < 0.95 * total:
        failed.append(f"{confirmed} of {total} runs are confirmed, not 95%")
    return {"figures": figures, "kernels": kernels, "failed": failed,
            "missing": [] if kernels and min(runs) >= ROUNDS else [f"rounds: {min(runs, default=0)} of {ROUNDS} were made"]}


def seal_cost(checker):
    """How much longer a judgement with sealed calls takes, and whether the median moves."""
    figures, failed = {}, []
    checker.compile_ahead([solution(name) for name in LONGER])
    for name in LONGER:
        seconds, medians = {True: [], False: []}, {True: [], False: []}
        for turn in range(10):
            with_seal = turn % 2 == 0
            began = time.monotonic()
            _, report = checker.judge(solution(name), *([] if with_seal else ["--without", "sealed"]))
            seconds[with_seal].append(time.monotonic() - began)
            if report and report["results"][0]["timing"]:
                medians[with_seal].append(timed_file(report)["microseconds"])
        longer = statistics.median(seconds[True]) / statistics.median(seconds[False])
        moved = statistics.median(medians[True]) / statistics.median(medians[False]) - 1
        figures |= {f"{name}: times as long": round(longer, 2), f"{name}: median moves, %": round(100 * moved, 2)}
        if longer > 1.5:
            failed.append(f"{name}: {longer:.2f} times as long, not 1.5")
    return {"figures": figures, "failed": failed, "missing": []}


def slower_twin(folder):
    """A solution of 100 us, and the same 3% slower."""
    text = solution("gemm_f16/06_any_size").read_text()
    fast, slow = folder / "fast.cu", folder / "slow.cu"
    includes = ["--nvcc-flag", "-I" + os.path.abspath(SOLUTIONS / "gemm_f16")]
    fast.write_text(text)
    slow.write_text("#define solve fast_solve\n" + text + SLOWER)
    return fast, slow, includes


def differences(checker):
    """`diff` finds no difference between two measurements of one file, and a slow-down of 3%."""
    same = found = pairs = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        fast, slow, includes = slower_twin(folder)
        options = ["--problem", "gemm-f16", "--time", "2048x2048x2048", "--cases", "1", "--max-dim", "16", "--without", "compiler",
                   *includes]
        for number in range(REPEATS):
            if checker.left() < ENDING + 15:
                break
            for name, file in (("a", fast), ("b", fast), ("c", slow)):
                status, report = checker.judge(file, *options)
                if report is None:
                    return {"figures": {}, "failed": [f"{file.name}: exit status {status}"], "missing": []}
                (folder / f"{name}.json").write_text(json.dumps(report))
            pairs += 1
            same += checker.run([checker.program, "diff", folder / "a.json", folder / "b.json"], 10)[0] == 0
            found += checker.run([checker.program, "diff", folder / "a.json", folder / "c.json"], 10)[0] == 1
            say(f"diff: pair {number + 1}, {same} the same, {found} slower")
    failed = [f"{what}: {count} of {pairs}" for what, count in (("no difference", same), ("3% slower", found)) if count < 0.9 * pairs]
    return {"figures": {"pairs": pairs, "no difference": same, "3% found": found}, "failed": failed,
            "missing": [] if pairs == REPEATS else [f"{REPEATS - pairs} pairs"]}


def bench(checker, name, files, *options):
    """The report of a bench, which is kept beside the part's own files."""
    kept = checker.folder / f"{name}.report.json"
    kept.unlink(missing_ok=True)
    checker.run([checker.program, "bench", *files, "--device", checker.device, "--json", kept, *options], checker.left() - ENDING)
    return json.loads(kept.read_text()) if kept.exists() else None


def f32(checker):
    """What the f32 solutions reach of the fastest library: shapes of their own, and 200 drawn ones."""
    files = [solution(name) for name in F32]
    checker.compile_ahead(files)
    figures, failed = {}, []
    shapes = [word for size in CUBES for word in ("--shape", "x".join([size] * 3))] + ["--shape", "8192x6144x4096"]
    squares = bench(checker, "f32_shapes", files, *shapes)
    for timing in squares["bench"] if squares else []:
        size = "x".join(str(timing["case"][key]) for key in "mnk")
        figures[size] = " ".join(f"{entry['label']} {entry['ratio_to_fastest_library'] or 0:.3f}" for entry in timing["entries"]
                                 if entry["role"] == "file")
    drawn = bench(checker, "f32_drawn", files, "--cases", "200", "--sizes", "uniform", "--budget", "0.5")
    if drawn is None or squares is None:
        failed.append("bench gave no report (see the part's text)")
    for overall in drawn["overall"] if drawn else []:
        figures[f"{overall['label']}: mean of drawn shapes"] = round(overall["geometric_mean"], 3)
        figures[f"{overall['label']}: worst of them"] = round(overall["worst"], 3)
    return {"figures": figures, "failed": failed, "missing": []}


def ffma_tiles():
    """(number, split) of every kernel in the table of sgemm/ffma.cuh."""
    lines = re.findall(r"^\tTILE\(([\d, ]+)\)", (SOLUTIONS / "sgemm/ffma.cuh").read_text(), re.MULTILINE)
    fields = [[int(field) for field in line.split(", ")] for line in lines]
    most = [line[8] if len(line) == 10 else 1 for line in fields]  # those for TMA are not split
    return [(number, split) for number, limit in enumerate(most) for split in (1, 2, 4, 8) if split <= limit]


def f32_tiles(checker):
    """The time of each tile and split of ffma.cu by itself, to choose them by: the report has all."""
    with tempfile.TemporaryDirectory() as place:
        files = []
        for number, split in ffma_tiles():
            file = pathlib.Path(place) / f"tile_{number}_split_{split}.cu"
            file.write_text(f"#define FFMA_TILE {number}\n#define FFMA_SPLIT {split}\n"
                            f'#include "{os.path.abspath(solution("sgemm/ffma"))}"\n')
            files.append(file)
        options = ["--problem", "sgemm", "--without", "compiler"]
        checker.compile_ahead(files, *options)
        shapes = [word for shape in TILE_SHAPES for word in ("--shape", shape)]
        report = bench(checker, "f32_tiles", files, *options, *shapes)
    figures = {}
    for timing in report["bench"] if report else []:
        ran = [entry for entry in timing["entries"] if entry["role"] == "file" and entry["ran"]]
        best = min(ran, key=lambda entry: entry["microseconds"], default=None)
        if best:
            figures["x".join(str(timing["case"][key]) for key in "mnk")] = f"{best['label']} {best['microseconds']:.1f} us"
    return {"figures": figures, "failed": [] if report else ["bench gave no report (see the part's text)"], "missing": []}


def ratios(report, ours, other):
    """By how much `ours` is faster than `other`, at each shape."""
    out = {}
    for timing in report["bench"] if report else []:
        us = {entry["label"]: entry["microseconds"] for entry in timing["entries"] if entry["ran"] and entry["role"] == "file"}
        if ours in us and other in us:
            out["x".join(str(timing["case"][key]) for key in "mnk")] = us[other] / us[ours]
    return out


def against(checker):
    """hopper.cu beside the older one that $AGAINST names, on three draws and on the shapes of the results page."""
    other = os.environ.get("AGAINST")
    if not other:
        return {"figures": {}, "failed": [], "missing": ["AGAINST=FILE.cu: which one?"]}
    files = [solution("gemm_f16/hopper"), pathlib.Path(os.path.abspath(other))]
    options = ["--problem", "gemm-f16", "--without", "compiler"]
    checker.compile_ahead(files, *options)
    shapes = [word for shape in HEADLINES for word in ("--shape", shape)]
    draws = {"default": ["--cases", "200"], "aligned": ["--cases", "200", "--multiple-of", "8"],
             "uniform": ["--cases", "200", "--sizes", "uniform"], "headlines": shapes}
    figures, failed = {}, []
    for name, draw in draws.items():
        budget = ["--budget", "0.4"] if name != "headlines" else []
        found = ratios(bench(checker, f"against_{name}", files, *options, *draw, *budget), files[0].name, files[1].name)
        if not found:
            failed.append(f"{name}: bench gave no figures (see the part's text)")
            continue
        worst = min(found, key=found.get)
        mean = statistics.geometric_mean(found.values())
        figures[name] = f"{mean:.3f} of {len(found)} shapes, worst {found[worst]:.3f} at {worst}"
        if mean < 0.98 or (name == "headlines" and found[worst] < 0.97):
            failed.append(f"{name}: slower than {files[1].name}")
    return {"figures": figures, "failed": failed, "missing": []}


# ---- the parts --------------------------------------------------------------------------

# Name, seconds that it may need, function; the most telling ones first.
PARTS = (("verdicts", 240, verdicts), ("tricks_on_time", 380, tricks_on_time), ("f32", 260, f32), ("f32_tiles", 150, f32_tiles), ("against", 330, against), ("differences", 130, differences),
         ("seal_cost", 110, seal_cost), ("sanitized", 200, sanitized), ("tricks", 200, tricks), ("soak", 400, soak),
         ("honest", 120, honest))


def run_part(checker, name, function):
    """Keeps what came out; a part of which something is missing has other files, and is done again."""
    began = time.monotonic()
    with open(checker.folder / f"{name}.txt", "w", encoding="utf-8") as checker.log:
        outcome = function(checker)
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
                  f"outside less span: {off} us (least, median, most) |")
    return 0


def parts():
    for name, seconds, function in PARTS:
        print(f"{name:16}{seconds:4} s  {function.__doc__}")
    return 0


if __name__ == "__main__":
    sys.exit(measured.told({"run": run, "report": report, "parts": parts}[sys.argv[1]], *sys.argv[2:]))
