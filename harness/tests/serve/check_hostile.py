"""What a student, and a stranger without a token, must not be able to do to `gemmjudge serve`.

usage: check_hostile.py GEMMJUDGE [CHECK...]

Each check attacks, and demands that others are served all the same; without its defence the attack works.
"""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

from server import Server, drained, user_add

PROGRAM = os.path.abspath(sys.argv[1])
SOON = 3.0  # seconds within which others are answered; connections are dropped after 10 anyhow
SUBMIT = b"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def opened(server, text, source=None):
    """A connection on which this was sent, from an address of this machine."""
    peer = socket.create_connection(("127.0.0.1", server.port), timeout=60,
                                    source_address=(source, 0) if source else None)
    peer.sendall(text)
    return peer


def closed(peer):
    """Whether the other side has closed it."""
    peer.setblocking(False)
    try:
        return peer.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def statuses(got):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", got)]


def quickly(ask):
    begun = time.monotonic()
    result = ask()
    assert time.monotonic() - begun < SOON, f"answered after {time.monotonic() - begun:.1f} s"
    return result


def bearer(token):
    return f"Authorization: Bearer {token}\r\n".encode()


def users(*names):
    """A store with these users, in a folder of its own, and their tokens."""
    store = os.path.join(tempfile.mkdtemp(dir="."), "store.db")
    return store, [user_add(PROGRAM, store, name) for name in names]


