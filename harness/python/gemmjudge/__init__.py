"""Judge CUDA matrix-multiplication kernels from Python.

    import gemmjudge

    verdict = gemmjudge.judge(open("mine.cu").read(), problem="gemm-f16", cases=8)
    print(verdict.verdict, verdict.reward, verdict.hints)

Every other option of `gemmjudge judge` is a keyword, its dashes written as underscores: `max_dim=64`,
`nvcc_flag=["-DX=1"]`, `fail_fast=True`. The program runs in processes of its own: whatever a kernel does, this one goes on.

A server of `gemmjudge serve` judges the same:

    verdict = gemmjudge.Client("https://judge.example.org", token).judge(open("mine.cu").read(), "gemm-f16", cases=8)
"""

from ._client import Busy, Client, Refused, Submission, Unreachable
from ._judge import BadRequest, JudgeError, Verdict, judge, judge_async, judge_many, judge_many_async, program

__all__ = [
    "BadRequest",
    "Busy",
    "Client",
    "JudgeError",
    "Refused",
    "Submission",
    "Unreachable",
    "Verdict",
    "judge",
    "judge_async",
    "judge_many",
    "judge_many_async",
    "program",
]
