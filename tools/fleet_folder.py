"""The folder of a fleet: what is to be judged, and what came of it.

    fleet.json             what was asked: files in order (the first is task 1), options, seed
    lock                   held by whoever submits, and by tasks that --local runs
    tasks/0001.json        what came of task 1: gemmjudge's report with one more member, `task`; that
                           member alone where there was no report
    tasks/0001.txt         what gemmjudge printed
    tasks/0001.began.json  there from its start to its end; what a task that was killed leaves
    slurm/batch-1.json     the tasks of the first job array, by index, and the number of its job

Files get their names when they are whole. Paths need not be UTF-8: in these files they hold what
Python makes of other bytes (surrogates).
"""

import contextlib
import fcntl
import json
import math
import os
import pathlib
import re
import secrets
import socket
import time

SCHEMA_VERSION = 1


class Fault(Exception):
    """What ends a command with one line and an exit status: 2 wrong usage, 3 cannot run here."""

    def __init__(self, text, status=3):
        super().__init__(text)
        self.status = status


UNSEEN = "[^ -~]*"  # outside of ASCII: some comparisons pass over it
COMMAND = re.compile(f"^([^!-~]*)(?=:{UNSEEN}:)")
MARK = re.compile(f"(#{UNSEEN}#{UNSEEN}(?:{'|'.join(UNSEEN.join(name) for name in ('', 'vso', 'teamcity'))}){UNSEEN})\\[", re.IGNORECASE)


def shown(words):
    """A path, or other words from outside, for a line on a terminal, or in a log in which a CI runner looks for
    commands: as harness/report/clean.h has it."""
    line = "".join(c if c.isprintable() else "?" for c in str(words))
    return MARK.sub(r"\1\\[", COMMAND.sub(r"\1\\", line))


def counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def host():
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


# ---- JSON --------------------------------------------------------------------------------


def finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that JSON has not")
    return number


def read_json(path):
    """An object; None where there is no such file. Anything else is a ValueError."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    value = json.loads(text, parse_float=finite, parse_constant=finite)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def write_whole(path, text):
    """The file is there with all of its text, or as it was before."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1) + "\n")


# ---- the folder --------------------------------------------------------------------------


def find_files(folder):
    """Every .cu below the folder, sorted by bytes; hidden folders are left out, links to folders
    not followed. Links that lead nowhere are among them: the judge says what they are."""
    found = []

    def refuse(error):
        raise Fault(f"{shown(error.filename)} cannot be read: {error.strerror}", 2)

    for base, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(base, name) for name in names if name.endswith(".cu") and not name.startswith(".")]
    return sorted(found, key=os.fsencode)


class Fleet:
    """`what` is fleet.json; `path` its folder, absolute."""

    def __init__(self, path, what):
        self.path, self.what = pathlib.Path(path), what

    @property
    def files(self):
        return self.what["files"]

    @property
    def numbers(self):
        return range(1, len(self.files) + 1)

    def task_path(self, number, ending):
        return self.path / "tasks" / f"{number:04}.{ending}"

    def save(self):
        write_json(self.path / "fleet.json", self.what)

    def record(self, number):
        """What came of the task; None: nothing yet. `state` is "unreadable" where it is no record."""
        try:
            record = read_json(self.task_path(number, "json"))
            if record is None:
                return None
            check_record(record)
            return record
        except (OSError, ValueError, RecursionError) as error:
            why = f"{shown(self.task_path(number, 'json'))} cannot be read ({shown(error)[:100]})"
            return {"task": {"state": "unreadable", "why": why}}

    def began(self, number):
        """What the task wrote at its start, if it has not ended; {} where that is no JSON."""
        try:
            return read_json(self.task_path(number, "began.json"))
        except (OSError, ValueError, RecursionError):
            return {}

    def lock(self):
        """Holds the folder for as long as the returned file, or a child's copy, is open."""
        file = open(self.path / "lock", "a", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Fault(f"{shown(self.path)} is in use: another submit, or tasks of --local, are at work") from None
        return file

    def is_held(self):
        try:
            self.lock().close()
        except Fault:
            return True
        except OSError:
            pass  # somebody else's, who lets others look
        return False


def check_record(record):
    """A ValueError where it is not what a task writes."""
    task = record.get("task")
    if not isinstance(task, dict) or task.get("state") not in ("judged", "failed", "stopped"):
        raise ValueError("no task of a fleet")
    if task["state"] == "judged":
        results = record.get("results")
        if not isinstance(results, list) or len(results) != 1 or not isinstance(results[0], dict):
            raise ValueError("not the result of one file")
        if not isinstance(results[0].get("verdict"), str):
            raise ValueError("no verdict")


def open_fleet(path):
    """The fleet of a folder, None where there is none."""
    try:
        what = read_json(path / "fleet.json")
    except (OSError, ValueError, RecursionError) as error:
        raise Fault(f"{shown(path / 'fleet.json')} cannot be read ({shown(error)[:100]}): "
                    "remove that folder, and all is judged anew") from None
    if what is None:
        return None
    words = ("files", "options")
    if what.get("schema_version") != SCHEMA_VERSION or not all(
            isinstance(what.get(name), list) and all(isinstance(word, str) for word in what[name]) for name in words) or \
            not all(isinstance(what.get(name), str) for name in ("folder", "program", "seed", "directory", "name")):
        raise Fault(f"{shown(path / 'fleet.json')} is none of this version's: remove that folder, and all is judged anew")
    return Fleet(path, what)


def make_fleet(path, folder, program, options, seed):
    """A new one, its folder made; not saved yet."""
    try:
        for part in (path, path / "tasks", path / "slurm"):
            part.mkdir(exist_ok=True)
    except OSError as error:
        raise Fault(f"cannot make {shown(path)} ({error.strerror}): name another folder with --out") from None
    return Fleet(path, {
        "schema_version": SCHEMA_VERSION, "name": f"fleet-{secrets.token_hex(4)}", "made": now(), "folder": folder,
        "directory": os.getcwd(), "program": program, "options": options,
        "seed": seed or f"0x{secrets.randbits(32):x}", "files": []})


def add_files(fleet):
    """Takes in what the folder has by now; those that were there keep their numbers."""
    known = set(fleet.files)
    fleet.files.extend(name for name in find_files(fleet.what["folder"]) if name not in known)
