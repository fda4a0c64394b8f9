"""Real judgements by a server, on the emulated GPU: a right file, a wrong one, and the board.

usage: check_judge.py GEMMJUDGE SOURCE_ROOT
"""

import os
import subprocess
import sys
import time

from server import Server

PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])


def named_board(server, right):
    """A source that was submitted without a name has one on the board, also on that of the command line."""
    job = server.until(server.submitted("static int unused_here;\n" + right), "done")
    name, end = f"submission-{job['number']}.cu", time.monotonic() + 60
    while True:
        board = server.request("GET", "/api/leaderboard?problem=gemm-f16").json()
        names = [entry["judgement"]["name"] for entry in board["by_correctness"]]
        if len(names) == 3:
            break
        assert time.monotonic() < end, names
        time.sleep(0.05)
    assert sorted(names) == ["right.cu", name, "wrong.cu"] and names[2] == "wrong.cu", names
    assert name in server.request("GET", "/boards").body.decode()
    for command in (["leaderboard"], ["leaderboard", "--json", "-"]):
        said = subprocess.run([PROGRAM, *command, "--store", server.store], capture_output=True, text=True, check=True).stdout
        assert name in said and "right.cu" in said and "stdin" not in said, said
    return board


def main():
    server = Server(PROGRAM, "--device", "emu", "--cases", "4", "--max-dim", "64", fake=False)
    right = open(os.path.join(ROOT, "solutions/gemm_f16/01_naive.cu"), encoding="utf-8").read()
    wrong = right.replace("alpha, beta))", "alpha, 2.0f))")
    ids = [server.submitted(right, name="right.cu"), server.submitted(wrong, name="wrong.cu"),
           server.submitted(right, options={"epilogue": "no_such_stage"})]
    events = server.events(ids[0])
    cases = [event["case"]["verdict"] for name, event in events if name == "case"]
    assert cases == ["accepted"] * 4 and all(event["file"] == "right.cu" for name, event in events if name == "case")
    job = server.until(ids[0], "done")
    assert job["verdict"] == "accepted" and job["run"]["max_dim"] == 64 and job["result"]["file"] == "right.cu", job
    judged = server.until(ids[1], "done")
    places = judged["result"]["cases"][0]["check"]["map"]
    assert judged["verdict"] == "wrong_answer" and len(places["cells"]) == places["rows"] > 1, places
    cells = [[int(cell) for cell in row.split(" ")] for row in places["cells"]]
    assert all(len(row) == places["columns"] for row in cells)
    assert sum(map(sum, cells)) == judged["result"]["cases"][0]["check"]["wrong"] > 0, places
    assert b"Where the wrong elements lie" in server.request("GET", "/submissions/" + ids[1]).body
    refused = server.until(ids[2], "done")
    assert refused["verdict"] is None and "no_such_stage" in refused["error"], refused
    end = time.monotonic() + 60
    while True:
        board = server.request("GET", "/api/leaderboard?problem=gemm-f16").json()
        if board["by_correctness"]:
            break
        assert time.monotonic() < end, board
        time.sleep(0.05)
    board = named_board(server, right)
    first = next(entry["judgement"] for entry in board["by_correctness"] if entry["judgement"]["name"] == "right.cu")
    assert first["content"] == job["content"] and first["name"] == "right.cu" and first["submission"] == ids[0], first
    assert server.request("GET", "/api/leaderboard?problem=sgemm").json()["by_correctness"] == []
    assert server.end() == 0


if __name__ == "__main__":
    main()
