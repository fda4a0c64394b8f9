"""Parts of tools/gpu-check that measure: the judge's own timing, and solutions."""

import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import tempfile
import time

from gpu_checker import ENDING, SOLUTIONS, say, solution

# Kernels from 20 us to 27 ms, of all kinds, each at the shape that takes it so long on an H200.
HONEST = (("gemm_bf16/09_swizzled_three_level", "1024x1024x1024"), ("batched_f32/02_multistage", "32x256x256x256"),
          ("gemm_f16/07_double_buffer", "1024x1024x1024"), ("sgemm/12_multistage", "1024x1024x1024"),
          ("gemm_f16/12_any_size", "2048x2048x2048"), ("gemm_s8/02_wgmma", "8192x4096x2048"),
          ("gemm_f16/hopper", "4096x4096x4096"), ("gemv/04_rows_a_thread", "16384x16384"),
          ("gemm_bf16/08_swizzled", "4096x4096x4096"), ("apsp/03_blocked", "2048"),
          ("sgemm/12_multistage", "4096x4096x4096"), ("gemm_f16/01_naive", "4096x4096x4096"))
ROUNDS = 100  # that the figures of the part `honest` are meant for
LONGER = ("gemv/03_warp_a_row", "gemm_f16/12_any_size")  # whose judgement is timed with sealed calls and without
REPEATS = 10  # pairs of measurements for `diff`
F32 = ("sgemm/ffma", "sgemm/tensor", "sgemm/12_multistage")
TILE_SHAPES = ("4096x4096x4096", "2048x2048x2048", "1024x1024x1024", "512x512x512", "3001x1001x517", "333x2777x1999", "69x951x3596",
               "4000x40x300", "40x4000x300", "130x130x4000", "3900x3900x64", "16x4096x4096")
# Shapes that ffma.cu gives its largest tile: aligned, misaligned, with a short and a long K.
LARGE_TILES = ("2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "4095x4093x4091", "4096x4095x4096", "3001x2999x1999",
               "4096x4096x512", "4095x4095x511", "2048x2046x8192")
HEADLINES = ("1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "4095x4093x4091", "1023x1023x1023",
             "8192x8192x1024", "4096x4096x1024")
CLOCKED = (("sgemm/12_multistage", "float", 4096), ("sgemm/ffma", "float", 4096), ("sgemm/tensor", "float", 4096),
           ("gemm_f16/hopper", "half", 4096), ("gemm_f16/hopper", "half", 512))
CUBES = ("512", "1024", "2048", "4096", "8192")

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


# Follows a solution whose solve() was renamed: it does nothing where the call before was made in the last 60 us, as
# calls of a stream are, and single ones, which are waited for, are not.
HURRIED = """
#undef solve
#include <time.h>

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
	static long long last;
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	long long now = time.tv_sec * 1000000000ll + time.tv_nsec, since = now - last;
	last = now;
	if (since > 60000)
		fast_solve(A, B, C, M, N, K, alpha, beta);
}
"""


def timed_file(report):
    """The file's entry in the timing of a report."""
    return next(entry for entry in report["results"][0]["timing"]["entries"] if entry["role"] == "file")


def honest(checker):
    """How often sealed calls confirm honest times, and how far the host-side time is off."""
    rounds = checker.folder / "honest.jsonl"
    checker.compile_ahead({solution(name) for name, _ in HONEST})
    with open(rounds, "a", encoding="utf-8") as out:
        while checker.left() > ENDING + 45:
            for name, shape in HONEST:
                if checker.left() < ENDING + 8:
                    break
                status, report = checker.judge(solution(name), "--cases", "1", "--max-dim", "16", "--time", shape)
                row = {"kernel": name, "shape": shape, "status": status}
                if report and report["results"][0]["timing"] and timed_file(report)["ran"]:
                    entry = timed_file(report)
                    claim = (entry["span"] or entry["event"])["median_us"]
                    row |= {"gpu": report["device"]["name"], "span": claim, "sealed": entry["sealed"]}
                out.write(json.dumps(row) + "\n")
                out.flush()
    rows = [json.loads(line) for line in rounds.read_text().splitlines()]
    return honest_figures(rows)


