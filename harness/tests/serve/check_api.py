"""What `gemmjudge serve` answers, and what it does not let itself be talked into.

usage: check_api.py GEMMJUDGE SOURCE_ROOT
"""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

from server import SEEN, Server, drained, user_add

PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])
FORGED = "0123456789abcdef" * 2


def open_raw(server, text):
    """A connection on which this was sent."""
    peer = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    peer.sendall(text)
    return peer


def check_course(server):
    """From a submission to its verdict."""
    name = "a<script>\x1b[31m\u202e\nb.cu"
    reply = server.submit("accept 1", name=name, options={"cases": 4, "fail-fast": True, "seed": None})
    assert reply.status == 202 and set(reply.json()) == {"id", "name", "state", "place"}, reply.body
    number = reply.json()["id"]
    events = server.events(number)
    assert [e[0] for e in events if e[0] != "queued"] == ["compiling", "compiled", "case", "case", "verdict"], events
    last = events[-1][1]
    assert last["verdict"] == "accepted" and last["state"] == "done" and last["result"]["problem"] == "gemm-f16", last
    job = server.get(number)
    assert {**job, "event": "verdict", "place": None} == {**last, "place": None}
    assert not set("\x1b\n\u202e") & set(job["name"]) and job["name"].startswith("a<script>"), job["name"]
    assert job["options"] == {"cases": 4, "fail-fast": True, "seed": None} and job["attempts"] == 1
    assert [e[0] for e in server.events(number)] == ["verdict"]
    assert server.request("GET", f"/api/submissions/{number}/source").body == b"accept 1"
    wrong = server.until(server.submitted("wrong 2"), "done")
    assert wrong["verdict"] == "wrong_answer" and wrong["result"]["file"] == f"submission-{wrong['number']}.cu"
    refused = server.until(server.submitted("refuse"), "done")
    assert refused["verdict"] is None and "no such number" in refused["error"] and refused["attempts"] == 1
    assert [e[0] for e in server.events(refused["id"])] == ["error"]
    listed = server.request("GET", "/api/submissions?limit=2").json()["submissions"]
    assert [job["id"] for job in listed] == [refused["id"], wrong["id"]]
    before = server.request("GET", f"/api/submissions?before={wrong['number']}").json()["submissions"]
    assert [job["id"] for job in before] == [number]
    arguments = open("arguments").read().splitlines()[0]
    assert " judge --jsonl=- --quiet --store " in arguments and arguments.endswith("--cases=4 --fail-fast -- -"), arguments
    assert "\x1b" not in server.errors()


def check_refused(server):
    """Requests that are none."""
    good = {"problem": "gemm-f16", "source": "accept"}
    for status, body, word in [
        (400, b"{", "no JSON"), (400, b"[]", "object"), (400, b'{"problem": 1}', "needed"),
        (400, b'{"source":"a","source":"b","problem":"gemm-f16"}', "no JSON"),
        (400, {**good, "problem": "gem-f16"}, "did you mean"), (400, {**good, "source": ""}, "empty"),
        (400, {**good, "path": "/etc/passwd"}, "no member"), (400, {**good, "name": "x" * 200}, "name"),
        (400, {**good, "options": {"store": "x"}}, "no option"), (400, {**good, "options": {"casse": 1}}, "'cases'"),
        (400, {**good, "options": {"nvcc-flag": "-I/"}}, "no option"), (400, {**good, "options": []}, "no object"),
        (400, {**good, "options": {"suite": "../../x.ini"}}, "no such value"),
        (400, {**good, "options": {"epilogue": "./x.cuh"}}, "no such value"),
        (400, {**good, "options": {"cases": 100000}}, "256"), (400, {**good, "options": {"cases": "4"}}, "number"),
        (400, {**good, "options": {"suite": "edges", "cases": 1}}, "exclude"),
        (400, {**good, "options": {"shape": "x"}}, "shape"), (413, {**good, "source": "x" * (1 << 20) + "x"}, "1 MiB"),
    ]:
        reply = server.request("POST", "/api/submissions", body, headers={"Content-Type": "application/json"})
        assert reply.status == status and word in reply.json()["error"], (body, reply.status, reply.body)
        assert "\n" not in reply.json()["error"]
    assert server.submit("accept " + " " * ((1 << 20) - 7)).status == 202, "1 MiB is taken"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""):
        reply = server.request("POST", "/api/submissions", b'{"problem":"gemm-f16","source":"a"}',
                               headers={"Content-Type": kind})
        assert reply.status == 415, kind
    for header in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                   {"Sec-Fetch-Site": "same-site"}):
        assert server.request("POST", "/api/submissions", good, headers=header).status == 403, header
        for method, path in (("POST", "/api/session"), ("DELETE", "/api/session"), ("DELETE", "/api/submissions/" + FORGED)):
            assert server.request(method, path, headers=header).status == 403, (method, path)
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Sec-Fetch-Site": "same-origin"}
    assert server.request("POST", "/api/submissions", good, headers=own).status == 202
    assert server.request("GET", "/api/me", headers={"Host": "evil.example"}).status == 401, "another name leads here"
    for path in ("/api/submissions/" + FORGED, f"/api/submissions/{FORGED}/source", f"/api/submissions/{FORGED}/events",
                 "/../../etc/passwd", "/api/submissions/..%2f..%2fetc%2fpasswd", "//", "/api",
                 "/api/submissions/" + "x" * 32, "/api/submissions/" + FORGED + "/", "/api/submissions/" + FORGED.upper()):
        assert server.request("GET", path).status == 404, path
    assert server.request("DELETE", "/api/submissions/" + FORGED).status == 404
    reply = server.request("PUT", "/api/submissions")
    assert reply.status == 405 and reply.headers["Allow"] == "GET, HEAD, POST"
    assert server.request("GET", "/api/leaderboard?problem=none").status == 400
    assert server.request("HEAD", "/api/me").status == 200


