"""One task of a fleet: one file is judged. And several at a time, on this machine."""

import contextlib
import hashlib
import os
import signal
import stat
import subprocess
import sys
import time

from fleet_folder import check_record, host, now, read_json, shown, write_json


class Stopped(Exception):
    """By a signal: its number."""


def take_signals(handler):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, handler)


def stop(number, _):
    take_signals(signal.SIG_IGN)  # they come twice
    raise Stopped(number)


def hash_of(path):
    """Of the bytes of a regular file, else None."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def last_words(path):
    """Of what gemmjudge printed: why it ended early, as it says itself, or its last line."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4096))
        lines = [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    said = [line[len("gemmjudge: "):] for line in lines if line.startswith("gemmjudge: ")]
    return shown((said or lines or ["it said nothing"])[-1])


def remove(path):
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def slurm_task():
    job, index = os.environ.get("SLURM_ARRAY_JOB_ID"), os.environ.get("SLURM_ARRAY_TASK_ID")
    return f"{job}_{index}" if job and index else None


def report_of(fleet, number):
    """What gemmjudge reported, with `task` to be filled; {} where it is no report of one file that is whole."""
    try:
        report = read_json(fleet.task_path(number, "part.json")) or {}
        check_record({**report, "task": {"state": "judged"}})
        return {} if report.get("interrupted") else report
    except (OSError, ValueError, RecursionError):
        return {}


def command_of(fleet, number):
    file = fleet.files[number - 1]
    remembered = any(option.split("=")[0] == "--store" for option in fleet.what["options"])
    return [fleet.what["program"], "judge", *fleet.what["options"], *([] if remembered else ["--no-store"]), "--color", "never",
            "--seed", fleet.what["seed"], "--json", str(fleet.task_path(number, "part.json")),
            "./" + file if file.startswith("-") else file]


def judge_file(fleet, number):
    """Runs gemmjudge. Returns its process (None: it cannot be started), and why it did not end by itself."""
    judge = None
    with open(fleet.task_path(number, "txt"), "wb") as out:
        try:
            judge = subprocess.Popen(command_of(fleet, number), stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            judge.wait()
            return judge, ""
        except OSError as error:
            return None, f"{shown(error.filename)} cannot be started on {host()}: {error.strerror}"
        except Stopped as signalled:
            if judge is not None:
                with contextlib.suppress(ProcessLookupError):
                    judge.terminate()  # it ends after its present case
            return judge, f"stopped by {signal.Signals(signalled.args[0]).name}"


def run_task(fleet, number):
    """Judges the file, and leaves what came of it. The exit status is 1 where it was not judged."""
    task = {"number": number, "file": fleet.files[number - 1], "host": host(), "slurm": slurm_task(), "began": now()}
    part, began = fleet.task_path(number, "part.json"), fleet.task_path(number, "began.json")
    started = time.monotonic()
    os.chdir(fleet.what["directory"])
    task["source"] = hash_of(fleet.files[number - 1])
    write_json(began, task)
    remove(part)
    take_signals(stop)
    judge, why = judge_file(fleet, number)
    take_signals(signal.SIG_IGN)  # what follows is short
    report = report_of(fleet, number) if not why else {}
    state = "judged" if report else "stopped" if judge is not None and why else "failed"
    if state == "failed" and judge is not None:
        why = f"gemmjudge ended with status {judge.returncode}: {last_words(fleet.task_path(number, 'txt'))}"
    task.update(state=state, why=why, ended=now(), seconds=round(time.monotonic() - started, 3))
    write_json(fleet.task_path(number, "json"), {**report, "task": task})
    remove(began)
    if judge is not None:
        judge.wait()
    remove(part)
    return 0 if report else 1


def run_here(fleet, numbers, processes, lock, script):
    """Runs the tasks, so many at a time; a line for each that has ended. The lock is the tasks', too,
    which outlive a submit that is killed. False where it was stopped."""
    waiting, running, done, stopped = list(numbers), {}, 0, False

    def stop_all(number, _):
        nonlocal stopped
        stopped = True
        waiting.clear()
        for process in running:
            process.send_signal(signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop_all)
    while waiting or running:
        while waiting and len(running) < processes:
            number = waiting.pop(0)
            command = [sys.executable, script, "task", str(fleet.path), str(number)]
            running[subprocess.Popen(command, pass_fds=[lock.fileno()], start_new_session=True)] = number
        for process in [process for process in running if process.poll() is not None]:
            number = running.pop(process)
            done += 1
            record = fleet.record(number) or {"task": {"state": "killed", "why": "it was killed"}}
            task = record["task"]
            word = record["results"][0]["verdict"] if task["state"] == "judged" else "not_run"
            print(f"[{done}/{len(numbers)}] {shown(word):<15} {shown(fleet.files[number - 1])}"
                  f"{': ' + task['why'] if task['why'] else ''}", flush=True)
        time.sleep(0.02)
    return not stopped