def honest_figures(rows):
    kernels, failed, runs = {}, [], []
    for name, shape in HONEST:
        mine = [row for row in rows if (row["kernel"], row["shape"]) == (name, shape)]
        timed = [row for row in mine if row.get("sealed", {}).get("host_side")]
        failed += [f"{name}: exit status {row['status']}" for row in mine if row["status"] != 0]
        if not timed:
            continue
        runs.append(len(mine))
        spans = [row["span"] for row in timed]
        off = [row["sealed"]["host_side"] - row["span"] for row in timed]
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
    text = solution("gemm_f16/12_any_size").read_text()
    fast, slow = folder / "fast.cu", folder / "slow.cu"
    includes = ["--nvcc-flag", "-I" + os.path.abspath(SOLUTIONS / "gemm_f16")]
    fast.write_text(text)
    slow.write_text("#define solve fast_solve\n" + text + SLOWER)
    return fast, slow, includes


def differences(checker):
    """`diff` finds no difference between two measurements of one file, and a slow-down of 3%."""
    same = found = pairs = 0
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
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
            said = checker.run([checker.program, "diff", folder / "a.json", folder / "b.json"], 10)[1]
            same += "no difference beyond noise" in said
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


def cut_short(reports):
    """What is missing of benches, by name, whose time was up."""
    return [f"{name}: its time was up after {len(report['bench'])} cases" for name, report in reports.items()
            if report and report["interrupted"]]


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
    return {"figures": figures, "failed": failed, "missing": cut_short({"shapes": squares, "drawn": drawn})}


def ffma_tiles():
    """(number, split) of every kernel in the table of sgemm/ffma.cuh."""
    table, device = ((SOLUTIONS / "sgemm" / name).read_text() for name in ("ffma.cuh", "ffma_device.cuh"))
    lines = re.findall(r"^\tTILE\(([\d, ]+)\)", table, re.MULTILINE)
    splits = [int(split) for split in re.search(r"FFMA_SPLITS\[\] = {([\d, ]+)}", device)[1].split(", ")]
    most = [int(line.split(", ")[8]) for line in lines]
    return [(number, split) for number, limit in enumerate(most) for split in splits if split <= limit]


def forced(place, name, folder="sgemm", **constants):
    """A file of a solution of that folder with constants that it would choose by itself."""
    file = pathlib.Path(place) / ("_".join([name, *map(str, constants.values())]) + ".cu")
    lines = [f"#define {constant} {value}\n" for constant, value in constants.items()]
    file.write_text("".join(lines) + f'#include "{os.path.abspath(solution(f"{folder}/{name}"))}"\n')
    return file


def f32_tiles(checker):
    """The time of each tile and split of ffma.cu and tensor.cu by itself, to choose them by: the report has all."""
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
        files = [forced(place, "ffma", FFMA_TILE=number, FFMA_SPLIT=split) for number, split in ffma_tiles()]
        files += [forced(place, "tensor", TENSOR_TILE=tile, TENSOR_SPLIT=split) for tile in (64, 128) for split in (1, 2)]
        options = ["--problem", "sgemm", "--without", "compiler"]
        checker.compile_ahead(files, *options)
        shapes = [word for shape in TILE_SHAPES for word in ("--shape", shape)]
        report = bench(checker, "f32_tiles", files, *options, *shapes)
    figures = {}
    for timing in report["bench"] if report else []:
        ran = [entry for entry in timing["entries"] if entry["role"] == "file" and entry["ran"]]
        best = [min((entry for entry in ran if entry["label"].startswith(name)), key=lambda entry: entry["microseconds"], default=None)
                for name in ("ffma", "tensor")]
        figures["x".join(str(timing["case"][key]) for key in "mnk")] = ", ".join(
            f"{entry['label']} {entry['microseconds']:.1f} us" for entry in best if entry)
    return {"figures": figures, "failed": [] if report else ["bench gave no report (see the part's text)"],
            "missing": cut_short({"tiles": report})}


def ratios(report, ours, other):
    """By how much `ours` is faster than `other`, at each shape."""
    out = {}
    for timing in report["bench"] if report else []:
        us = {entry["label"]: entry["microseconds"] for entry in timing["entries"] if entry["ran"] and entry["role"] == "file"}
        if ours in us and other in us:
            out["x".join(str(timing["case"][key]) for key in "mnk")] = us[other] / us[ours]
    return out


