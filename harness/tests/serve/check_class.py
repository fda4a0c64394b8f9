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


EMPTY = """#include <cuda_fp16.h>
extern "C" void solve(const half *, const half *, half *, int, int, int, float, float) {}
"""
CRASH = """#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
extern "C" void solve(const half *, const half *, half *, int, int, int, float, float)
{
	fprintf(stderr, "SECRET of bob\\n");
	abort();
}
"""


def boards(server, token, ready):
    """What one sees of them, once it is as awaited."""
    end = time.monotonic() + 60
    while not ready(board := server.request("GET", "/api/leaderboard", token=token).json()):
        assert time.monotonic() < end, board
        time.sleep(0.1)
    return board


def ranked(board):
    return [(item["rank"], item["judgement"]["user"]) for item in board["by_correctness"]]


def check_practice(right):
    """Who chooses cases, sizes, a seed or a tolerance practises; boards tell of others a rank and a name."""
    store = os.path.abspath("practice.db")
    ada, bob, mal = (user_add(PROGRAM, store, name) for name in ("ada", "bob", "mal"))
    eve = user_add(PROGRAM, store, "eve", "--role", "teacher")
    subprocess.run([PROGRAM, "judge", os.path.join(ROOT, "solutions/gemm_f16/01_naive.cu"), "--device", "emu", "--store", store,
                    "--cases", "1", "--max-dim", "16"], check=True, capture_output=True)  # the teacher's own: nobody's business
    server = Server(PROGRAM, "--device", "emu", "--cases", "12", "--max-dim", "32", store=store, fake=False)
    probe = server.until(server.submitted(EMPTY, mal, options={"seed": "0x1"}), "done", token=mal)
    lucky = [case["name"] for case in probe["result"]["cases"] if case["verdict"] == "accepted"]
    assert lucky, "alpha is 0 and beta 1 in one of them"
    ways = [(EMPTY, {"seed": "0x1", "case": ",".join(lucky)}), (EMPTY, {"tolerance": "1e9,1e9"}), (right, {"multiple-of": 8}),
             (right, {"epilogue": "clamp:0:0"})]
    for source, options in ways:
        job = server.until(server.submitted(source, mal, options=options), "done", token=mal)
        assert (job["verdict"], job["practice"]) == ("accepted", True), (options, job["verdict"], job["error"])
    assert b"This is practice" in server.request("GET", "/submissions/" + job["id"], token=mal, headers={"Accept": "text/html"}).body
    failed = server.until(server.submitted(CRASH, bob, name="bobs_private_attempt.cu"), "done", token=bob)
    assert "SECRET" in str(failed["result"]) and failed["practice"] is False
    good = server.until(server.submitted(right, ada, name="adas.cu", options={"fail-fast": True, "seed": None}), "done", token=ada)
    assert (good["verdict"], good["practice"]) == ("accepted", False), good
    seen = boards(server, bob, lambda board: len(board["by_correctness"]) == 2)
    assert ranked(seen) == [(1, "ada"), (2, "bob")], seen
    assert set(seen["by_correctness"][0]["judgement"]) == {"problem", "device", "epilogue", "user"}, seen
    assert seen["by_correctness"][1]["judgement"]["name"] == "bobs_private_attempt.cu", "the own one"
    for token, path in ((ada, "/api/leaderboard"), (mal, "/api/leaderboard"), (ada, "/boards"), (mal, "/boards/gemm-f16")):
        text = server.request("GET", path, token=token).body.decode()
        assert "ada" in text and not any(word in text for word in ("bob", "SECRET", "01_naive", os.uname().nodename, store)), (path, text)
    whole = boards(server, eve, lambda board: len(board["not_ranked"]) >= len(ways))
    assert ranked(whole) == [(1, "ada"), (2, "bob")], whole
    assert whole["by_correctness"][0]["judgement"]["submission"] == good["id"] and "01_naive" not in str(whole)
    assert {item["why"] for item in whole["not_ranked"] if item["judgement"]["user"] == "mal"} == {"practice: judged with options of its own"}
    for i in range(3):  # comments make no further entry
        again = server.until(server.submitted(f"// {i}\n{right}", ada), "done", token=ada)
        assert again["verdict"] == "accepted" and again["content"] != good["content"]
    whole = boards(server, eve, lambda board: len(board["not_ranked"]) >= len(ways) + 4)
    assert ranked(whole) == [(1, "ada"), (2, "bob")], whole
    table = server.request("GET", "/class.csv", token=eve).body.decode()
    assert table == "user,gemm-f16\r\nada,accepted\r\nbob,runtime_error\r\nmal,practice\r\n", table
    page = server.request("GET", "/class", token=eve).body.decode()
    assert "(practice)" in page and "Solved: gemm-f16 by 1 of 3." in page, page
    assert "(practice)" in server.request("GET", "/submissions", token=mal).body.decode()
    shown = subprocess.run([PROGRAM, "leaderboard", "--store", store, "--submitted"], check=True, capture_output=True, text=True).stdout
    assert "adas.cu" in shown and "practice" in shown and "01_naive" not in shown, shown
    assert server.end() == 0


def check_standard(right):
    """A class's own options are the standard of a problem, also for who writes them out."""
    store = os.path.abspath("standard.db")
    ada = user_add(PROGRAM, store, "ada")
    with open("standard.json", "w", encoding="utf-8") as file:
        file.write('{"gemm-f16": {"cases": 3, "multiple-of": 8}}')
    server = Server(PROGRAM, "--device", "emu", "--max-dim", "32", "--standard", "standard.json", store=store, fake=False)
    standard = {problem["name"]: problem["standard"] for problem in server.request("GET", "/api/problems", token=ada).json()["problems"]}
    assert standard["gemm-f16"] == {"cases": 3, "multiple-of": 8} and standard["sgemm"] == {}, standard
    for options, practice, cases in ((None, False, 3), ({"multiple-of": 8, "cases": 3}, False, 3), ({"cases": 3}, True, 3),
                                     ({"cases": 2}, True, 2)):
        job = server.until(server.submitted(right, ada, options=options), "done", token=ada)
        assert (job["practice"], job["result"]["cases_total"]) == (practice, cases), (options, job["practice"])
        assert job["run"]["multiple_of"] == (8 if cases == 3 and not practice else None), (options, job["run"])
    assert "&quot;cases&quot;:3" in server.request("GET", "/problems/gemm-f16", token=ada).body.decode()
    assert server.end() == 0
    for text, words in (('{"gemm-16": {}}', "unknown problem"), ('{"sgemm": {"store": "x"}}', "no option"), ("{", "line 1"), ("[]", "object"),
                        ('{"sgemm": 1}', "no object"), ('{"sgemm": {"cases": 1000}}', "256")):
        with open("standard.json", "w", encoding="utf-8") as file:
            file.write(text)
        bad = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--without", "jail", "--store", store, "--standard", "standard.json"],
                             capture_output=True, text=True, timeout=60)
        assert bad.returncode in (2, 3) and "--standard" in bad.stderr and words in bad.stderr and bad.stderr.count("\n") == 1, (text, bad)


def main():
    scratch = tempfile.TemporaryDirectory(prefix="gemmjudge-class-")
    os.chdir(scratch.name)
    check_removed()
    check_budget()
    with open(os.path.join(ROOT, "solutions/gemm_f16/01_naive.cu"), encoding="utf-8") as file:
        right = file.read()
    check_practice(right)
    check_standard(right)


if __name__ == "__main__":
    main()