def check_bounds(server):
    """Headers and bodies that are too large."""
    reply = drained(open_raw(server, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100000 + b"\r\n\r\n"))
    assert reply == b"" or reply.split()[1] in (b"431", b"400", b"413"), reply[:80]
    peer = open_raw(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    try:
        for _ in range(160):
            peer.sendall(b"X: " + b"x" * 65536 + b"\r\n")
        got = drained(peer)
        assert b" 200 " not in got[:20], got[:80]
    except (BrokenPipeError, ConnectionResetError):
        peer.close()
    head = b"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    peer = open_raw(server, head + b"Content-Length: 1000000000000\r\n\r\n{")
    assert b" 413 " in peer.recv(200)
    peer.close()
    peer = open_raw(server, head + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 40 +
                    b"0\r\n\r\n")
    assert b" 413 " in peer.recv(200)
    peer.close()


def check_headers(server):
    """What guards a browser, on whatever is answered."""
    for path in ("/", "/api/me", "/none", "/healthz"):
        headers = server.request("GET", path).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'"), path
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == ("same-origin" if path == "/" else "no-referrer"), path
        assert headers["Cache-Control"] == "no-store", path


def check_failing(server):
    """A judge that comes to no verdict is tried again, and not for ever."""
    job = server.until(server.submitted("crash"), "done")
    assert job["verdict"] is None and job["attempts"] == 3 and "the judge ended" in job["error"], job


def check_numbers(server):
    """Health and metrics."""
    assert server.request("GET", "/healthz").json()["state"] == "ok"
    text = server.request("GET", "/metrics").body.decode()
    for line in ('gemmjudge_verdicts_total{verdict="wrong_answer"} 1', 'gemmjudge_workers{device="auto"} 1',
                 'gemmjudge_verdicts_total{verdict="none"}', "# TYPE gemmjudge_waiting gauge", "gemmjudge_store_bytes "):
        assert line in text, text
    assert server.request("GET", "/api/leaderboard").json() == {"boards": [], "by_correctness": [], "not_ranked": []}
    assert len(server.request("GET", "/api/problems").json()["problems"]) > 5


def check_queue():
    """The queue's bound, what is withdrawn, and an end that waits."""
    server = Server(PROGRAM, "--queue", "2")
    first = server.submitted("sleep 2")
    server.until(first, "judging")
    second, third = server.submitted("accept 2"), server.submitted("accept 3")
    reply = server.submit("accept 4")
    assert reply.status == 429 and int(reply.headers["Retry-After"]) > 0, reply.body
    assert server.get(second)["place"] == 1 and server.get(third)["place"] == 2 and server.get(first)["place"] is None
    assert server.request("DELETE", "/api/submissions/" + second).json() == {"id": second, "state": "withdrawn"}
    assert server.get(second)["state"] == "withdrawn" and server.events(second)[-1][0] == "withdrawn"
    assert server.request("GET", f"/api/submissions/{second}/source").status == 404, "its source is removed"
    assert server.get(third)["place"] == 1
    assert server.request("DELETE", "/api/submissions/" + second).status == 409
    assert server.request("DELETE", "/api/submissions/" + first).status == 409
    other = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--without", "jail", "--store", server.store],
                           capture_output=True, text=True, timeout=60)
    assert other.returncode == 3 and "another 'gemmjudge serve' has it" in other.stderr, other
    assert server.end() == 0
    again = Server(PROGRAM, store=server.store)
    assert again.get(first)["verdict"] == "accepted", "it ended after the present judgement"
    assert again.until(third, "done")["verdict"] == "accepted" and again.get(second)["state"] == "withdrawn"
    assert again.end(signal.SIGINT) == 0


def check_kill():
    """kill -9 in the middle: what was taken is judged after the next start."""
    server = Server(PROGRAM, "--workers", "2")
    ids = [server.submitted("sleep 30" if i < 2 else f"accept {i}") for i in range(6)]
    server.until(ids[0], "judging")
    server.until(ids[1], "judging")
    server.end(signal.SIGKILL)
    path = os.path.abspath("killed")
    again = Server(PROGRAM, "--workers", "3", store=server.store, environment={"FAKE_JUDGED": path})
    for number in ids[2:]:
        assert again.until(number, "done")["verdict"] == "accepted"
    assert all(again.get(number)["state"] == "judging" and again.get(number)["attempts"] == 2 for number in ids[:2])
    assert sorted(open(path).read().split()) == ["2", "3", "30", "30", "4", "5"], "each once"
    again.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert again.submit("accept").status == 503 and again.request("GET", "/healthz").status == 503
    assert again.end() == 0, "the second signal ends it at once"


def check_full():
    """A disk without room, by a limit of the process: nothing is said before it is written, and nothing is lost."""
    server = Server(PROGRAM)
    number = server.submitted("sleep 0.5")
    server.until(number, "judging")
    limit = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
    reply = server.submit("accept")
    assert reply.status == 503 and int(reply.headers["Retry-After"]) > 0, reply.body
    health = server.request("GET", "/healthz")
    assert (health.status, health.json()["state"]) == (503, "failing"), "it says so where every POST is refused"
    time.sleep(1)
    assert server.get(number)["state"] == "judging"
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limit)
    assert server.until(number, "done")["verdict"] == "accepted"
    end = time.monotonic() + 10
    while server.request("GET", "/healthz").status != 200:
        assert time.monotonic() < end, "it is well again"
        time.sleep(0.2)
    assert server.until(server.submitted("accept"), "done")["verdict"] == "accepted"
    assert server.end() == 0


