#!/usr/bin/env python3
"""bench, compare, tune and explain of the fake gemmjudge, for tests of scripts that need figures.

FAKE_LOG gets a line for each of them; one whose line has FAKE_CUT_OFF in it
reports that it was interrupted, and those after the first FAKE_MOST fail. A file's time is FAKE_MICROSECONDS, a library's 1.2
times that, and where a size is odd cuBLASLt's 1.1 times with results that leave the bound; FAKE_NOT_RAN does not run. Of tools/cosma's schedules those with SWIZZLE n take n percent more, and those with the
reduction kernel twice as long. FAKE_NO_TUNE: nothing is measured by tune.
"""
import json
import math
import os
import pathlib
import re
import sys

arguments = sys.argv[1:]
command = arguments.pop(0)
values = {}
for i, word in enumerate(arguments):
    if word.startswith("--"):
        values.setdefault(word, []).append(arguments[i + 1] if i + 1 < len(arguments) else "")
files = [word for word in arguments if word.endswith(".cu")]
line = " ".join([command] + arguments[:arguments.index("--json")] if "--json" in arguments else arguments)
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(line + "\n")
with open(os.environ["FAKE_LOG"]) as log:
    if len(log.readlines()) > int(os.environ.get("FAKE_MOST", "1000")):
        sys.exit(3)
cut_off = os.environ.get("FAKE_CUT_OFF", "\n") in line
us = float(os.environ.get("FAKE_MICROSECONDS", "10"))
compare = command == "compare"
steady = "--steady" in arguments


def entry(label, role, factor):
    stats = {"samples": 9, "median_us": us * factor, "min_us": us, "p95_us": us, "low_us": us, "high_us": us}
    # in a stream a file takes a quarter more than in bursts, and a library a third
    stream = 1.25 if role.startswith("file") else 1.3333
    blocks = {"time": stats | {"median_us": us * factor * stream}, "joules": 7e-4 * us * factor, "watts": 700, "calls": 9,
              "sm_clock_mhz": 1395 if role == "file" else None if label == "cuBLASLt fused" else 1410} if steady else None
    return {"steady": blocks, "label": label, "ran": label != os.environ.get("FAKE_NOT_RAN"), "detail": "", "span": stats, "event": None, "role": role,
            "verdict": "accepted", "microseconds": us * factor, "ratio_to_fastest_library": 1.2 / factor,
            "wrong_elements": 0, "gbytes_per_s": 1000 / factor}


# The sizes in the shapes of problems that have others than M, N and K.
SIZES = {"gemv": ["m", "n"], "batched_f32": ["batch", "m", "n", "k"], "batched_f16": ["batch", "m", "n", "k"],
         "gemm_w4": ["m", "n", "k", "group"]}
SCALARS = {"gemm_s8": {"scale_A": 0.100000001, "zero_point_A": 0}, "linear_f16": {"alpha": 1.0, "beta": 0.0}}


def case_of(folder, shape):
    case = {"m": 1, "n": 1, "k": 1, "batch": 1, "group": 1, "alpha": 1.0, "beta": 0.0}
    sizes = [int(size) for size in shape.split("x")]
    case |= dict(zip(SIZES.get(folder, ["m", "n", "k"]), sizes * 3 if len(sizes) == 1 else sizes))
    return case | {"scalars": SCALARS.get(folder, {})}


def factor_of(file):
    if "/cosma/" not in file:
        return 1.0
    constants = dict(re.findall(r"^#define (\w+) (\d+)$", pathlib.Path(file).read_text(), re.M))
    return (1 + int(constants["SWIZZLE"]) / 100) * (2 if constants["SPLIT_ATOMICS"] == "0" else 1)


