"""The Python tools that read JSON or CSV, on results that somebody changed: each ends as it should, or with
one line and an exit status.

usage: fuzz_readers.py [--seconds N] [--seed N] [--findings FOLDER] [INPUT.json]

A finding is a file with the reader's name and what it read; as INPUT.json it is tried again.
Nothing is drawn or compiled: what is handed to gnuplot is looked at, and the compiled heuristic of
tools/cost-model answers with ones. CSV is changed as the list of its rows.
"""

import argparse
import contextlib
import copy
import csv
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
import cost_model  # noqa: E402
import cost_model_csv  # noqa: E402
import cost_model_fit  # noqa: E402
import cost_model_table  # noqa: E402
import gpu_check  # noqa: E402
import ladder_write  # noqa: E402
import measured  # noqa: E402
import results_write  # noqa: E402

loader = importlib.machinery.SourceFileLoader("compare_counters", str(ROOT / "tools/compare-counters"))
compare_counters = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(compare_counters)

MEMORY_BYTES = 1 << 31  # of this process
SLOW_SECONDS = 5  # of the processor, for an input of some kilobytes
DEVICE = "132 4917000 132 66 39 30 22 17 15 15"
CONFIGS = "solutions/gemm_f16/hopper/configs.def"
ODD = [None, True, False, 0, -1, 1, 2.5, 1e308, -1e308, float("nan"), float("inf"), 10 ** 400, 2 ** 63, "", "x", "../../x",
       '"; system("touch x") #', "`touch x`", "a\nb", "\ud800", "4096x4096x4096", "0x0", "x" * 3000, [], {}, [[]], [None], "02_mma.cu",
       "../02_mma.cu", "cuBLAS", "span"]


# ---- seeds ---------------------------------------------------------------------------


def bench(command, *arguments):
    """A report as gemmjudge's stand-in writes it."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        subprocess.run([ROOT / "harness/tests/tools/fake_gemmjudge", command, *arguments, "--json", out], check=True,
                       stdout=subprocess.DEVNULL, env=os.environ | {"FAKE_LOG": os.path.join(folder, "log")})
        return json.loads(pathlib.Path(out).read_text())


def seeds():
    """By reader, what it reads where all is well."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "solutions/batched_f16").glob("0*.cu"))
    step = bench("bench", *files, "--device", "cuda", "--shape", "32x256x256x256")
    ladder = {"schema_version": 1, "command": "tools/ladder measure OUT.json", "seconds": 9, "folders": ["batched_f16", "gemv"],
              "runs": [{"ladder": "batched_f16", "shape": "32x256x256x256", "bench": step}],
              "left_out": [{"ladder": "batched_f16", "shape": "32x256x256x256", "step": "09.cu", "why": "no time was left"}]}
    names = cost_model_table.Table(ROOT / CONFIGS).names
    shapes = [["2026-01-02", "Pretended GPU", "1", DEVICE, draw, "64", "64", str(64 + i), "n_major", "1"]
              for i, draw in enumerate(cost_model_csv.DRAWS * 12)]
    rows = [[*shape, name, "3.0", "9"] for shape in shapes for name in [*names[:4], cost_model_csv.LIBRARY]]
    rows.insert(0, list(cost_model_csv.COLUMNS))
    counters = {"kernels": [{"name": "k", "launches": 1, "smsp__inst_executed": 9, "emulator__flops": 8}]}
    kernel = {"runs": 60, "span_us": 240.0, "confirmed": 57, "near": 59, "off_us": [1.0, 3.0, 20.0]}
    part = {"figures": {"runs": 60, "confirmed": 57}, "kernels": {"gemv 16384x16384": kernel}, "failed": ["a"] * 5, "missing": ["b"],
            "seconds": 9, "schema_version": 1}
    hopper = "solutions/gemm_f16/hopper.cu"
    return {"gpu_check": part, "ladder": ladder, "results_bench": bench("bench", hopper, "--device", "cuda"),
            "results_compare": bench("compare", hopper, "--device", "cuda"),
            "cost_fit": rows, "counters": counters}


# ---- changes ---------------------------------------------------------------------------


def places(node):
    """Every (container, key) below the node."""
    out, left = [], [node]
    while left:
        at = left.pop()
        keys = list(at) if isinstance(at, dict) else range(len(at)) if isinstance(at, list) else []
        for key in keys:
            out.append((at, key))
            left.append(at[key])
    return out


def change(rng, node):
    """Changes it in place, at one place."""
    at, key = rng.choice(places(node) or [({"": 0}, "")])
    how = rng.randrange(6)
    if how == 0:
        del at[key]
    elif how == 1 and isinstance(at, list):
        at.insert(key, copy.deepcopy(at[key]))
    elif how == 2:
        other, name = rng.choice(places(node) or [({"": 0}, "")])
        at[key] = copy.deepcopy(other[name])
    elif how == 3 and isinstance(at[key], (int, float)) and abs(at[key]) < 1e300:
        at[key] = at[key] * rng.choice([-1, 0, 1e-300, 1e300, 1 / 3])
    else:
        at[key] = copy.deepcopy(rng.choice(ODD))


def mutated(rng, seed):
    """The text of a changed result; sometimes no JSON at all."""
    node = copy.deepcopy(seed)
    for _ in range(rng.randrange(1, 5)):
        change(rng, node)
    text = json.dumps(node)
    if rng.randrange(10) == 0:
        start = rng.randrange(len(text) + 1)
        text = text[:start] + rng.choice(["", "{", "[" * 2000, "\0", "\xff", text]) + text[start + rng.randrange(40):]
    return text