def f32_specialised(checker):
    """How much faster ffma.cu is with the kernel of ffma_specialised.cuh: shapes of its tile, and 200 drawn ones."""
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
        files = [forced(place, "ffma", FFMA_SPECIALISED=number) for number in (1, 0)]
        options = ["--problem", "sgemm", "--without", "compiler"]
        checker.compile_ahead(files, *options)
        shapes = [word for shape in LARGE_TILES for word in ("--shape", shape)]
        draw = ["--cases", "200", "--sizes", "uniform", "--budget", "0.4"]
        reports = {name: bench(checker, f"f32_specialised_{name}", files, *options, *chosen)
                   for name, chosen in (("shapes", shapes), ("drawn", draw))}
    return specialised_figures(reports, *(file.name for file in files))


def specialised_figures(reports, with_it, without):
    found = {name: ratios(report, with_it, without) for name, report in reports.items()}
    figures = {shape: round(ratio, 3) for shape, ratio in found["shapes"].items()}
    for name, some in found.items():
        if some:
            worst = min(some, key=some.get)
            figures[f"{name}: mean, worst"] = f"{statistics.geometric_mean(some.values()):.3f}, {some[worst]:.3f} at {worst}"
    return {"figures": figures, "failed": [f"{name}: bench gave no figures (see the part's text)" for name in found if not found[name]],
            "missing": cut_short(reports)}


def invariant(checker):
    """How much longer hopper.cu and linear take where batches must not change a row's bits: m = 1 to 4096 with 4096x4096
    weights, and 60 drawn shapes. The reports have all times."""
    kernels = {"gemm-f16": ("hopper", "gemm_f16"), "linear-f16": ("02_wgmma", "linear_f16")}
    batches = [word for power in range(13) for word in ("--shape", f"{2 ** power}x4096x4096")] + ["--budget", "1"]
    runs = (("gemm-f16", "batches", batches), ("linear-f16", "batches", batches),
            ("gemm-f16", "drawn", ["--cases", "60", "--budget", "0.5"]))
    found, reports = {}, {}
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
        files = {problem: [forced(place, *kernel, HOPPER_BATCH_INVARIANT=number) for number in (1, 0)] for problem, kernel in kernels.items()}
        with concurrent.futures.ThreadPoolExecutor(len(files)) as pool:  # all four side by side
            list(pool.map(lambda problem: checker.compile_ahead(files[problem], "--problem", problem, "--without", "compiler"), files))
        for problem, name, options in runs:
            key = f"{problem} {name}"
            reports[key] = bench(checker, f"invariant_{problem}_{name}", files[problem], "--problem", problem, "--without", "compiler", *options)
            found[key] = ratios(reports[key], files[problem][1].name, files[problem][0].name)
    return invariant_figures(found, reports)


def invariant_figures(found, reports):
    figures = {}
    for key, costs in found.items():
        if costs:
            worst = max(costs, key=costs.get)
            figures[f"{key}: times as long"] = (f"mean {statistics.geometric_mean(costs.values()):.3f} of {len(costs)}, "
                                                f"most {costs[worst]:.3f} at {worst}")
        if "batches" in key:
            figures |= {f"{key} {shape}": round(cost, 3) for shape, cost in costs.items()}
    return {"figures": figures, "failed": [f"{key}: bench gave no figures (see the part's text)" for key in found if not found[key]],
            "missing": cut_short(reports)}


def against(checker):
    """hopper.cu beside the older one that $AGAINST names, on three draws and on the shapes of the results page."""
    other = os.environ.get("AGAINST")
    if not other:
        return {"figures": {}, "failed": [], "missing": ["AGAINST=FILE.cu: which one?"]}
    files = [solution("gemm_f16/hopper"), pathlib.Path(os.path.abspath(other))]
    if files[0].name == files[1].name:
        return {"figures": {}, "failed": [f"{other}: reports could not tell it from {files[0]}: give it another name"], "missing": []}
    options = ["--problem", "gemm-f16", "--without", "compiler"]
    checker.compile_ahead(files, *options)
    shapes = [word for shape in HEADLINES for word in ("--shape", shape)]
    draws = {"default": ["--cases", "200"], "aligned": ["--cases", "200", "--multiple-of", "8"],
             "uniform": ["--cases", "200", "--sizes", "uniform"], "headlines": shapes}
    figures, failed, reports = {}, [], {}
    for name, draw in draws.items():
        budget = ["--budget", "0.4"] if name != "headlines" else []
        reports[name] = bench(checker, f"against_{name}", files, *options, *draw, *budget)
        found = ratios(reports[name], files[0].name, files[1].name)
        if not found:
            failed.append(f"{name}: bench gave no figures (see the part's text)")
            continue
        worst = min(found, key=found.get)
        mean = statistics.geometric_mean(found.values())
        figures[name] = f"{mean:.3f} of {len(found)} shapes, worst {found[worst]:.3f} at {worst}"
        if mean < 0.98 or (name == "headlines" and found[worst] < 0.97):
            failed.append(f"{name}: slower than {files[1].name}")
    return {"figures": figures, "failed": failed, "missing": cut_short(reports)}