def check_quota():
    """A store that has the size that it may have."""
    server = Server(PROGRAM, "--disk", "2")
    assert server.submit("accept " + "x" * 1000000).status == 202
    reply = server.submit("accept " + "x" * 1000000)
    assert reply.status == 507 and "--disk" in reply.json()["error"], reply.body
    assert server.submit("accept").status == 202, "as long as there is room"
    assert server.end() == 0


def check_users():
    """Tokens, roles, whose source one sees, and what each may have."""
    refused = subprocess.run([PROGRAM, "serve", "--listen", "0.0.0.0:0", "--without", "jail", "--store", "users.db"],
                             capture_output=True, text=True, timeout=60)
    assert refused.returncode == 3 and "gemmjudge user add" in refused.stderr, refused
    store = os.path.abspath("users.db")
    ada, bob = user_add(PROGRAM, store, "ada"), user_add(PROGRAM, store, "bob")
    eve = user_add(PROGRAM, store, "eve", "--role", "teacher")
    assert len({ada, bob, eve}) == 3 and len(ada) == 64 and ada.encode() not in open(store, "rb").read()
    for words in (["add", "ada"], ["add", "../x"], ["add", ""], ["remove", "nobody"], ["add"], ["list", "--role", "teacher"]):
        bad = subprocess.run([PROGRAM, "user", *words, "--store", store], capture_output=True, text=True)
        assert bad.returncode == 2 and bad.stderr.count("\n") == 1, (words, bad)
    judged = os.path.abspath("judged")
    server = Server(PROGRAM, "--queue-of-user", "2", store=store, listen="0.0.0.0:0", environment={"FAKE_JUDGED": judged})
    for path in ("problems", "leaderboard", "submissions", f"submissions/{FORGED}", f"submissions/{FORGED}/events",
                 f"submissions/{FORGED}/source"):
        assert server.request("GET", "/api/" + path).status == 401, path
    assert server.request("DELETE", "/api/submissions/" + FORGED).status == 401
    for token in (None, "x", "0" * 64, ada[:-1], ada + "0"):
        assert server.request("GET", "/api/me", token=token).status == 401, token
        assert server.submit("accept", token).status == 401
    assert server.request("GET", "/api/me", token=ada).json()["user"] == "ada"
    first = server.submitted("sleep 1 first", ada)
    server.until(first, "judging", token=ada)
    watching = [open_raw(server, f"GET /api/submissions/{first}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada}\r\n\r\n"
                         .encode()) for _ in range(32)]
    assert all(b" 200 " in peer.recv(100) for peer in watching)
    reply = server.request("GET", f"/api/submissions/{first}/events", token=ada)
    assert reply.status == 429 and int(reply.headers["Retry-After"]) > 0, reply.body
    for peer in watching:
        peer.close()
    second, third = server.submitted("accept second", ada), server.submitted("accept third", ada)
    assert server.submit("accept fourth", ada).status == 429
    fair = server.submitted("accept fair", bob)
    assert server.get(fair, bob)["place"] == 1 and server.get(second, ada)["place"] == 2, "who has none in judgement"
    for path in ("", "/source", "/events"):
        assert server.request("GET", f"/api/submissions/{second}{path}", token=bob).status == 404
        assert server.request("GET", f"/api/submissions/{first}{path}", token=eve).status == 200
    assert server.request("DELETE", "/api/submissions/" + second, token=bob).status == 404
    server.until(third, "done", token=ada)
    assert open(judged).read().split() == ["first", "fair", "second", "third"]
    count = lambda token, query="": len(server.request("GET", "/api/submissions" + query, token=token).json()["submissions"])
    assert (count(ada), count(bob), count(eve), count(eve, "?mine"), count(eve, "?user=bob")) == (3, 1, 4, 0, 1)
    assert count(bob, "?user=ada") == 1, "a student sees the own ones only"
    login = server.request("POST", "/api/session", {"token": bob})
    cookie = login.headers["Set-Cookie"]
    assert login.status == 200 and "HttpOnly; SameSite=Strict" in cookie and "Secure" not in cookie
    assert server.request("GET", "/api/me", headers={"Cookie": "xgemmjudge=1; " + cookie.split(";")[0]}).json()["user"] == "bob"
    assert "Secure" in server.request("POST", "/api/session", {"token": bob},
                                      headers={"X-Forwarded-Proto": "https"}).headers["Set-Cookie"]
    assert server.request("POST", "/api/session", {"token": "nobody's"}).status == 401
    assert server.request("POST", "/api/session", {"token": 1}).status == 400
    assert server.request("POST", "/api/session", b"token=" + bob.encode()).status == 415
    assert "Max-Age=0" in server.request("DELETE", "/api/session").headers["Set-Cookie"]
    subprocess.run([PROGRAM, "user", "remove", "bob", "--store", store], check=True)
    assert server.request("GET", "/api/me", token=bob).status == 401
    assert server.end() == 0
    server = Server(PROGRAM, "--public", "--seconds-of-user", "0.5", store=store)
    assert server.request("GET", "/api/me").status == 401, "there are users, so that loopback needs a token, too"
    assert server.request("GET", f"/api/submissions/{fair}/source", token=ada).body == b"accept fair"
    reply = server.submit("accept", ada)
    assert reply.status == 429 and "in the last hour" in reply.json()["error"], reply.body
    assert server.end() == 0


