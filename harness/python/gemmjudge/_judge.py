"""Requests to `gemmjudge judge --batch -`, and what it answers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._record import Result


LINE = 1000  # characters of an error's text

# Characters that steer a terminal or are not seen, as harness/base/utf8.c has them, and halves of a pair.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def _line(text: object) -> str:
    """In one line that does nothing to a terminal: such characters become escapes."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], str(text)[:LINE])


class JudgeError(Exception):
    """The judge could not do its work: no compiler, no such device, no program. Not the kernel's fault.

    Its text is one line, whatever others wrote.
    """

    def __init__(self, line: object = "") -> None:
        super().__init__(_line(line))


class BadRequest(JudgeError):
    """There is nothing to judge as it was asked for: an unknown problem, an option that there is not."""


@dataclass(frozen=True)
class Verdict:
    """What a kernel is worth.

    `result` is the whole object of the JSON report (harness/report/README.md); the members here are those that most need.
    """

    verdict: str  #: "accepted", "wrong_answer", "compile_error", "runtime_error", "time_limit", ...
    reward: float  #: 0 when not accepted, else 1 and the speed
    speed: float | None  #: the fastest library's time over the kernel's own; None: no time is confirmed
    detail: str  #: one line that says why, with the compiler's first error; empty when accepted
    hints: list[str]  #: what to do about it
    content: str | None  #: the hash of what was compiled
    seed: str  #: that draws the same cases again
    result: Result = field(repr=False)
    id: Any = None  #: of the request

    @property
    def name(self) -> str:
        """What it is called: the file, or the submission's name on a server; of a source, the `id` of its request."""
        file = self.result["file"]
        return file if file != "stdin" else str(self.id)

    @property
    def reason(self) -> str:
        """What `detail` says, by the name that it has in `result`."""
        return self.detail

    @property
    def cases_right(self) -> float:
        """The share of all cases that are right: a reward for what is nearly right, and whose `reward` is 0."""
        return self.result["reward"]["cases"]

    @property
    def accepted(self) -> bool:
        """Whether every case was right."""
        return self.verdict == "accepted"

    def __bool__(self) -> bool:
        return self.accepted


def program() -> str:
    """The program that is run: $GEMMJUDGE, that of this wheel, or the one on the PATH."""
    named = os.environ.get("GEMMJUDGE")
    own = Path(__file__).parent / "lib" / "gemmjudge" / "build" / "gemmjudge"
    found = named or (str(own) if own.exists() else shutil.which("gemmjudge"))
    if not found:
        raise JudgeError("there is no gemmjudge: set GEMMJUDGE to the program, or put it on the PATH")
    return found


def environment() -> dict[str, str]:
    """What the program is run with: where nothing else names a CUDA toolkit, that of NVIDIA's wheels beside this one.

    These lack the names that a linker looks for (libcudart.so, the folder lib64); they are added beside the libraries.
    """
    found = dict(os.environ)
    toolkit = Path(__file__).resolve().parents[1] / "nvidia" / "cu13"
    named = any(found.get(name) for name in ("GEMMJUDGE_NVCC", "CUDA_HOME", "CUDA_PATH")) or shutil.which("nvcc")
    if named or not (toolkit / "bin" / "nvcc").exists():
        return found
    links = {toolkit / "lib64": "lib"}
    for library in (toolkit / "lib").glob("lib*.so.*"):
        links[library.with_name(library.name.split(".so.")[0] + ".so")] = library.name
    for link, target in links.items():
        try:
            if not link.exists():
                link.symlink_to(target)
        except FileExistsError:  # by another process, just now
            pass
        except OSError as error:
            raise JudgeError(f"{link}: {error.strerror}; NVIDIA's wheels need a place that can be written to") from error
    found["CUDA_HOME"] = str(toolkit)
    return found