def check_framing():
    """Requests that end in two places, or hide behind a zero, are one request, and refused."""
    server = Server(PROGRAM)
    hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    length = b"Content-Length: %d\r\n" % (5 + len(hidden))
    chunked = b"Transfer-Encoding: chunked\r\n"
    for headers, body in [
        (b"Content-Length: 4\r\n" + chunked, b"0\r\n\r\n"), (chunked + length, b"0\r\n\r\n"),
        (b"Content-Length: 0\r\n" + length, b""), (length + b"Content-Length: 0\r\n", b""),
        (b"Content-Length: 4\r\nContent-Length: 4\r\n", b"abcd"), (chunked + chunked, b"0\r\n\r\n"),
        (b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"), (b"Transfer-Encoding: identity\r\n", b""),
        (b"Transfer-Encoding:\r\n chunked\r\n" + length, b"0\r\n\r\n"),
        (b"Transfer-Encoding : chunked\r\n" + length, b"0\r\n\r\n"), (b"Content-Length : 4\r\n", b"abcd"),
        (b"Content-Length: +4\r\n", b"abcd"), (b"Content-Length: 4, 4\r\n", b"abcd"), (b"Host: other\r\n", b""),
    ]:
        for first in (SUBMIT, b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n"):
            got = drained(opened(server, first + headers + b"\r\n" + body + hidden))
            assert set(statuses(got)) == {400} and b"no JSON" not in got, (headers, got)
    old = drained(opened(server, b"POST /login HTTP/1.0\r\nHost: localhost\r\n" + chunked + b"\r\n0\r\n\r\n" + hidden))
    assert re.findall(rb"HTTP/1\.\d (\d+)", old) == [b"400"], old
    for path in ("/healthz%00", "/healthz%00x", "/api/submissions?name=a%00b", "/?a%00=b"):
        assert server.request("GET", path).status == 400, path
    assert server.request("GET", "/healthz?a=%2500").status == 200
    assert statuses(drained(opened(server, hidden + hidden.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")))) == [200, 200]
    assert server.end() == 0


def check_bodies():
    """Bodies of strangers are not read; those of one user leave room for others'."""
    store, (ada, mal) = users("ada", "mal")
    server = Server(PROGRAM, store=store)
    large = b"Content-Length: 2100000\r\n\r\n"
    for first in (SUBMIT, SUBMIT + bearer("0" * 64), SUBMIT.replace(b"Content-Type", b"Transfer-Encoding: chunked\r\nContent-Type")):
        got = quickly(lambda: drained(opened(server, first + (b"\r\n" if b"chunked" in first else large))))
        assert statuses(got) == [401], got
    small = quickly(lambda: opened(server, SUBMIT + b"Content-Length: 3\r\nConnection: close\r\n\r\n{}\n"))
    assert statuses(drained(small)) == [401], "who sends little reads why"
    login = b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
    assert statuses(drained(opened(server, login + b" " * 5000 + b"GET / HTTP/1.0\r\n\r\n"))[:40]) == [413]
    held = [opened(server, SUBMIT + large) for _ in range(40)]
    for peer in held:
        try:
            peer.sendall(b"x" * 2000000)
        except OSError:
            pass  # it was refused
    assert quickly(lambda: server.submit("accept", ada)).status == 202
    held += [opened(server, SUBMIT + bearer(mal) + large + b"x" * 2000000) for _ in range(40)]
    time.sleep(0.5)
    assert quickly(lambda: server.submit("accept", ada)).status == 202
    reply = server.request("POST", "/api/submissions", b"x" * 2000000, mal, {"Content-Type": "application/json"})
    assert reply.status == 429 and "bodies" in reply.json()["error"] and int(reply.headers["Retry-After"]) > 0, reply.body
    for peer in held:
        peer.close()
    time.sleep(0.5)
    assert server.submit("accept " + "x" * 1000000, mal).status == 202
    assert server.end() == 0


def check_connections():
    """Who holds very many connections holds up nobody who shows a token, nor strangers who say what they want."""
    store, (ada, mal) = users("ada", "mal")
    server = Server(PROGRAM, store=store)
    me = lambda token: b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n" + bearer(token) + b"\r\n"
    begun = opened(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "127.0.0.3")
    slow = []
    for count in (300, 200, 100):  # each has a moment for its first request
        slow += [opened(server, b"GET /healthz HTTP/1.1\r\nX", "127.0.0.2") for _ in range(count)]
        time.sleep(1.5)
    left = sum(not closed(peer) for peer in slow)
    assert 100 <= left <= 130, f"{left} of one address"
    begun.sendall(b"\r\n")
    assert b" 200 " in begun.recv(100), "the oldest of another address stays"
    known = opened(server, me(ada))
    assert statuses(known.recv(4096)) == [200]
    many = [opened(server, me(mal), "127.0.0.2") for _ in range(100)]
    assert all(statuses(peer.recv(4096)) == [200] for peer in many)
    for i in range(1500):  # each of a new address
        slow.append(opened(server, b"GET /healthz HTTP/1.1\r\nX", f"127.0.{1 + i // 100}.{1 + i % 100}"))
    assert quickly(lambda: server.request("GET", "/healthz")).status == 200
    assert quickly(lambda: server.submit("accept", ada)).status == 202
    known.sendall(me(ada))
    assert statuses(known.recv(4096)) == [200], "a connection that showed a token stays"
    time.sleep(0.5)
    left = sum(not closed(peer) for peer in many)
    assert left == 64, f"{left} of one user, those beyond are as strangers'"
    slow_left = sum(not closed(peer) for peer in slow)
    assert 450 <= slow_left <= 1024, f"{slow_left} of strangers"
    for peer in slow + many + [known, begun]:
        peer.close()
    assert server.end() == 0


def check_streams():
    """One user's event streams are bounded, and leave room for the requests and streams of others."""
    store, (ada, mal) = users("ada", "mal")
    server = Server(PROGRAM, "--workers", "2", store=store)
    own, other = server.submitted("sleep 20", mal), server.submitted("sleep 4", ada)
    server.until(own, "judging", token=mal)
    events = lambda number, token: (f"GET /api/submissions/{number}/events HTTP/1.1\r\nHost: localhost\r\n".encode() +
                                    bearer(token) + b"\r\n")
    streams = [opened(server, events(own, mal)) for _ in range(1024)]
    assert quickly(lambda: server.request("GET", "/healthz")).status == 200
    refused = quickly(lambda: server.request("GET", f"/api/submissions/{own}/events", token=mal))
    assert refused.status == 429 and int(refused.headers["Retry-After"]) > 0, refused.body
    assert quickly(lambda: server.get(own, mal))["state"] == "judging", "who is refused can ask"
    assert server.events(other, ada)[-1][0] == "verdict"
    assert sum(statuses(peer.recv(4096)) == [200] for peer in streams if not closed(peer)) <= 32
    for peer in streams:
        peer.close()
    for attempt in range(100):  # the server notices that they are gone with the next event, or after 15 s
        peer = opened(server, events(own, mal))
        if statuses(peer.recv(4096)) == [200]:
            break
        time.sleep(0.3)
    else:
        raise AssertionError("streams that are gone count for ever")
    server.end(signal.SIGKILL)


def check_closed():
    """A server that had users is nobody's when the last one is removed."""
    for started_open in (False, True):
        store, (ann,) = users("ann") if not started_open else (os.path.join(tempfile.mkdtemp(dir="."), "s.db"), (None,))
        server = Server(PROGRAM, store=store)
        if started_open:
            assert server.request("GET", "/api/me").json()["role"] == "teacher"
            ann = user_add(PROGRAM, store, "ann")
        number = server.submitted("accept", ann)
        subprocess.run([PROGRAM, "user", "remove", "ann", "--store", store], check=True)
        for host in ("localhost", "127.0.0.1", "judge.example.org"):
            for path in ("/api/me", "/api/submissions", f"/api/submissions/{number}/source", "/class.csv"):
                reply = server.request("GET", path, headers={"Host": host, "Accept": "application/json"})
                assert reply.status == 401 and b"a token is needed" in reply.body, (host, path, reply.status, reply.body)
        bob = user_add(PROGRAM, store, "bob")
        assert server.request("GET", "/api/me", token=bob).json()["user"] == "bob"
        assert server.end() == 0


def check_disk():
    """Who submits and withdraws for ever fills no disk, nor does who keeps much."""
    store, (ada, mal) = users("ada", "mal")
    server = Server(PROGRAM, "--disk-of-user", "16", "--seconds-of-user", "86400", store=store)
    size = lambda: sum(os.path.getsize(store + end) for end in ("", "-wal") if os.path.exists(store + end))
    large = "accept " + "x" * 1000000
    server.submitted("sleep 60", mal)  # so that the rest waits
    before, taken = size(), 0
    for _ in range(40):
        reply = server.submit(large, mal)
        if reply.status != 202:
            break
        taken += 1
        assert server.request("DELETE", "/api/submissions/" + reply.json()["id"], token=mal).status == 200
    assert reply.status == 429 and "--disk-of-user" in reply.json()["error"], reply.body
    assert 14 <= taken <= 16 and int(reply.headers["Retry-After"]) > 600, "what was withdrawn counts for an hour"
    assert size() - before < 10 << 20, f"the store grew by {size() - before >> 20} MiB"
    assert server.request("GET", "/api/me", token=mal).json()["bytes"] > 14000000
    kept = [server.submit(large, ada).status for _ in range(18)]
    assert 14 <= kept.count(202) <= 16 and kept[-1] == 429, kept
    server.end(signal.SIGKILL)


def check_priority():
    """Where nothing is timed, judges leave the CPU to who answers requests."""
    path = os.path.abspath("nice")
    for options, more in ((["--device", "emu"], 10), ([], 0)):
        server = Server(PROGRAM, *options, environment={"FAKE_NICE": path})
        server.until(server.submitted("accept"), "done")
        with open(path) as file:
            assert int(file.read()) == min(os.nice(0) + more, 19), options
        os.remove(path)
        assert server.end() == 0


CHECKS = (check_framing, check_bodies, check_connections, check_streams, check_closed, check_disk, check_priority)


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    scratch = tempfile.TemporaryDirectory(prefix="gemmjudge-serve-")
    os.chdir(scratch.name)
    for check in CHECKS:
        if sys.argv[2:] and check.__name__ not in sys.argv[2:]:
            continue
        begun = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
