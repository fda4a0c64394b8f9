"""Many users at once, and a server that is killed in between: nothing is lost, nothing is wrong.

usage: check_load.py GEMMJUDGE SOURCE_ROOT [--submissions N] [--users N] [--streams N] [--kills N] [--workers N] [--real]
                     [--hostile MODES] [--p99 MS]

Submits from as many users with as many event streams open, kills the server at random moments and starts it anew,
and demands of each submission that was answered with 202 the one verdict that is right. With --real the judges are
real, on the emulated GPU, and so are the sources: fixtures and tricks; else they are made up. With --hostile one more
student holds as much of the server as it lets go (MODES: some of bodies, connections, streams, disk, with commas). Prints how
many judgements began, how long `GET /api/submissions/ID` took while judging (p50, p99), which --p99 bounds, and the server's
memory.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import socket
import sys
import threading
import time

from server import Server, end_all, user_add


REAL = """wrong_last_k writes_past_c writes_before_c changes_a reads_far_away host_aborts host_exits
host_crashes host_closes_everything host_forges_reply host_kills_itself host_recurses host_thread_bomb kernel_traps
kernel_loops call_host_pointer compile_syntax compile_includes_passwords host_throws""".split()

SLEEPS = """#include <cuda_fp16.h>
#include <unistd.h>
extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta) { sleep(60); }
"""


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    for name, usual in (("submissions", 60), ("users", 8), ("streams", 12), ("kills", 2), ("workers", 4), ("seed", 0)):
        parser.add_argument("--" + name, type=int, default=usual)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--hostile", type=lambda text: text.split(","), default=[])
    parser.add_argument("--p99", type=float)
    return parser.parse_args()


def with_headers(path, seen):
    """A fixture's text, with what it includes from beside it in place."""
    def put(match):
        beside = os.path.join(os.path.dirname(path), match[1])
        if not os.path.exists(beside):
            return match[0]
        if beside in seen:
            return ""
        seen.add(beside)
        return with_headers(beside, seen)
    with open(path, encoding="utf-8") as file:
        return re.sub(r'^#include "([^"]+)"$', put, file.read(), flags=re.M).replace("#pragma once", "")


def kinds(root, real):
    """Pairs of a source and the verdicts that it may have."""
    if not real:
        return [("accept", ("accepted",)), ("wrong", ("wrong_answer",)), ("sleep 0.05", ("accepted",)), ("refuse", (None,))]
    found = [(open(os.path.join(root, "solutions/gemm_f16/01_naive.cu"), encoding="utf-8").read(), ("accepted",))]
    for name in REAL:
        text = with_headers(os.path.join(root, "harness/tests/fixtures", name + ".cu"), set())
        found.append((text, (re.match(r"// expect: (\w+)", text)[1],)))
    return found


def take_times(orders):
    """In a process of its own, which no thread of the load holds up: the seconds that answers took, sorted."""
    seconds = []
    while order := orders.recv():
        port, number, token = order
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/api/submissions/" + number, headers={"Authorization": "Bearer " + token})
            connection.getresponse().read()
            seconds.append(time.monotonic() - begun)
        except (OSError, http.client.HTTPException):
            pass  # it was killed
    orders.send(sorted(seconds))