def _words(options: Mapping[str, Any]) -> list[str]:
    """Options of the whole batch, as words of a command line."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            words += [f"{option}={one}" for one in values]
    return words


def _request(request: Mapping[str, Any] | str, number: int) -> dict[str, Any]:
    """A request as a line has it: `id`, `problem`, `source` or `path`, and the rest as options. What is
    neither a text nor a mapping is no source, and gets the verdict that an empty one gets."""
    given = dict(request) if isinstance(request, Mapping) else {"source": request if isinstance(request, str) else ""}
    line = {"id": given.pop("id", number)}
    for name in ("problem", "source", "path"):
        value = given.pop(name, None)
        if value is not None:
            line[name] = os.fspath(value) if name == "path" else value
    if not isinstance(line.get("source", ""), str):
        line["source"] = ""
    line["options"] = {name.replace("_", "-"): value for name, value in given.items()}
    return line


def _verdict(answer: Mapping[str, Any]) -> Verdict:
    if "error" in answer:
        raise BadRequest(answer["error"])
    result = answer["result"]
    return Verdict(
        verdict=answer["verdict"],
        reward=result["reward"]["value"],
        speed=result["reward"]["speed"],
        detail=result["reason"],
        hints=result.get("hints", []),  # a server leaves out what is very long
        content=result["content"],
        seed=answer["seed"],
        result=result,
        id=answer["id"],
    )


def _feed(
    process: subprocess.Popen[str], requests: Iterable[Mapping[str, Any] | str], failures: list[Exception]
) -> None:
    """Hands over the requests, as fast as they are taken. What goes wrong with one is the caller's to raise."""
    assert process.stdin is not None
    try:
        for number, request in enumerate(requests):
            process.stdin.write(json.dumps(_request(request, number)) + "\n")
            process.stdin.flush()
    except BrokenPipeError:
        pass  # it ended: whoever reads learns why
    except Exception as error:  # of the iterable, or of a value that JSON has not
        failures.append(error)
    finally:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass


def _answers(
    requests: Iterable[Mapping[str, Any] | str], options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    command = [program(), "judge", "--batch=-", "--quiet", *_words(options)]
    with tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8",
                env=environment(),
            )
        except OSError as error:
            raise JudgeError(f"{command[0]}: {error.strerror}") from error
        failures: list[Exception] = []
        feeder = threading.Thread(target=_feed, args=(process, requests, failures), daemon=True)
        feeder.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                yield json.loads(line)
            status = process.wait()
            if failures:
                raise failures[0]
            errors.seek(0)
            told = errors.read().strip().splitlines()
            if status not in (0, 1):
                why = told[-1].removeprefix("gemmjudge: ") if told else f"it ended with status {status}"
                raise (BadRequest if status == 2 else JudgeError)(why)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            feeder.join()


def judge_many(
    requests: Iterable[Mapping[str, Any] | str], *, raising: bool = False, **options: Any
) -> Iterator[Verdict | BadRequest]:
    """Judges many kernels, several at once, and gives their verdicts in the order in which they are known.

    A request is a source, or a dictionary: `source` or `path`, `problem`, `id` (given back as `Verdict.id`; without it the
    request's number from 0; where it is a text, the store remembers the source by it), and any option for it alone. Options here are for all. A request that comes to no verdict
    (an unknown problem) gives a BadRequest, which has its `id`, in the verdict's place; with `raising=True` it is raised.
    """
    for answer in _answers(requests, options):
        try:
            yield _verdict(answer)
        except BadRequest as error:
            if raising:
                raise
            error.id = answer["id"]  # type: ignore[attr-defined]
            yield error


def judge(source: str | os.PathLike[str], problem: str | None = None, **options: Any) -> Verdict:
    """Judges one kernel: its text, or, where it is a path (os.PathLike), that file."""
    name = "path" if isinstance(source, os.PathLike) else "source"
    request = {name: source, "problem": problem}
    for verdict in judge_many([request], raising=True, **options):
        assert isinstance(verdict, Verdict)
        return verdict
    raise JudgeError("the judge ended without an answer")


async def judge_async(source: str | os.PathLike[str], problem: str | None = None, **options: Any) -> Verdict:
    """As judge(), beside other tasks."""
    return await asyncio.to_thread(judge, source, problem, **options)


async def judge_many_async(
    requests: Iterable[Mapping[str, Any] | str], *, raising: bool = False, **options: Any
) -> AsyncIterator[Verdict | BadRequest]:
    """judge_many(), beside other tasks."""
    verdicts = judge_many(requests, raising=raising, **options)
    end = object()
    while (verdict := await asyncio.to_thread(next, verdicts, end)) is not end:
        yield verdict  # type: ignore[misc]


def main() -> None:
    """The program itself, in this one's place: what `gemmjudge` of the wheel runs."""
    try:
        path, variables = program(), environment()
    except JudgeError as error:
        sys.exit(f"gemmjudge: {error}")
    os.execve(path, [path, *sys.argv[1:]], variables)