def steady(checker):
    """In a steady stream a file and its twin are alike, joules are watts for their time, and a fault of streams alone is found."""
    hopper = solution("gemm_f16/hopper")
    options = ["--problem", "gemm-f16", "--without", "compiler", "--nvcc-flag", "-I" + os.path.abspath(SOLUTIONS / "gemm_f16"),
               "--shape", "4096x4096x4096", "--steady"]
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
        twin, hurried = pathlib.Path(place) / "twin.cu", pathlib.Path(place) / "hurried.cu"
        twin.write_text(hopper.read_text())
        hurried.write_text("#define solve fast_solve\n" + hopper.read_text() + HURRIED)
        report = bench(checker, "steady", [hopper, twin, hurried], *options)
    if report is None or not report["bench"]:
        return {"figures": {}, "failed": ["bench gave no figures (see the part's text)"], "missing": []}
    outcome = stream_figures(report["bench"][0])
    return outcome | {"missing": cut_short({"stream": report})}


def stream_figures(timing):
    """Of hopper.cu, twin.cu, hurried.cu and the libraries at one shape."""
    entries = {entry["label"]: entry for entry in timing["entries"]}
    figures, failed = {}, [] if timing["timing"] == "steady" else ["the times are of no steady stream"]
    figures["warming up, s"] = round(timing["warm_up_seconds"] or 0, 1)
    failed += [] if timing["settled"] else ["power or clock did not settle"]
    if "wrong_answer" not in entries["hurried.cu"]["detail"]:
        failed.append(f"hurried.cu: {entries['hurried.cu']['detail'] or 'it ran'}")
    for label, entry in entries.items():
        stream, burst = entry["steady"], entry["span"] or entry["event"]
        if label == "hurried.cu":
            continue
        if not entry["ran"] or not stream or None in (stream["joules"], stream["watts"], stream["sm_clock_mhz"]):
            failed.append(f"{label}: {entry['detail'] or 'NVML does not say what it takes'}")
            continue
        time = stream["time"]
        figures[label] = (f"{time['median_us']:.1f} us ({time['min_us']:.1f} least, bursts {burst['median_us']:.1f}), {stream['joules']:.4f} J, "
                          f"{stream['watts']:.0f} W, {stream['sm_clock_mhz']:.0f} MHz")
        if abs(stream["watts"] * time["median_us"] * 1e-6 / stream["joules"] - 1) > 0.05:
            failed.append(f"{label}: joules are not what its watts are in its time")
        if time["median_us"] < 0.98 * burst["median_us"]:
            failed.append(f"{label}: faster in a stream than in bursts")
    twins = [entries[label]["steady"] for label in ("hopper.cu", "twin.cu")]
    if all(twins) and abs(twins[0]["time"]["median_us"] / twins[1]["time"]["median_us"] - 1) > 0.02:
        failed.append("hopper.cu and its twin differ by more than 2%")
    return {"figures": figures, "failed": failed, "missing": []}


def clocks(checker):
    """The clock of the multiprocessors while solutions work, as they count it themselves."""
    figures, failed = {}, []
    with tempfile.TemporaryDirectory(dir=checker.scratch) as place:
        def program(name, element):
            out = pathlib.Path(place) / f"{name.replace('/', '_')}"
            checker.run([os.environ["NVCC"], "-std=c++17", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", "--expt-relaxed-constexpr",
                         "-Iepilogues", f'-DSOLUTION="{os.path.abspath(solution(name))}"', f"-DELEMENT={element}",
                         "tools/gpu_check_clock.cu", "-o", out], 120)
            return out

        wanted = sorted({(name, element) for name, element, _ in CLOCKED})
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            programs = dict(zip(wanted, pool.map(lambda one: program(*one), wanted)))
        for name, element, size in CLOCKED:
            made = programs[name, element]
            status, said = checker.run([made, size, 1], 30) if made.exists() else (None, "nvcc refused it")
            figures[f"{name} {size}^3"] = said.strip()[:100]
            failed += [f"{name} {size}^3: exit status {status}"] if status != 0 else []
    return {"figures": figures, "failed": failed, "missing": []}
