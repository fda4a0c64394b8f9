"""A server whose judgements go behind another command, such as srun: the verdict, the events and the board come back.

usage: check_through.py GEMMJUDGE SOURCE_ROOT COMMAND
"""

import os
import sys
import time

from server import Server

PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])


def main():
    server = Server(PROGRAM, "--through", sys.argv[3], "--device", "emu", "--cases", "2", "--max-dim", "32", fake=False)
    with open(os.path.join(ROOT, "solutions/gemm_f16/01_naive.cu"), encoding="utf-8") as file:
        number = server.submitted(file.read(), name="a.cu")
    events = server.events(number)
    assert [e[0] for e in events if e[0] != "queued"] == ["compiling", "compiled", "case", "case", "verdict"], events
    assert server.get(number)["verdict"] == "accepted"
    end = time.monotonic() + 30
    while not (board := server.request("GET", "/api/leaderboard").json())["by_correctness"]:
        assert time.monotonic() < end, "it is on no board"
        time.sleep(0.1)
    assert board["by_correctness"][0]["judgement"]["submission"] == number
    assert server.end() == 0, server.errors()


if __name__ == "__main__":
    main()
