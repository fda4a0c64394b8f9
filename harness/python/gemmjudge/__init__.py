"""Judge CUDA matrix-multiplication kernels from Python.

    import gemmjudge

    verdict = gemmjudge.judge(open("mine.cu").read(), problem="gemm-f16", cases=8)
    print(verdict.verdict, verdict.reward, verdict.hints)

Every other option of `gemmjudge judge` is a keyword, its dashes written as underscores: `max_dim=64`,
`nvcc_flag=["-DX=1"]`, `fail_fast=True`. The program runs in processes of its own: whatever a kernel does, this one goes on.
"""

from ._judge import BadRequest, JudgeError, Verdict, judge, judge_async, judge_many, judge_many_async, program

__all__ = [
    "BadRequest",
    "JudgeError",
    "Verdict",
    "judge",
    "judge_async",
    "judge_many",
    "judge_many_async",
    "program",
]