def check_described(path):
    """openapi.json names every path, method and status that was seen here, and no other; and their members."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    schemas, described = document["components"]["schemas"], set()
    with open(os.path.join(os.path.dirname(path), "intake.c"), encoding="utf-8") as file:
        options = re.findall(r'^\t\{"([a-z-]+)", ', file.read(), re.M)
    assert options == list(schemas["Submission"]["properties"]["options"]["properties"]), options
    for address, methods in document["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                described.add((method, address, status))
                for kind, members in SEEN.get((method, address, status), ()):
                    schema = response["content"][kind]["schema"]
                    if "$ref" in schema:
                        schema = schemas[schema["$ref"].split("/")[-1]]
                        if members is not None:
                            assert set(schema["required"]) <= members <= set(schema["properties"]), (address, members)
    seen = {shape for shape in SEEN if shape[1] in document["paths"] and shape[0] in document["paths"][shape[1]]}
    assert described == seen, f"only described: {described - seen}, only seen: {seen - described}"


def main():
    scratch = tempfile.TemporaryDirectory(prefix="gemmjudge-serve-")
    os.chdir(scratch.name)
    server = Server(PROGRAM, environment={"FAKE_ARGUMENTS": os.path.abspath("arguments")})
    slow = open_raw(server, b"GET / HTTP/1.1\r\nHost: localhost\r\nX")
    stuck = open_raw(server, b"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
    begun = time.monotonic()
    check_course(server)
    check_refused(server)
    check_bounds(server)
    check_headers(server)
    check_failing(server)
    check_numbers(server)
    check_queue()
    check_kill()
    check_full()
    check_quota()
    check_users()
    while time.monotonic() < begun + 8:  # a byte now and then does not help
        slow.sendall(b"x")
        time.sleep(0.5)  # until then nobody was dropped
    begun = time.monotonic()
    assert drained(slow) == b"" and time.monotonic() < begun + 20, "a slow client is dropped"
    stuck.close()
    check_described(os.path.join(ROOT, "harness/serve/openapi.json"))
    assert server.end() == 0


if __name__ == "__main__":
    main()
