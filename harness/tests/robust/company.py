#!/usr/bin/env python3
"""Files judged in company, of which some crash, hang or attack: what is said of each is what a judgement alone says.

usage: company.py GEMMJUDGE FOLDER [--seed S] [--device D]

Copies the files to FOLDER, judges each by itself, then all of them as one folder, four at once, and as a batch, by one
judge after the other that shares a warm referee, and by four. Each of these in an order of its own, drawn by the seed.
Results are compared whole, but for what the clock and the cache decide.
"""
import argparse
import concurrent.futures
import difflib
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TREE = os.path.dirname(os.path.dirname(TESTS))

# The problem's folder, and the files; from fixtures/ unless they say otherwise. In the order of alone.
FILES = {
    "gemm_f16": """../../../solutions/gemm_f16/01_naive ../../../solutions/gemm_f16/04_shared_tiles honest_naive honest_workspace
        honest_device_variables bits_rows_decide bits_place_decides wrong_alpha_omitted wrong_beta_omitted wrong_transposed_b wrong_empty_solve wrong_one_element
        wrong_row_unwritten wrong_nan wrong_first_call_only hint_k_tail hint_kept_size hint_differs hint_kept_tickets
        writes_past_c writes_before_c changes_a host_crashes host_exits host_sleeps host_aborts host_eats_memory host_closes_channel
        host_forges_reply host_forges_failure host_takes_descriptors host_throws kernel_traps kernel_loops reads_far_away
        compile_syntax jail_kills_parent ../cheats/unwritten_lattice ../cheats/memory_descriptor ../cheats/guards_far
        ../cheats/inputs_restored ../cheats/calls_repeated ../cheats/reply_twice ../cheats/late_thread""",
    "sgemm": "hint_int_sum",
    "matmul_f32": "wrong_splitk_not_zeroed hint_inner_loop",
    "batched_f32": "hint_stored_beyond wrong_batched_stride",
    "gemv": "wrong_gemv_last_column changes_x ../../../solutions/gemv/02_coalesced",
    "minplus": "wrong_minplus_padding",
    "apsp": "wrong_apsp_two_edges changes_apsp_dist writes_past_apsp ../../../solutions/apsp/01_naive",
    "gemm_s8": "wrong_s8_row_unwritten hint_s8_unsigned",
    "gemm_w4": "wrong_w4_nibble_order writes_past_w4",
    "gemm_e4m3": "changes_e4m3_b",
}
OPTIONS = ["--cases", "3", "--max-dim", "40", "--time", "none"]
# Of the emulated GPU, and of a GPU, whose driver takes memory and makes large processes slow.
LIMITS = {True: ["--timeout", "3", "--memory", "80"], False: ["--timeout", "5", "--memory", "4096"]}
# Their results differ from one judgement alone to the next: they are judged for what they do to the others.
BY_CHANCE = {"hint_differs.cu", "hint_stored_beyond.cu", "late_thread.cu", "reply_twice.cu"}
# They change an input while other threads read it: the verdict is the same, and not which elements are wrong.
VERDICT_ALONE = {"changes_a.cu", "changes_apsp_dist.cu", "changes_e4m3_b.cu", "changes_x.cu"}
# What the clock or the cache decides, wherever it stands. Of bits these are compared, as far as there was time to ask.
NOT_COMPARED = {"seconds", "cached", "file", "bits"}
OF_BITS = ("repeatable", "batch_invariant")
# In texts: addresses, which thread was the first, memory when it was looked at, and sealed calls, whose inputs nobody can
# know ahead.
BY_THE_WAY = re.compile(r"\b0x[0-9a-f]{8,}|\b(?:block|thread) \(\d+,\d+,\d+\)|\d+ MiB (?=private|in page tables)|(?<=in a sealed call: ).*")


def make(folder):
    """The paths of the copies; headers lie beside them."""
    shutil.rmtree(folder, ignore_errors=True)
    paths = []
    for problem, names in FILES.items():
        place = os.path.join(folder, problem)
        os.makedirs(place)
        for header in glob.glob(TESTS + "/fixtures/*.cuh") + glob.glob(TESTS + "/cheats/*.cuh") + glob.glob(f"{TREE}/solutions/{problem}/*.cuh"):
            shutil.copy(header, place)
        for name in names.split():
            shutil.copy(os.path.join(TESTS, "fixtures", name + ".cu"), place)
            paths.append(os.path.join(place, os.path.basename(name) + ".cu"))
    return paths