def timing(shape):
    entries = [entry(os.path.basename(file), "file", factor_of(file)) for file in files]
    libraries = [entry(label, "library", 1.2) for label in
                 (("cuBLAS+kernel", "cuBLASLt fused") if compare else ("cuBLAS", "cuBLASLt"))]
    if not compare and any(int(size) % 2 for size in shape.split("x")):
        libraries[1] = entry("cuBLASLt", "library", 1.1) | {"wrong_elements": 5}
    if compare:
        entries[0]["speed_up_over"] = {e["label"]: {"value": 1.2, "low": 1.1, "high": 1.3} for e in libraries}
        entries[0]["fusion_cost_percent"] = {"value": 2.5, "low": 2, "high": 3}
        entries.append(entry(entries[0]["label"], "file without epilogue", 0.8))
    return {"floor_us": {"chain": 0.3} if compare else None,
            "problem": "gemm-f16", "case": case_of(pathlib.Path(files[0]).parent.name, shape), "clock": "steady" if steady else "span",
            "timing": "steady" if steady else "burst", "warm_up_seconds": 6.2 if steady else None,
            "settled": not shape.startswith("4095") if steady else None, "entries": entries + libraries, "throttled": shape.startswith("8192"), "throttle_reason": "power cap",
            "sm_clock_mhz_min": 1800, "sm_clock_mhz_median": 1900, "sm_clock_mhz_limit": 1980, "wide_interval": False}


def tune():
    """Whoever chooses differs in SWIZZLE alone; only where K is large the thesis' order splits it."""
    m, n, k = (int(size) for size in values["--shape"][0].split("x"))
    defaults = {"BLOCK_M": 128, "BLOCK_N": 128, "THREAD_M": 8, "THREAD_N": 4, "SPLIT_K": 1, "SPLIT_ATOMICS": 1, "SWIZZLE": 4}
    thesis = defaults | {"SPLIT_K": 8 if k > m * n / 4 else 1, "SWIZZLE": 3}
    shape = {"shape": values["--shape"][0], "schedules": 1000, "thesis_first": {"constants": thesis, "thesis": {"rank": 1}},
             "ranked": [{"constants": defaults | {"SWIZZLE": 2}, "model": {"rank": 1, "seconds": 1e-5}}]}
    if "--time-limit" in values:
        shape["measured"] = {"tried": 50, "best": None if "FAKE_NO_TUNE" in os.environ else
                             {"constants": defaults | {"SWIZZLE": 1}, "right": True, "rank": {"model": 7, "thesis": 300}}}
    if "--exhaustive" in sys.argv:
        ranks = [{"model": place, "thesis": 21 - place} for place in range(1, 21)]
        shape["measured"] = {"best": {"constants": defaults | {"SWIZZLE": 0}, "right": True, "rank": ranks[11]},
                             "trials": [{"outcome": "measured", "constants": defaults, "rank": rank, "median_us": 10.0 if rank is ranks[11] else 10.5}
                                        for rank in ranks]}
    return {"kind": "tune", "defaults": defaults, "shapes": [shape]}


def explain():
    bounds = {"arithmetic_seconds": 1e-7, "memory_seconds": 5e-6, "launch_seconds": 1e-6, "least_seconds": 5e-6}
    return {"kind": "explain", "bounds": bounds}


answers = {"tune": tune, "explain": explain}
if command in answers:
    pathlib.Path(values["--json"][0]).write_text(json.dumps(answers[command]()))
    sys.exit(0)
shapes = values.get("--shape")
for path in values.get("--shapes", []):
    lines = [line.partition("#")[0].strip() for line in pathlib.Path(path).read_text().splitlines()]
    shapes = [line.replace(",", "x") for line in lines if line]
shapes = shapes or ["4096x4096x64", "4096x4096x1024", "77x99x101"]
report = pathlib.Path(__file__).parents[3] / "harness/report/report.h"
schema = int(re.search(r"REPORT_JSON_SCHEMA_VERSION (\d+)", report.read_text())[1])
result = {"schema_version": schema, "started": "2026-01-02T03:04:05Z", "command": "gemmjudge " + line,
          "interrupted": cut_off, "gpu_computes_wrongly": False, "bench": [timing(shape) for shape in shapes],
          "device": {"name": "Pretended GPU", "multiprocessors": 132, "driver": "1", "runtime": "CUDA 13.0", "library": "cuBLAS 13"},
          "overall": [{"geometric_mean": 1.2, "worst": 1.2 / math.e, "shapes": len(shapes)}]}
print("table of " + line)
for option, text in (("--json", json.dumps(result, indent=2)), ("--md", "# head\n\n## Timing\n\n### table of " + line),
                     ("--svg", "<svg/>")):
    for path in values.get(option, []):
        with open(path, "w") as out:
            out.write(text + "\n")
