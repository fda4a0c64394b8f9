"""Parts of tools/gpu-check that look at verdicts: nothing is measured, so that tests run side by side."""

import concurrent.futures
import os
import pathlib
import re
import sys

from gpu_checker import ENDING, SOLUTIONS, TESTS, solution

SKIPPED = 77  # the exit status of a test that cannot be done here
SANITIZED = ("sgemm/ffma", "sgemm/tensor", "gemm_f16/hopper")
SUMS = {"f16": ("gemm_f16/02_tiled", "gemm_f16/hopper", "batched_f16/02_mma"), "bf16": ("gemm_bf16/07_mma", "gemm_bf16/hopper"),
        "f32": ("sgemm/01_naive", "sgemm/ffma", "sgemm/tensor", "sgemm/14_strassen_two"), "e4m3": ("gemm_e4m3/02_wgmma",)}
MOST_TOGETHER = 0.95  # of what would be refused, by any order of honest sums
SOAKS = 5  # at once, of 40 judgements each


def tests_at_once(checker, tests):
    """The figures of many tests, {name: command}, several of them at a time."""
    jobs = max(1, (os.cpu_count() or 1) - 1) if checker.alone else 1

    def status_of(command):
        return checker.run([*checker.alone, *command], 240)[0] if checker.left() > ENDING else None

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
    for program, *what in (("hopper_gemm", "configurations"), ("hopper_gemm", "calls"), ("hopper_gemm", "graph"), ("f32_calls",)):
        if (checker.build / "tests" / program).exists() and not os.environ.get("FILES"):
            tests[" ".join((program, *what))] = ["bash", TESTS / "run_on_gpu", checker.build / "tests" / program, *what]
    return tests_at_once(checker, tests)


def of_driver(checker):
    """The environment in which programs find the device's driver and its runtime."""
    libraries = checker.build / "emulator" if checker.device.startswith("emu") else pathlib.Path(os.environ["NVCC"]).parent.parent / "lib64"
    return {"LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def bits(checker):
    """Instructions give the bits that a GPU gave: over all inputs, or, emulated, over some."""
    command = [checker.build / "tests/bits", "check", "harness/emulator/tests/bits.txt"]
    status, output = checker.run([*command, *([] if checker.device.startswith("emu") else ["--all"])], 500, **of_driver(checker))
    lines = output.splitlines() or [f"exit status {status}"]
    device = "emu" if checker.device.startswith("emu") else "cuda"
    judged_status, judged = checker.run([sys.executable, TESTS / "judged/check.py", checker.program, device], 300)
    judged = judged.splitlines() or [f"exit status {judged_status}"]
    failed = (lines if status != 0 else []) + (judged if judged_status not in (0, SKIPPED) else [])
    return {"figures": {"bits": lines[-1], "judged": judged[-1]}, "failed": failed, "missing": []}


def semantics(checker):
    """Instructions do what models of them say that are written from the PTX ISA, and, as tensor maps, what the emulated GPU does."""
    tests, figures, failed = checker.build / "tests", {}, []
    path = of_driver(checker)
    status, output = checker.run([tests / "semantics"], 300, **path)
    for suite, differ, compared in re.findall(r"^(\w+): (\d+) of (\d+) differ", output, re.MULTILINE):
        figures[suite] = f"{differ} of {compared} differ"
    if status != 0:
        failed += [line for line in output.splitlines() if " 0 of " not in line] or [f"semantics: exit status {status}"]
    status, output = checker.run([tests / "instructions", "harness/emulator/tests/instructions.txt"], 120, **path)
    figures["instructions"] = output.splitlines()[-1] if output else f"exit status {status}"
    failed += ["instructions: " + figures["instructions"]] if status != 0 else []
    status, output = checker.run([tests / "tensor_maps"], 60, **path)
    figures["tensor_maps"] = f"exit status {status}"
    failed += [f"tensor_maps: {line}" for line in output.splitlines() or figures["tensor_maps"].splitlines()] if status != 0 else []
    return {"figures": figures, "failed": failed, "missing": []}


def cheat_command(checker, file):
    return ["bash", TESTS / "cheats/run_cheat", file, checker.program, checker.build / "tests/naive_judge"]


def tricks(checker):
    """Every trick that does not aim at times is refused, and works without the defence."""
    files = [file for file in wanted((TESTS / "cheats").glob("*.cu")) if not file.name.startswith("time_") and file.name != "naive.cu"]
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


def errors_together(checker, type_name):
    """(cases, the most of all errors together over what honest sums have, whose, what failed) of a type's files."""
    cases, most, whose, failed = 0, 0.0, "", []
    emulated = checker.device.startswith("emu")
    count = int(os.environ.get("SUMS", 24 if emulated else 2000)) // len(SUMS[type_name])
    for name in SUMS[type_name]:
        status, report = checker.judge(solution(name), "--cases", count, "--max-dim", 192 if emulated else 512, "--seed", 1, "--time", "none",
                                       "--file-timeout", 400, seconds=400, before=checker.alone)
        if status != 0:
            failed.append(f"{name}: exit status {status}")
        for case in report["results"][0]["cases"] if report else []:
            ratio = (case["check"] or {}).get("rms_ratio", 0)
            cases += 1
            most, whose = max((most, whose), (ratio, f"{name} {case['name']}"))
    failed += [f"{whose}: {most:.3g}"] if most > MOST_TOGETHER else []
    return cases, most, whose, failed


def sums(checker):
    """All errors of honest files together are within what the referee expects, on many cases of each type."""
    with concurrent.futures.ThreadPoolExecutor(len(SUMS) if checker.alone else 1) as pool:
        found = dict(zip(SUMS, pool.map(lambda name: errors_together(checker, name), SUMS)))
    figures = {name: f"{most:.3g} in {cases} cases ({whose})" for name, (cases, most, whose, _) in found.items()}
    return {"figures": figures, "failed": [line for row in found.values() for line in row[3]], "missing": []}


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


def company(checker):
    """Files judged beside and after each other, hostile ones among them, have what they have alone."""
    device = checker.device if ":" in checker.device or checker.device == "emu" else checker.device + ":0"
    command = [sys.executable, TESTS / "robust/company.py", checker.program, checker.scratch / "company", "--device", device]
    status, output = checker.run(command, checker.left() - ENDING)
    found = re.search(r"^(\d+) files, (\d+) runs, (\d+) differences$", output, re.MULTILINE)
    if found is None:
        return {"figures": {}, "failed": [] if checker.left() < 2 * ENDING else [f"exit status {status}"], "missing": ["company"]}
    files, runs, differing = map(int, found.groups())
    return {"figures": {"files": files, "runs": runs, "differences": differing},
            "failed": [f"{differing} differences"] if differing else [], "missing": []}


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
