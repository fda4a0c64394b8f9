"""A `gemmjudge serve` for tests, and requests to it."""

import atexit
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = os.path.join(HERE, "fake_judge")
SECONDS = 60  # that anything here may take


STARTED = []  # processes of servers
SEEN = {}  # what was answered: (method, path with {id}, status) to the members of JSON objects


@atexit.register
def end_all():
    """No server outlives a test that failed."""
    for process in STARTED:
        if process.poll() is None:
            process.kill()


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Server:
    """Started when it is made; each has a store of its own unless it is given one."""

    def __init__(self, program, *options, store=None, fake=True, listen="127.0.0.1:0", environment=None):
        self.program = program
        self.folder = tempfile.TemporaryDirectory(prefix="gemmjudge-serve-")
        self.store = store or os.path.join(self.folder.name, "store.db")
        self.log = open(os.path.join(self.folder.name, "log"), "w+b")
        words = [program, "serve", "--listen", listen, "--store", self.store, "--without", "jail"]
        if fake:
            words += ["--through", FAKE]
        self.process = subprocess.Popen(words + list(options), stdout=subprocess.PIPE, stderr=self.log,
                                        env={**os.environ, **(environment or {})},
                                        restore_signals=False)  # SIGXFSZ stays ignored: see check_full()
        STARTED.append(self.process)
        line = self.process.stdout.readline().decode()
        found = re.search(r"listens at http://(.*):(\d+)/", line)
        self.port = int(found[2]) if found else None

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode()

    def request(self, method, path, body=None, token=None, headers=None):
        """The body is an object, or bytes as they are."""
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = "Bearer " + token
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        shape = (method.lower(), re.sub("[0-9a-f]{32}", "{id}", path.split("?")[0]), str(reply.status))
        kind = reply.headers.get("Content-Type", "").split(";")[0]
        SEEN.setdefault(shape, set()).add((kind, frozenset(reply.json()) if kind == "application/json" and reply.body else None))
        return reply

    def submit(self, source, token=None, **members):
        return self.request("POST", "/api/submissions", {"problem": "gemm-f16", "source": source, **members}, token)

    def submitted(self, source, token=None, **members):
        """The id."""
        reply = self.submit(source, token, **members)
        assert reply.status == 202, reply.body
        return reply.json()["id"]

    def get(self, number, token=None):
        return self.request("GET", "/api/submissions/" + number, token=token).json()

    def until(self, number, *states, token=None):
        """The submission, once it is in one of these states."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            job = self.get(number, token)
            if job["state"] in states:
                return job
            time.sleep(0.02)
        raise AssertionError(f"{number} is {job['state']}, never {states}")

    def events(self, number, token=None):
        """All of them, up to the last: pairs of a name and an object."""
        reply = self.request("GET", f"/api/submissions/{number}/events", token=token)
        assert reply.status == 200 and reply.headers["Content-Type"] == "text/event-stream", reply.body
        blocks = [block.split("\n") for block in reply.body.decode().split("\n\n") if block.startswith("event: ")]
        return [(block[0][len("event: "):], json.loads(block[1][len("data: "):])) for block in blocks]

    def end(self, number=signal.SIGTERM):
        """The exit status."""
        self.process.send_signal(number)
        status = self.process.wait(SECONDS)
        self.process.stdout.close()
        return status


def user_add(program, store, name, *options):
    """The token."""
    return subprocess.run([program, "user", "add", name, "--store", store, *options], check=True,
                          capture_output=True, text=True).stdout.strip()


def drained(peer):
    """What comes until the other side closes."""
    got = b""
    try:
        while piece := peer.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    peer.close()
    return got