# ---- readers ---------------------------------------------------------------------------


def fake_run(command, input="", env=None, **_):
    """In the place of subprocess.run."""
    said = ""
    if command[0] == "gnuplot":
        bare = re.sub(r'"[^"`\n]*"', "", input)
        if re.search(r"`|system|\"|set output", bare):
            raise AssertionError("gnuplot is told more than to draw a picture: " + input[:300])
    else:
        words = ["1"] * ((4 + len(cost_model_table.TIMES)) * len(cost_model_table.Table(tree / CONFIGS).names))
        said = "".join(" ".join(words) + "\n" for _ in input.splitlines())
    return subprocess.CompletedProcess(command, 0, stdout=said, stderr="")


def make_tree(folder):
    (folder / "epilogues").mkdir()
    for name in ("batched_f16", "gemm_f16/hopper"):
        shutil.copytree(ROOT / "solutions" / name, folder / "solutions" / name)
    shutil.copy(ROOT / "solutions/ladders.txt", folder / "solutions")
    take_data(folder)


DATA = ("solutions/results/gemv.json", "solutions/gemm_f16/results/sigmoid.json", "epilogues/results/sigmoid_over_k.json",
        "solutions/gemm_f16/results/cuda_l2_published.txt")


def take_data(folder):
    """Data files as they are committed, a few of them; those that were written before go."""
    for name in DATA:
        shutil.rmtree((folder / name).parent, ignore_errors=True)
    for name in DATA:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def write_csv(path):
    """In the place of JSON rows; what is none stays as it is."""
    try:
        rows = [row if isinstance(row, list) else [row] for row in json.loads(pathlib.Path(path).read_text())]
    except (ValueError, TypeError, RecursionError):
        return
    with open(path, "w", newline="", errors="surrogatepass") as file:
        csv.writer(file).writerows(rows)


def read(reader, path):
    """What its script does with the file."""
    solutions = tree / "solutions"
    if reader == "ladder":
        ladder_write.write(path, solutions)
        return ladder_write.headers(solutions)
    if reader.startswith("results"):
        folder = tree / "measured"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        names = ("random", "cuda_l2", "squares", "relu") if reader == "results_bench" else ("sigmoid", "sigmoid_over_k", "ladder_relu")
        for name in names:
            shutil.copy(path, folder / f"{name}.json")
        return results_write.main(folder, tree)
    if reader == "gpu_check":
        (tree / "gpu").mkdir(exist_ok=True)
        shutil.copy(path, tree / "gpu/honest.json")
        return gpu_check.report(tree / "gpu")
    if reader == "counters":
        with open(path) as file:
            ours = compare_counters.kernels_of(file)
        return compare_counters.tables([(compare_counters.DEFAULT[0], ours, ours)], "itself")
    write_csv(path)
    return cost_model.fit("model", tree / CONFIGS, path)


def fault(reader, path, is_seed):
    """What is wrong with how the reader ended; None: nothing. Seeds are read to the end."""
    begun = time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            measured.told(read, reader, path)
    except SystemExit as end:
        if isinstance(end.code, str) and (not end.code or "\n" in end.code):
            return f"its last words are no line: {end.code!r}"
        if "MemoryError" in str(end.code):
            return "it took all memory"
        if is_seed:
            return f"a seed is not read: {end.code!r}"
    except BaseException:  # what a user would see as a traceback
        return traceback.format_exc()
    took = time.process_time() - begun
    return f"it took {took:.1f} s" if took > SLOW_SECONDS else None


def finding(findings, reader, text, why):
    name = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    path = pathlib.Path(findings) / f"fuzz_readers-{name}.json"
    path.write_text(json.dumps([reader, text]))
    print(f"{why}\nfuzz_readers: FOUND in {reader}: {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", default=tempfile.gettempdir())
    parser.add_argument("again", nargs="?")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    make_tree(tree)
    subprocess_run, all_seeds = subprocess.run, seeds()
    ladder_write.shutil.which = lambda name: name
    subprocess.run = fake_run
    if importlib.util.find_spec("scipy") is None:
        print("fuzz_readers: no scipy here: the fit of tools/cost-model is left out, what is around it is not")
        cost_model.fit_all = lambda table, _: table.times
    cost_model_fit.STEPS = 4  # what may go wrong with odd numbers goes wrong in the first
    path, rng, runs, end = str(tree / "input.json"), random.Random(arguments.seed), 0, time.monotonic() + arguments.seconds
    configs = (tree / CONFIGS).read_text()
    tries = [tuple(json.loads(pathlib.Path(arguments.again).read_text()))] if arguments.again else \
        [(reader, json.dumps(seed)) for reader, seed in all_seeds.items()]
    while tries or (time.monotonic() < end and not arguments.again):
        reader, text = tries.pop() if tries else (rng.choice(list(all_seeds)), None)
        is_seed = text is not None and not arguments.again
        text = mutated(rng, all_seeds[reader]) if text is None else text
        pathlib.Path(path).write_text(text, errors="surrogatepass")
        (tree / CONFIGS).write_text(configs)
        take_data(tree)
        why = fault(reader, path, is_seed)
        if why:
            finding(arguments.findings, reader, text, why)
            return 1
        runs += 1
    subprocess.run = subprocess_run
    took = arguments.seconds + time.monotonic() - end
    print(f"fuzz_readers: {runs} inputs in {took:.1f} s, {runs / took:.0f} a second; nothing found")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        sys.exit(main())