def compared(value):
    """The result without what differs from one run to the next."""
    if isinstance(value, dict):
        return {key: compared(member) for key, member in value.items() if key not in NOT_COMPARED}
    if isinstance(value, str):
        return BY_THE_WAY.sub("...", value)
    return [compared(member) for member in value] if isinstance(value, list) else value


class Judge:
    """Judges each file with one of two seeds, so that neighbours have other values in cases of the same sizes."""

    def __init__(self, program, seeds, device):
        self.command = [program, "judge", *OPTIONS, *LIMITS[device.startswith("emu")], "--device", device]
        self.seeds = seeds
        self.environment = dict(os.environ, GEMMJUDGE_STORE="none")

    def run(self, words, **more):
        return subprocess.run([*self.command, *words], env=self.environment, capture_output=True, text=True, check=False, timeout=250, **more)

    def folder(self, paths, jobs):
        found = {}
        for seed in sorted(set(self.seeds.values())):
            found.update(self.files([path for path in paths if self.seeds[path] == seed], jobs, seed))
        return found

    def files(self, paths, jobs, seed):
        ended = self.run(["--jobs", str(jobs), "--seed", str(seed), "--json", "-", *paths])
        assert ended.returncode in (0, 1), (ended.returncode, ended.stderr)
        results = json.loads(ended.stdout)["results"]
        assert [result["file"] for result in results] == paths, "reports have files in the order that they were named in"
        return {result["file"]: result for result in results}

    def batch(self, paths, jobs):
        requests = "".join(json.dumps({"id": path, "path": path, "options": {"seed": str(self.seeds[path])}}) + "\n" for path in paths)
        ended = self.run(["--jobs", str(jobs), "--batch", "-", "--jsonl=-"], input=requests)
        assert ended.returncode in (0, 1), (ended.returncode, ended.stderr)
        answers = [json.loads(line) for line in ended.stdout.splitlines()]
        assert sorted(answer["id"] for answer in answers) == sorted(paths), (ended.stdout, ended.stderr)
        failed = [answer for answer in answers if "result" not in answer]
        assert not failed, failed[0]
        return {answer["id"]: answer["result"] for answer in answers}


def bits(result):
    return {name: (result["bits"] or {}).get(name, "not_asked") for name in OF_BITS}


def agree(a, b):
    return compared(a) == compared(b) and all(x == y or "not_asked" in (x, y) for x, y in zip(bits(a).values(), bits(b).values()))


def text(result):
    return json.dumps({"bits": bits(result), **compared(result)}, indent=1, sort_keys=True).splitlines()


def differences(alone, found, how):
    """Prints them; how many files they are of."""
    def same(path):
        name = os.path.basename(path)
        if name in VERDICT_ALONE:
            return found[path]["verdict"] == alone[path]["verdict"]
        return name in BY_CHANCE or agree(found[path], alone[path])

    different = [path for path in alone if not same(path)]
    for path in different:
        lines = difflib.unified_diff(text(alone[path]), text(found[path]), "alone", how, n=1, lineterm="")
        print(f"{path}, {how}:", *list(lines)[:40], sep="\n")
    return len(different)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="emu")
    arguments = parser.parse_args()
    paths = make(os.path.abspath(arguments.folder))
    seeds = {path: arguments.seed + i % 2 for i, path in enumerate(paths)}
    judge, draw = Judge(os.path.abspath(arguments.program), seeds, arguments.device), random.Random(arguments.seed)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        alone = {path: result for one in pool.map(lambda path: judge.files([path], 1, seeds[path]), paths) for path, result in one.items()}
    verdicts = {result["verdict"] for result in alone.values()}
    expected = {"accepted", "wrong_answer", "runtime_error", "time_limit", "rule_violation", "compile_error", "memory_limit"}
    assert verdicts >= expected, f"the files are not of all kinds: {expected - verdicts}"
    failed = 0
    for how, judged in (("a folder, four at once", lambda order: judge.folder(order, 4)),
                        ("a folder, four at once, again", lambda order: judge.folder(order, 4)),
                        ("a batch, one by one", lambda order: judge.batch(order, 1)),
                        ("a batch, one by one, again", lambda order: judge.batch(order, 1)),
                        ("a batch, four at once", lambda order: judge.batch(order, 4))):
        failed += differences(alone, judged(draw.sample(paths, len(paths))), how)
    print(f"{len(paths)} files, 5 runs, {failed} differences")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
