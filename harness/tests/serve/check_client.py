"""`gemmjudge submit` and gemmjudge.Client: the verdicts that `judge` and curl come to, and what happens when the server is
busy, away, a stranger's, or not to be reached.

usage: check_client.py GEMMJUDGE SOURCE_ROOT
"""

import asyncio
import concurrent.futures
import contextlib
import http.server
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from server import SECONDS, Server, user_add

PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])
sys.path.insert(0, os.path.join(ROOT, "harness/python"))
import gemmjudge  # noqa: E402

WORK = tempfile.TemporaryDirectory(prefix="gemmjudge-client-")
OPTIONS = {"cases": 2, "max-dim": 32, "seed": "0x7"}
ID = re.compile("[0-9a-f]{32}")


def write(name, text):
    path = os.path.join(WORK.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def environment(server, token=None):
    url = server if isinstance(server, str) else f"http://127.0.0.1:{server.port}"
    return {**os.environ, "GEMMJUDGE_SERVER": url, "GEMMJUDGE_TOKEN": token or "", "GEMMJUDGE_STORE": "none"}


def submit(server, *words, token=None, **more):
    """What it said, and its status."""
    return subprocess.run([PROGRAM, "submit", *words], env={**environment(server, token), **more}, capture_output=True,
                          text=True, timeout=SECONDS, check=False)


def client(server, token=None):
    return gemmjudge.Client(f"http://127.0.0.1:{server.port}/", token)


@contextlib.contextmanager
def raises(kind, text=""):
    try:
        yield
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


# ---- the same verdict by all


def lines(report):
    """Of a report for people, without the command that makes it again."""
    return [line for line in report.splitlines() if not line.startswith("again:")]


def by_curl(server, source):
    """As the guide shows it; without curl the same by Python."""
    body = {"problem": "gemm-f16", "source": source, "options": OPTIONS}
    if not shutil.which("curl"):
        return server.submitted(source, options=OPTIONS)
    url = f"http://127.0.0.1:{server.port}/api/submissions"
    taken = subprocess.run(["curl", "-s", "-H", "Content-Type: application/json", "-d", "@-", url], check=True,
                           input=json.dumps(body), capture_output=True, text=True).stdout
    return json.loads(taken)["id"]


def check_same(server, name, source, status):
    path = write(name, source)
    words = ["-p", "gemm-f16", *(f"--{option}={value}" for option, value in OPTIONS.items())]
    judged = subprocess.run([PROGRAM, "judge", path, *words, "--device=emu", "--json", path + ".judge"], text=True, check=False,
                            env={**os.environ, "GEMMJUDGE_STORE": "none"}, capture_output=True)
    sent = submit(server, path, *words, "--json", path + ".submit")
    assert judged.returncode == sent.returncode == status, (judged, sent)
    assert lines(judged.stdout) == lines(sent.stdout), (judged.stdout, sent.stdout)
    assert "place 1 in the queue" in sent.stderr or "submitted as" in sent.stderr, sent.stderr
    number = by_curl(server, source)
    verdicts = [client(server).judge(source, "gemm-f16", cases=2, max_dim=32, seed="0x7"),
                asyncio.run(client(server).submission(number).wait_async())]
    reports = [json.load(open(path + ending, encoding="utf-8")) for ending in (".judge", ".submit")]
    assert set(reports[1]) == set(reports[0]) | {"submission"}, set(reports[1]) ^ set(reports[0])
    results = [report["results"][0] for report in reports]
    results += [server.get(number)["result"], *(verdict.result for verdict in verdicts)]
    for member in ("verdict", "detail", "hints", "content", "cases_accepted", "problem", "guarantees"):
        assert all(result[member] == results[0][member] for result in results), (member, results)
    assert results[0]["file"] == results[1]["file"] == path 
    assert all(bool(verdict) == (status == 0) and verdict.seed == "0x7" for verdict in verdicts), verdicts


def check_verdicts():
    server = Server(PROGRAM, "--device", "emu", fake=False)
    right = open(os.path.join(ROOT, "solutions/gemm_f16/01_naive.cu"), encoding="utf-8").read()
    check_same(server, "right.cu", right, 0)
    check_same(server, "wrong.cu", right.replace("alpha, beta))", "alpha, 2.0f))"), 1)
    seeds = set()  # that nobody named
    for _ in range(2):
        done = submit(server, write("drawn.cu", right), "-p", "gemm-f16", "--cases", "1", "--max-dim", "16", "--json", write("drawn.json", ""))
        assert done.returncode == 0, done
        seeds.add(json.load(open(os.path.join(WORK.name, "drawn.json"), encoding="utf-8"))["seed"])
    assert len(seeds) == 2 and "0x0" not in seeds, seeds
    none = client(server).judge("not a kernel\n", "gemm-f16", name="none.cu")
    assert "\nnone.cu(1): error" in "\n" + none.result["compile"]["log"] and "stdin" not in str(none.result), none.result
    assert server.end() == 0


# ---- a file with headers of its own


def check_headers(server):
    write("own.cuh", "int from_the_header;\n")
    path = write("accept.cu", 'accept\n#include "own.cuh"\n#include <cuda_fp16.h>\n')
    done = submit(server, path, "-p", "gemm-f16", "--wait", "no")
    assert done.returncode == 0 and "goes with its headers as one file" in done.stderr, done
    source = client(server).submission(done.stdout.strip()).source()
    assert "int from_the_header;" in source and '"own.cuh"' not in source and "<cuda_fp16.h>" in source, source
    done = submit(server, path, "-p", "gemm-f16", "--epilogue", "bias")
    assert done.returncode == 2 and "gemmjudge flatten" in done.stderr, done


# ---- refused, busy, withdrawn


def check_refused(server):
    path = write("plain.cu", "accept\n")
    for words, what in ((["--suite", "../x"], "no such value"), (["--cases", "1000"], "from 1 to 256"),
                        (["--shape", "8x8x8", "--shape", "9x9x9"], "a submission has one")):
        done = submit(server, path, "-p", "gemm-f16", *words)
        assert done.returncode == 2 and what in done.stderr and done.stdout == "", done
    done = submit(server, write("refuse.cu", "refuse\n"), "-p", "gemm-f16")
    assert done.returncode == 3 and "no verdict: --cases" in done.stderr, done
    assert submit(server, "--id", "0" * 32).returncode == 2
    with raises(gemmjudge.Refused, "unknown problem"):
        client(server).submit("accept", "no_such_problem")
    with raises(gemmjudge.Refused, "no option"):
        client(server).submit("accept", "gemm-f16", nvcc_flag="-O1")
    with raises(gemmjudge.JudgeError, "no verdict"):
        client(server).submit("refuse", "gemm-f16").wait()


def check_users():
    server = Server(PROGRAM, "--queue-of-user", "1", listen="127.0.0.1:0")
    token = user_add(PROGRAM, server.store, "ada")
    path = write("plain.cu", "accept\n")
    mistaken = write("mistaken", "0" * 64 + "\n")
    for wrong, words, told in ((None, [], "a token is needed"), ("x" * 43, [], "the token of GEMMJUDGE_TOKEN is wrong"),
                               (token[:-1], [], "the token of GEMMJUDGE_TOKEN is wrong"),
                               (token, ["--token-file", mistaken], f"the token of --token-file {mistaken} is wrong")):
        done = submit(server, path, "-p", "gemm-f16", *words, token=wrong)
        assert done.returncode == 3 and told in done.stderr and done.stderr.count("\n") == 1, done
        assert "GEMMJUDGE_TOKEN" in done.stderr and "--token-file" in done.stderr and token not in done.stderr, done
        if not words:
            with raises(gemmjudge.Refused, "token"):
                client(server, wrong).submissions()
    file = write("token", token + "\nmore\n")
    assert submit(server, path, "-p", "gemm-f16", "--token-file", file).returncode == 0
    ada = client(server, token)
    first = ada.submit("sleep 60", "gemm-f16", name="slow.cu")
    server.until(first.id, "judging", token=token)
    second = ada.submit("accept", "gemm-f16")
    with raises(gemmjudge.Busy, "as many as may"):
        ada.submit("accept", "gemm-f16")
    done = submit(server, path, "-p", "gemm-f16", token=token)
    assert done.returncode == 3 and re.search(r"as many as may: try later \(again in \d+ s\)", done.stderr), done
    second.withdraw()
    with raises(gemmjudge.JudgeError, "withdrawn"):
        second.wait()
    with raises(gemmjudge.Refused, "not wait"):
        first.withdraw()
    done = submit(server, "--id", second.id, token=token)
    assert done.returncode == 3 and "withdrawn" in done.stderr, done
    listed = ada.submissions(problem="gemm-f16")
    assert [job["name"] for job in listed] == ["submission-3.cu", "slow.cu", "plain.cu"], listed
    assert second.name == "submission-3.cu" and first.name == "slow.cu" and ada.submission(first.id).name == "slow.cu"
    assert all(ada.submission(which).id == first.id for which in (first, first.id, "slow.cu", listed[1])), listed
    assert ada.submissions(before=listed[1]) == listed[2:]
    with raises(gemmjudge.Refused, "no submission is named 'none.cu'"):
        ada.submission("none.cu")
    again = ada.submit("accept", "gemm-f16", name="slow.cu")
    with raises(gemmjudge.Refused, f"several submissions are named 'slow.cu': {again.id}, {first.id}"):
        ada.submission("slow.cu")
    assert ada.me()["user"] == "ada" and "boards" in ada.leaderboard("gemm-f16")
    server.end(signal.SIGKILL)


# ---- away


def check_away():
    """The server is killed while clients wait, and starts again: each hears its verdict."""
    server = Server(PROGRAM, "--workers", "3")
    slow = write("slow.cu", "sleep 1\n")
    waiting = subprocess.Popen([PROGRAM, "submit", slow, "-p", "gemm-f16"], env=environment(server), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    leaving = subprocess.Popen([PROGRAM, "submit", slow, "-p", "gemm-f16"], env=environment(server), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = [process.stderr.readline() for process in (waiting, leaving)]
    assert all("submitted as" in line for line in told), told
    leaving.send_signal(signal.SIGINT)
    out, errors = leaving.communicate(timeout=SECONDS)
    gone = ID.search(told[1])[0]
    assert leaving.returncode == 3 and out == "" and f"submit --id {gone}" in errors, (out, errors)
    submission = client(server).submit("sleep 1\nx", "gemm-f16")
    kinds = []
    thread = threading.Thread(target=lambda: kinds.extend(event["event"] for event in submission.events()))
    thread.start()
    port, store = server.port, server.store
    server.end(signal.SIGKILL)
    with raises(gemmjudge.Unreachable):
        submission.job()
    done = submit(server, slow, "-p", "gemm-f16")
    assert done.returncode == 3 and "127.0.0.1" in done.stderr, done
    again = Server(PROGRAM, "--workers", "3", store=store, listen=f"127.0.0.1:{port}")
    out, errors = waiting.communicate(timeout=SECONDS)
    assert waiting.returncode == 0 and re.search("accepted +.*slow.cu", out), (out, errors)
    thread.join(SECONDS)
    assert kinds[-1] == "verdict", kinds
    done = submit(again, "--id", gone, "--quiet")
    assert done.returncode == 0 and done.stdout.split() == ["accepted", "slow.cu"], done
    wrong = again.submitted("wrong")
    assert submit(again, "--id", wrong).returncode == 1
    assert again.end() == 0


# ---- servers that are none, and libraries that are not there


class Stranger(http.server.BaseHTTPRequestHandler):
    """Answers anything but what a server would."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/elsewhere"):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            return
        text = b'{"id": "../../me", "state": "waiting"}' if self.path.startswith("/forged") else b"<html>"
        self.send_response(202)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def check_strangers():
    stranger = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=stranger.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{stranger.server_port}"
    path = write("plain.cu", "accept\n")
    for place, what in (("/elsewhere", "sends elsewhere"), ("/forged", "no answer of"), ("", "no answer of")):
        done = submit(url + place, path, "-p", "gemm-f16")
        assert done.returncode == 3 and what in done.stderr, done
    with raises(gemmjudge.Refused, "302"):
        gemmjudge.Client(url + "/elsewhere").submit("x", "gemm-f16")
    with raises(gemmjudge.Unreachable, "no answer"):
        gemmjudge.Client(url).submit("x", "gemm-f16")
    stranger.shutdown()
    stranger.server_close()


HOSTILE_ID = "0123456789abcdef" * 2
DEEP = b'{"error": ' + b"[" * 200000 + b"]" * 200000 + b"}"
JOB = {"id": HOSTILE_ID, "name": "a.cu", "state": "done"}
RESULT = {"file": "a.cu", "reason": "", "hints": [], "content": None, "reward": {"value": 0, "speed": None, "cases": 0}}
SHORT = {name: value for name, value in RESULT.items() if name != "reward"}


def event(data):
    return b"event: case\ndata: " + data + b"\n\n"


# path: status, headers, body. All answer a GET of a submission but for those that begin with "/stream": these send events.
HOSTILE = {
    "/deep": (200, {}, DEEP),
    "/deep-error": (400, {}, DEEP),
    "/list": (200, {}, b"[]"),
    "/error-is-a-list": (403, {}, b'{"error": ["x"]}'),
    "/digits": (200, {}, b'{"state": ' + b"9" * 5000 + b"}"),
    "/no-state": (200, {}, b'{"id": 1}'),
    "/state-is-a-list": (200, {}, b'{"name": "a", "state": []}'),
    "/not-utf-8": (200, {}, b"\xff\xfe"),
    "/no-seed": (200, {}, json.dumps({**JOB, "verdict": "accepted", "result": RESULT}).encode()),
    "/no-reward": (200, {}, json.dumps({**JOB, "verdict": "accepted", "seed": "0x1", "result": SHORT}).encode()),
    "/reward-is-a-text": (200, {}, json.dumps({**JOB, "verdict": "x", "seed": "0x1", "result": {**RESULT, "reward": "x"}}).encode()),
    "/hints-are-numbers": (200, {}, json.dumps({**JOB, "verdict": "x", "seed": "0x1", "result": {**RESULT, "hints": [1]}}).encode()),
    "/escape-codes": (403, {}, '{"error": "\\u001b[2Jaccepted\\n\u202e\\ud800"}'.encode()),
    "/stream-deep": (200, {}, event(DEEP)),
    "/stream-list": (200, {}, event(b"[]")),
    "/stream-last-is-none": (200, {}, b'event: verdict\ndata: {"event": "verdict"}\n\n'),
    "/stream-html": (200, {}, b"data: <html>\n\n"),
}
BUSY = {"/retry-superscript": "\u00b2", "/retry-word": "soon", "/retry-endless": "9" * 400, "/retry-negative": "-1"}


class Hostile(http.server.BaseHTTPRequestHandler):
    """Answers what a client may not be prepared for."""

    tokens = []  # that were sent

    def do_GET(self):
        place = "/" + self.path.split("/")[1]
        Hostile.tokens.append(self.headers["Authorization"])
        status, headers, body = HOSTILE.get(place, (200, {}, b"{}"))
        if place in BUSY:
            status, headers, body = 429, {"Retry-After": BUSY[place]}, b'{"error": "later"}'
        kind = "application/json"
        if place.startswith("/stream"):
            kind = "text/event-stream"
            if not self.path.endswith("/events"):
                kind, body = "application/json", json.dumps({**JOB, "state": "waiting"}).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def hostile_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def is_clean(text):
    return text and text.isprintable()


def check_hostile():
    """Whatever a server answers, a client says so in one line."""
    server, url = hostile_server()
    for place in HOSTILE:
        try:
            gemmjudge.Client(url + place).submission(HOSTILE_ID).wait()
        except gemmjudge.JudgeError as error:
            assert is_clean(str(error)), (place, error)
        else:
            raise AssertionError(place)
        if place.startswith("/stream"):
            continue  # our program passes over what is no event
        done = submit(url + place, "--id", HOSTILE_ID)
        assert done.returncode in (2, 3), (place, done)
        assert all(is_clean(line) for line in done.stderr.splitlines()), (place, done)
    for place in BUSY:
        with raises(gemmjudge.Busy, "later"):
            try:
                gemmjudge.Client(url + place).me()
            except gemmjudge.Busy as busy:
                assert busy.seconds == 10.0, (place, busy.seconds)
                raise
    for ask in ("submissions", "source"):
        client_there = gemmjudge.Client(url + ("/not-utf-8" if ask == "source" else "/list"))
        with raises(gemmjudge.Unreachable, "no answer"):
            (client_there.submission(HOSTILE_ID).source if ask == "source" else client_there.submissions)()
    with raises(gemmjudge.Refused, "has no id"):
        gemmjudge.Client(url).submission({"id": "../../me"})
    server.shutdown()
    server.server_close()


def check_plain_http():
    """A token goes over http to this machine alone, unless one says otherwise. 0.0.0.0 stands for another one."""
    server, url = hostile_server()
    token, other = "t" * 43, url.replace("127.0.0.1", "0.0.0.0")
    for elsewhere in (other, url.replace("127.0.0.1", "127.0.0.1.example.org"), "http://judge.example.org", "http://[2001:db8::1]",
                      url.replace("127.0.0.1", "localhost%2eexample.org")):
        done = submit(elsewhere, "--id", HOSTILE_ID, token=token)
        assert done.returncode == 2 and "--plain-http" in done.stderr and done.stderr.count("\n") == 1, done
        assert token not in done.stderr, done
        with raises(gemmjudge.Refused, "plain_http=True"):
            gemmjudge.Client(elsewhere, token)
    assert not Hostile.tokens or set(Hostile.tokens) == {None}, Hostile.tokens
    for here in (url, url.replace("127.0.0.1", "localhost")):
        Hostile.tokens.clear()
        assert submit(here, "--id", HOSTILE_ID, token=token, http_proxy="http://127.0.0.1:1").returncode == 3
        assert Hostile.tokens == ["Bearer " + token], (here, Hostile.tokens)
    for here in (url, "http://LOCALHOST:80/x", "http://127.255.0.9", "http://[::1]:8080"):
        gemmjudge.Client(here, token)
    Hostile.tokens.clear()
    assert submit(other, "--id", HOSTILE_ID, "--plain-http", token=token).returncode == 3
    gemmjudge.Client(other, token, plain_http=True).me()
    assert Hostile.tokens == ["Bearer " + token] * 2, Hostile.tokens
    gemmjudge.Client("https://judge.example.org", token)
    gemmjudge.Client("http://judge.example.org")
    for wrong in ("http://127.0.0.1:99999", "http://[", "http://a\r\nb", "ftp://a", None, "http://ada:secret@127.0.0.1"):
        with raises(gemmjudge.Refused):
            gemmjudge.Client(wrong)
    with raises(gemmjudge.Refused, "the token is none"):
        gemmjudge.Client(url, "a\r\nb")
    server.shutdown()
    server.server_close()


def check_dead():
    """Of a server that has never answered one hears within half a minute that it does not."""
    silent = socket.create_server(("127.0.0.1", 0))  # takes connections, and says nothing
    ports, began = (1, silent.getsockname()[1]), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in pool.map(lambda port: submit(f"http://127.0.0.1:{port}", "--id", HOSTILE_ID), ports):
            assert done.returncode == 3 and "given up" in done.stderr.splitlines()[-1], done
    assert 15 < time.monotonic() - began < 40, time.monotonic() - began
    gemmjudge._client.FIRST_SECONDS = 1.0
    for port in ports:
        with raises(gemmjudge.Unreachable, "127.0.0.1"):
            gemmjudge.Client(f"http://127.0.0.1:{port}").submission(HOSTILE_ID).wait()
    silent.close()


def check_certificates():
    """A server that anybody could be gets neither a source nor a token."""
    if not shutil.which("openssl"):
        return
    pair = [os.path.join(WORK.name, name) for name in ("key.pem", "certificate.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pair[0], "-out",
                    pair[1]], check=True, capture_output=True)
    stranger = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair[1], pair[0])
    stranger.socket = context.wrap_socket(stranger.socket, server_side=True)
    stranger.handle_error = lambda *_: None
    threading.Thread(target=stranger.serve_forever, daemon=True).start()
    url = f"https://127.0.0.1:{stranger.server_port}"
    done = submit(url, write("plain.cu", "accept\n"), "-p", "gemm-f16", token="x" * 43)
    assert done.returncode == 3 and "certificate" in done.stderr.lower(), done
    with raises(gemmjudge.Unreachable, "certificate"):
        gemmjudge.Client(url).submit("x", "gemm-f16")
    stranger.shutdown()
    stranger.server_close()


def check_libraries():
    """A file in the place of a library, which no loader takes."""
    hidden = os.path.join(WORK.name, "hidden")
    os.mkdir(hidden)
    for name in ("libcurl.so.4", "libmicrohttpd.so.12"):
        open(os.path.join(hidden, name), "w", encoding="utf-8").close()
    done = submit("http://127.0.0.1:1", write("plain.cu", "accept\n"), "-p", "gemm-f16", LD_LIBRARY_PATH=hidden)
    assert done.returncode == 3 and done.stderr == \
        "gemmjudge: no libcurl.so.4: install it (Debian: apt-get install libcurl4)\n", done
    done = subprocess.run([PROGRAM, "serve", "--store", os.path.join(WORK.name, "s.db"), "--without", "jail", "--listen",
                           "127.0.0.1:0"], env={**os.environ, "LD_LIBRARY_PATH": hidden}, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert done.returncode == 3 and "apt-get install libmicrohttpd12" in done.stderr, done


def main():
    check_verdicts()
    server = Server(PROGRAM)
    check_headers(server)
    check_refused(server)
    assert server.end() == 0
    check_users()
    check_away()
    check_strangers()
    check_hostile()
    check_plain_http()
    check_dead()
    check_certificates()
    check_libraries()


if __name__ == "__main__":
    main()