class Hostile:
    """A student who holds what he can of a server, wherever it listens; in a process of its own."""

    HEAD = "{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n"
    HELD = {"bodies": 40, "connections": 1200, "streams": 300}

    def __init__(self, port, token, real):
        self.port, self.token, self.watched = port, token, None
        self.slow = SLEEPS if real else "sleep 2 mal"
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

    def text(self, mode):
        """What he sends and never goes on with."""
        if mode == "bodies":
            return self.HEAD.format("POST /api/submissions", self.token).encode() + b"Content-Length: 2100000\r\n\r\n" + b"x" * 2000000
        if mode == "streams":
            return self.HEAD.format(f"GET /api/submissions/{self.watched}/events", self.token).encode() + b"\r\n"
        return random.choice((b"GET /healthz HTTP/1.1\r\nX", self.HEAD.format("GET /api/me", self.token).encode() + b"\r\n"))

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port.value, timeout=60)
        connection.request(method, path, body, {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return json.loads(text) if answer.status == 202 else {}

    def submit(self, source):
        return self.ask("POST", "/api/submissions", json.dumps({"problem": "gemm-f16", "source": source})).get("id")

    def hold(self, mode):
        held = []
        while True:
            try:
                for peer in held[:]:
                    try:
                        if peer.recv(65536) == b"":
                            raise ConnectionResetError
                    except BlockingIOError:
                        continue
                    except OSError:  # it was closed: he comes again
                        held.remove(peer)
                        peer.close()
                while len(held) < self.HELD[mode]:
                    peer = socket.create_connection(("127.0.0.1", self.port.value), timeout=5, source_address=("127.0.0.2", 0))
                    held.append(peer)
                    peer.sendall(self.text(mode))
                    peer.setblocking(False)
            except OSError:
                pass  # it was killed
            time.sleep(1)

    def watch(self):
        while True:
            try:
                self.watched = self.submit(self.slow) or self.watched
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(1)

    def fill(self):
        while True:
            try:
                number = self.submit("refuse " + "x" * 1000000)
                if number:
                    self.ask("DELETE", "/api/submissions/" + number)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)

    def run(self, modes):
        threads = [(self.hold, (mode,)) for mode in self.HELD if mode in modes]
        threads += [(self.watch, ())] if "streams" in modes else []
        threads += [(self.fill, ())] if "disk" in modes else []
        for target, given in threads:
            threading.Thread(target=target, args=given, daemon=True).start()
        signal.pause()


class Load:
    def __init__(self, arguments):
        self.arguments, self.random = arguments, random.Random(arguments.seed)
        self.kinds = kinds(arguments.root, arguments.real)
        self.lock, self.expected, self.open_ids, self.memory = threading.Lock(), {}, [], []
        self.times, end = multiprocessing.Pipe()
        self.timer = multiprocessing.Process(target=take_times, args=(end,), daemon=True)
        self.timer.start()
        self.ended = False
        self.words = ["--workers", str(arguments.workers), "--queue-of-user", "1000", "--seconds-of-user", "86400"]
        if arguments.real:
            self.words += ["--device", "emu", "--cases", "4", "--max-dim", "64", "--timeout", "5"]
        self.up = threading.Event()
        self.server = self.first = Server(arguments.program, *self.words, fake=not arguments.real)
        self.up.set()
        self.port = multiprocessing.Value("i", self.server.port)
        mal = user_add(arguments.program, self.server.store, "mal")
        self.hostile = multiprocessing.Process(target=lambda: Hostile(self.port, mal, arguments.real).run(arguments.hostile), daemon=True)
        self.tokens = [user_add(arguments.program, self.server.store, f"user-{i}") for i in range(arguments.users)]

    def retried(self, ask):
        """What ask() returns, once the server is there to answer."""
        while True:
            self.up.wait()
            try:
                return ask()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)  # it was killed

    def submit_all(self, user):
        token = self.tokens[user]
        draw = random.Random(f"{self.arguments.seed} {user}")
        for i in range(user, self.arguments.submissions, self.arguments.users):
            source, verdicts = draw.choice(self.kinds)
            text = f"{source}\n// {i}" if self.arguments.real else f"{source} {i}"
            if self.arguments.real and draw.random() < 0.8:
                text = source  # compiled before: the machine is not there to run nvcc
            reply = self.retried(lambda: self.server.submit(text, token))
            assert reply.status == 202, reply.body
            with self.lock:
                self.expected[reply.json()["id"]] = (token, verdicts, text)
                self.open_ids.append(reply.json()["id"])

    def watch(self):
        """Streams of events, one after the other, each to its end or the server's."""
        while not self.ended:
            with self.lock:
                number = random.choice(self.open_ids) if self.open_ids else None
            if number is None:
                time.sleep(0.01)
                continue
            try:
                events = self.server.events(number, self.expected[number][0])
            except Exception:  # it was killed
                time.sleep(0.05)
                continue
            if events and events[-1][0] in ("verdict", "error"):
                assert events[-1][1]["verdict"] in self.expected[number][1], (number, events[-1][1]["verdict"], self.expected[number])
                with self.lock:
                    if number in self.open_ids:
                        self.open_ids.remove(number)

    def point(self):
        """Tells the process that takes times where to ask, and how large the server is."""
        while not self.ended:
            with self.lock:
                number = random.choice(list(self.expected)) if self.expected else None
            if number and self.up.is_set():
                self.times.send((self.server.port, number, self.expected[number][0]))
                try:
                    with open(f"/proc/{self.server.process.pid}/status", encoding="utf-8") as file:
                        self.memory.append(int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]))
                except (OSError, TypeError):
                    pass
            time.sleep(0.02)
        self.times.send(None)

    def kill_some(self):
        for _ in range(self.arguments.kills):
            time.sleep(self.random.uniform(0.2, 8.0 if self.arguments.real else 0.6))
            self.up.clear()
            self.server.end(signal.SIGKILL)
            self.server = Server(self.arguments.program, *self.words, store=self.first.store, fake=not self.arguments.real)
            self.port.value = self.server.port
            self.up.set()

    def run(self):
        if self.arguments.hostile:
            self.hostile.start()
        users = [threading.Thread(target=self.submit_all, args=(i,)) for i in range(self.arguments.users)]
        others = [threading.Thread(target=self.watch) for _ in range(self.arguments.streams)]
        others += [threading.Thread(target=self.point)]
        killer = threading.Thread(target=self.kill_some)
        for thread in users + others + [killer]:
            thread.daemon = True
            thread.start()
        for thread in users + [killer]:
            thread.join()
        assert len(self.expected) == self.arguments.submissions, "each user got all answers"
        begun, jobs = 0, {}
        for number, (token, verdicts, text) in self.expected.items():
            job = self.server.until(number, "done", token=token)
            assert job["verdict"] in verdicts, (job, text)
            begun += job["attempts"]
        self.ended = True
        for thread in others:
            thread.join(30)
        if self.arguments.hostile:
            self.hostile.terminate()
            self.hostile.join()
        assert self.server.end() == 0
        taken = self.times.recv()
        self.timer.join()
        p99 = 1000 * taken[len(taken) * 99 // 100]
        print(f"{len(self.expected)} submissions of {len(self.kinds)} kinds, {begun} judgements begun, "
              f"{self.arguments.kills} kills; GET: {len(taken)} times, p50 {1000 * taken[len(taken) // 2]:.1f} ms, "
              f"p99 {p99:.1f} ms; memory {min(self.memory) / 1024:.1f} to "
              f"{max(self.memory) / 1024:.1f} MiB")
        assert begun <= len(self.expected) + self.arguments.kills * self.arguments.workers, "again only after a kill"
        assert not self.arguments.p99 or p99 <= self.arguments.p99, f"p99 {p99:.1f} ms"


if __name__ == "__main__":
    def failed(info):
        sys.__excepthook__(info.exc_type, info.exc_value, info.exc_traceback)
        sys.stderr.flush()
        end_all()
        os._exit(1)
    threading.excepthook = failed
    Load(options()).run()
