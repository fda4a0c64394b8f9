"""What the parts of tools/gpu-check run things with."""

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path("harness/tests")
SOLUTIONS = pathlib.Path("solutions")
ENDING = 15  # seconds that a part may need to end when its time is up


def own_tmp(*needed):
    """What a command begins with that shall have a /tmp of its own. Judges find each other by a file there,
    and wait: where nothing is measured they need not. Nothing, where that cannot be had or hides a path
    that is needed."""
    alone = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs gpu-check /tmp && exec "$@"', "own_tmp"]
    if any(os.path.realpath(path).startswith("/tmp/") for path in needed):
        return []
    try:
        works = subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    return alone if works else []


def ended(child):
    """The output of a program whose time is up. Interrupted, gemmjudge reports what it has."""
    child.send_signal(signal.SIGINT)
    try:
        return child.communicate(timeout=ENDING - 5)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0]


class Checker:
    """One call: the program, where results go, and when it must be over."""

    def __init__(self, program, folder, seconds):
        self.program, self.folder, self.end = program, pathlib.Path(folder), time.monotonic() + seconds
        self.device = os.environ.get("DEVICE", "cuda")
        self.build = pathlib.Path(os.environ.get("BUILD", "build"))
        self.log = None
        self.scratch = pathlib.Path(os.path.abspath(self.build / "gpu-check"))
        self.scratch.mkdir(parents=True, exist_ok=True)
        cache = os.environ.get("GEMMJUDGE_CACHE", str(self.scratch))
        self.environment = os.environ | {"GEMMJUDGE_STORE": "none", "GEMMJUDGE_TEST_DEVICE": self.device, "GEMMJUDGE_CACHE": cache}
        self.alone = own_tmp(os.getcwd(), program, cache, self.scratch)

    def left(self):
        return self.end - time.monotonic()

    def run(self, command, seconds, **environment):
        """(exit status, output) of a program, which is ended with all that it started when its time is up."""
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=self.environment | environment, start_new_session=True) as child:
            try:
                output = child.communicate(timeout=max(1, min(seconds, self.left())))[0]
            except subprocess.TimeoutExpired:
                output = ended(child) + "\n(its time was up)\n"
        self.log.write(f"#### {' '.join(map(str, command))}: {child.returncode}\n{output}\n")
        return child.returncode, output

    def judge(self, file, *options, seconds=60, before=()):
        """(exit status, report) of a judgement; `before` stands before the command."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            report = pathlib.Path(folder) / "report.json"
            status, _ = self.run([*before, self.program, "judge", file, "--device", self.device, "--json", report, "--quiet", *options],
                                 seconds)
            return status, json.loads(report.read_text()) if report.exists() and status in (0, 1) else None

    def compile_ahead(self, files, *options):
        """nvcc takes some seconds a file and one core: all files at once, before any clock runs."""
        small = ["--cases", "1", "--max-dim", "16", "--time", "none"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda file: self.judge(file, *options, *small, seconds=120, before=self.alone), files))


def say(text):
    print(f"tools/gpu-check: {text}", file=sys.stderr, flush=True)


def solution(name):
    return SOLUTIONS / (name + ".cu")
