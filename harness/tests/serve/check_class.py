"""What a student of a class cannot do to the others of it, or to its table.

usage: check_class.py GEMMJUDGE SOURCE_ROOT
"""

import os
import subprocess
import sys
import tempfile
import threading
import time

from server import Server, user_add

PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])


def user_remove(store, name):
    subprocess.run([PROGRAM, "user", "remove", name, "--store", store], check=True)


def check_removed():
    """A name that is given again is another user; who is removed hears no more."""
    store = os.path.abspath("removed.db")
    bob, eve = user_add(PROGRAM, store, "bob"), user_add(PROGRAM, store, "eve", "--role", "teacher")
    server = Server(PROGRAM, store=store)
    old = server.submitted("accept old", bob)
    server.until(old, "done", token=bob)
    running = server.submitted("sleep 30", bob)
    server.until(running, "judging", token=bob)
    heard = []
    watching = threading.Thread(target=lambda: heard.append(server.request("GET", f"/api/submissions/{running}/events", token=bob)))
    watching.start()
    time.sleep(0.5)
    user_remove(store, "bob")
    watching.join(10)
    assert not watching.is_alive(), "the stream of a removed user ends"
    assert b"event: verdict" not in heard[0].body, heard[0].body
    again = user_add(PROGRAM, store, "bob")
    assert server.request("GET", "/api/submissions/" + old, token=again).status == 404
    assert server.request("GET", f"/api/submissions/{old}/source", token=again).status == 404
    assert server.request("DELETE", "/api/submissions/" + running, token=again).status == 404
    assert server.request("GET", "/api/submissions", token=again).json()["submissions"] == []
    assert server.request("GET", "/api/me", token=again).json()["seconds_in_last_hour"] == 0
    table = server.request("GET", "/class.csv", token=eve).body.decode()
    assert table == "user\r\nbob\r\n", table
    both = server.request("GET", "/api/submissions?user=bob", token=eve).json()["submissions"]
    assert [job["user"] for job in both] == ["bob", "bob"] and len({job["user_id"] for job in both}) == 1, both
    server.process.kill()


def check_budget():
    """The hour's seconds end what runs beyond them, and count what came to no verdict."""
    store = os.path.abspath("budget.db")
    bob, ada = user_add(PROGRAM, store, "bob"), user_add(PROGRAM, store, "ada")
    server = Server(PROGRAM, "--seconds-of-user", "3", "--workers", "2", store=store)
    begun = time.monotonic()
    both = [server.submitted(f"sleep 60 {i}", bob) for i in range(2)]
    for number in both:
        job = server.until(number, "done", token=bob)
        assert job["verdict"] is None and "used up" in job["error"] and job["attempts"] == 1, job
    assert time.monotonic() - begun < 10, "the two of them together had no more than three seconds"
    used = server.request("GET", "/api/me", token=bob).json()["seconds_in_last_hour"]
    assert 3 <= used < 8, used
    assert server.submit("accept", bob).status == 429
    number = server.submitted("crash", ada)
    assert server.until(number, "done", token=ada)["attempts"] == 3
    seconds = server.get(number, ada)["seconds"]
    server.until(server.submitted("sleep 2", ada), "done", token=ada)
    used = server.request("GET", "/api/me", token=ada).json()["seconds_in_last_hour"]
    assert 2 + seconds <= used < 4 + seconds, (used, seconds)
    assert server.end() == 0


def main():
    scratch = tempfile.TemporaryDirectory(prefix="gemmjudge-class-")
    os.chdir(scratch.name)
    check_removed()
    check_budget()


if __name__ == "__main__":
    main()
