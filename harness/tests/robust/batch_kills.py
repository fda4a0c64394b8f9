#!/usr/bin/env python3
"""A batch whose judges are killed, and that is killed itself, again and again, and resumed.

usage: batch_kills.py GEMMJUDGE [--requests N] [--kills K] [--jobs J] [--seed S]

Each request gets its one right verdict, whoever was killed meanwhile, and nothing of those that were killed is left: no
process, no descriptor in the batch, no file. --requests 1000 --kills 20 is the long form.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(os.path.dirname(HERE), "fixtures")
KINDS = {"honest_naive": "accepted", "wrong_last_k": "wrong_answer", "writes_past_c": "runtime_error", "host_exits": "runtime_error",
         "changes_a": "rule_violation"}
BATCH_KILLS = 2
JUDGE, REFEREE, KEEPER = "exe", "referee", "gemmjudge-keep"  # a judge is /proc/self/exe to who starts it


def until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            sys.exit(f"FAILED: not within {seconds} s: {what}")
        time.sleep(0.02)
    return found


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


class Process:
    def __init__(self, pid):
        self.pid = pid
        self.name = read(f"/proc/{pid}/comm").decode().strip()
        after_name = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        self.zombie = not after_name or after_name[0] == b"Z"
        self.parent = int(after_name[1]) if after_name else 0


class Batch:
    """The folder of a test, and the batch that runs in it."""

    def __init__(self, arguments):
        self.arguments, self.draw = arguments, random.Random(arguments.seed)
        self.folder = tempfile.mkdtemp(prefix="batch-kills-")
        self.answers, self.temporary = os.path.join(self.folder, "answers"), os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)
        self.mark = f"batch-kills-{os.getpid()}-{self.draw.random()}"
        self.heard, self.heard_answers = 0, []
        self.running, self.errors = None, open(os.path.join(self.folder, "errors"), "ab")
        names = list(KINDS)
        self.expected = {f"request {i}": names[0] if i % 4 else names[1 + i // 4 % (len(names) - 1)] for i in range(arguments.requests)}

    def start(self, requests, jobs=None):
        """With requests from a pipe, which stays open, or all of them from a file."""
        words = ["--device", "emu", "--problem", "gemm-f16", "--cases", "1", "--max-dim", "32", "--time", "none", "--seed", "1",
                 "--nvcc-flag", "-I" + FIXTURES, "--jobs", str(jobs or self.arguments.jobs), "--batch", requests, "--jsonl", self.answers]
        environment = dict(os.environ, GEMMJUDGE_STORE="none", TMPDIR=self.temporary, GEMMJUDGE_TEST_MARK=self.mark)
        self.running = subprocess.Popen([os.path.abspath(self.arguments.program), "judge", *words], env=environment, cwd=self.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.errors)

    def lines(self, ids):
        for number in ids:
            with open(os.path.join(FIXTURES, self.expected[number] + ".cu"), encoding="utf-8") as file:
                yield json.dumps({"id": number, "source": file.read()}) + "\n"

    def send(self, lines):
        self.running.stdin.write("".join(lines).encode())
        self.running.stdin.flush()

    def said(self):
        """The answers by now; a line that a kill cut off is none."""
        text = read(self.answers)
        end = text.rfind(b"\n") + 1
        for line in text[self.heard:end].splitlines():
            try:
                self.heard_answers.append(json.loads(line))
            except ValueError:
                continue
        self.heard = max(self.heard, end)
        return self.heard_answers

    def answered(self):
        return {answer["id"] for answer in self.said()}

    def marked(self):
        found = [Process(int(name)) for name in os.listdir("/proc") if name.isdigit() and self.mark.encode() in read(f"/proc/{name}/environ")]
        return [process for process in found if not process.zombie]

    def descriptors(self):
        folder = f"/proc/{self.running.pid}/fd"
        return collections.Counter(os.readlink(f"{folder}/{name}").split(":")[0] for name in os.listdir(folder))

    def victim(self, name):
        found = [process for process in self.marked() if process.name == name]
        return self.draw.choice(found) if found else None

    def kill_one(self, name, ids):
        """While these are being judged. None where they all were before that."""
        time.sleep(self.draw.random() * 0.3)
        while not self.answered() >= ids:
            process = self.victim(name)
            try:
                os.kill(process.pid, signal.SIGKILL)
                return name
            except (AttributeError, ProcessLookupError):  # there was none, or it has ended
                time.sleep(0.01)
        return None

    def kill_some(self, count, ids):
        """Has these judged, in parts, and kills in each one process: of four a referee, which judges use one after the
        other, and three judges. How many of each it were."""
        killed = collections.Counter()
        for i in range(count):
            part = ids[i::count]
            self.send(self.lines(part))
            killed[self.kill_one(REFEREE if i % 4 == 1 else JUDGE, set(part))] += 1
            until(lambda: self.answered() >= set(part), 300, "answers, though processes were killed")
        assert killed.pop(None, 0) <= count // 4, "most parts were judged before anything was killed"
        return killed

    def check_rest(self):
        """Of a batch that waits: a referee and its keeper for each judge at most, and what is open for these."""
        def rests():
            return all(process.name in (REFEREE, KEEPER) or process.pid == self.running.pid for process in self.marked())
        until(rests, 10, "only referees are left: " + str([process.name for process in self.marked()]))
        processes = [Process(int(name)) for name in os.listdir("/proc") if name.isdigit()]
        zombies = [process.name for process in processes if process.zombie and process.parent == self.running.pid]
        assert not zombies, zombies
        names = collections.Counter(process.name for process in self.marked())
        found = self.descriptors()
        assert max(names[REFEREE], names[KEEPER]) <= self.arguments.jobs, names
        assert found["/memfd"] == 0, found
        assert sum(found.values()) <= 8 + 5 * self.arguments.jobs, found
        return sum(found.values())

    def check_nothing_left(self):
        until(lambda: not self.marked(), 10, "nothing of it runs: " + str([process.name for process in self.marked()]))

    def kill(self):
        self.running.kill()
        self.running.wait()
        self.check_nothing_left()

    def check_answers(self, kills):
        verdicts, failed = collections.defaultdict(list), 0
        for answer in self.said():
            if "verdict" in answer:
                verdicts[answer["id"]].append(answer["verdict"])
            else:
                failed += 1
        wrong = {number: verdicts[number] for number, kind in self.expected.items() if verdicts[number] != [KINDS[kind]]}
        assert not wrong and len(verdicts) == len(self.expected), wrong
        assert failed <= kills, f"{failed} judges without a verdict, and {kills} were killed"
        return failed

    def referee(self):
        """Of a batch that waits, with one judge at a time."""
        return until(lambda: [process.pid for process in self.marked() if process.name == REFEREE], 10, "there is a referee")

    def check_referees(self):
        """One stays for all judges, but not behind one that was killed."""
        ids, referees = iter(self.expected), []
        self.start("-", jobs=1)
        for killed in (False, False, True, False):
            answers = len(self.said())
            if killed:
                self.send([json.dumps({"id": "slow", "path": os.path.join(HERE, "slow.cu")}) + "\n"])
                os.kill(until(lambda: self.victim(JUDGE), 60, "a judge").pid, signal.SIGKILL)
            else:
                self.send(self.lines([next(ids)]))
            until(lambda: len(self.said()) > answers, 60, "an answer")
            assert ("verdict" in self.said()[-1]) != killed, self.said()[-1]
            if not killed:
                referees.append(self.referee())
        assert referees[0] == referees[1] != referees[2] and len(referees[2]) == 1, referees
        self.kill()

    def check_interrupt(self):
        """What an interrupt leaves half judged is answered by the next run."""
        self.start("-", jobs=1)
        self.send([json.dumps({"id": "long", "path": os.path.join(HERE, "slow.cu"), "options": {"cases": 400}}) + "\n"])
        until(lambda: self.victim(JUDGE), 60, "a judge")
        time.sleep(3)
        self.running.send_signal(signal.SIGINT)
        self.running.wait(timeout=60)
        self.check_nothing_left()
        assert "long" not in self.answered(), self.said()[-1]

    def run(self):
        self.check_interrupt()
        self.check_referees()
        ids, kills = list(self.expected), self.arguments.kills
        self.start("-")
        half = ids[:len(ids) // 2]
        killed = self.kill_some(kills, half)
        open_descriptors = self.check_rest()
        with open(os.path.join(self.folder, "requests"), "w", encoding="utf-8") as file:
            file.writelines(self.lines(ids))
        self.send(self.lines(ids[len(half):]))
        for i in range(BATCH_KILLS):
            enough = len(ids) * (5 + i) // 8
            until(lambda: len(self.answered()) >= enough, 300, "answers before the batch is killed")
            self.kill()
            self.start("requests")
        self.running.wait(timeout=600)
        assert self.running.returncode == 0, self.running.returncode  # each has come to a verdict
        self.check_nothing_left()
        failed = self.check_answers(sum(killed.values()) + 1)
        # what a judge left that was killed, the next one removes
        left = os.listdir(self.temporary)
        assert not left, left
        print(f"{len(ids)} requests, {self.arguments.jobs} at once; killed: {killed[JUDGE]} judges, {killed[REFEREE]} referees, "
              f"{BATCH_KILLS} batches; {failed} answers of no verdict, each judged again; {open_descriptors} descriptors at rest")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    for name, usual in (("requests", 60), ("kills", 4), ("jobs", 2), ("seed", 0)):
        parser.add_argument("--" + name, type=int, default=usual)
    batch = Batch(parser.parse_args())
    try:
        batch.run()
    except BaseException:
        sys.stderr.write(read(os.path.join(batch.folder, "errors")).decode(errors="replace")[-2000:])
        raise
    finally:
        if batch.running is not None:
            batch.running.kill()
            batch.running.wait()
        shutil.rmtree(batch.folder)


if __name__ == "__main__":
    main()
