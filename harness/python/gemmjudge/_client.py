"""A server of `gemmjudge serve`: submissions over HTTP, and their verdicts."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import ssl
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._judge import JudgeError, Verdict, _verdict

ANSWER_BYTES = 64 << 20  # of an answer, and of an event
ASK_SECONDS = 120.0
STREAM_SECONDS = 300.0  # so long a stream may be silent; then the server is asked
AWAY_SECONDS = 600.0  # so long without an answer a server is waited for
LAST = ("verdict", "error", "withdrawn")
ID = re.compile("[0-9a-f]{32}")
NAMED = 5  # submissions of one name that are told of


class Refused(JudgeError):
    """The server does not do this: no such submission or problem, an option that it has not, a token that it does not know."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(line)
        self.status = status  #: of HTTP


class Busy(JudgeError):
    """The server takes nothing more now: too many wait, one's hour is used up, or it is ending."""

    def __init__(self, line: str, seconds: float) -> None:
        super().__init__(line)
        self.seconds = seconds  #: until it is worth another try


class Unreachable(JudgeError):
    """Nobody answered, or the answer broke off."""


@dataclass(frozen=True)
class Submission:
    """What was submitted. It is judged whether somebody waits or not."""

    id: str
    client: Client = field(repr=False)
    _name: str | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What it is called: the name that it was given, its file's, or "submission-12.cu"."""
        return self._name or self.job()["name"]

    def job(self) -> dict[str, Any]:
        """What the server knows of it: its `state`, `place` in the queue, `verdict`, `result`, and more."""
        return self.client._ask("GET", f"/api/submissions/{self.id}")

    def events(self) -> Iterator[dict[str, Any]]:
        """What happens to it, each as it happens: objects whose `event` is "queued", "compiling", "case", ...

        The last one is "verdict", "error" or "withdrawn", and has what job() has. A lost connection, and a server that is
        away for less than ten minutes, are waited for; what was said before is then said again.
        """
        answered, pause = time.monotonic(), 0.5
        while True:
            try:
                job = self.job()
                answered = time.monotonic()
                if job["state"] in ("done", "withdrawn"):
                    yield {**job, "event": _last_event(job)}
                    return
                for event in self.client._stream(f"/api/submissions/{self.id}/events"):
                    answered, pause = time.monotonic(), 0.5
                    yield event
                    if event["event"] in LAST:
                        return
            except (Unreachable, Busy):
                if time.monotonic() - answered > AWAY_SECONDS:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 30.0)

    def wait(self) -> Verdict:
        """Its verdict, once there is one. Raises JudgeError where the judge came to none, or it was withdrawn."""
        for event in self.events():
            if event["event"] in LAST:
                return self._verdict_of(event)
        raise AssertionError("events() ends with a last event")

    async def wait_async(self) -> Verdict:
        """As wait(), beside other tasks."""
        return await asyncio.to_thread(self.wait)

    def withdraw(self) -> None:
        """Takes it back. Raises Refused where it does not wait any more."""
        self.client._ask("DELETE", f"/api/submissions/{self.id}")

    def source(self) -> str:
        """The text that was submitted."""
        return self.client._text("GET", f"/api/submissions/{self.id}/source")[1].decode()

    @staticmethod
    def _verdict_of(job: dict[str, Any]) -> Verdict:
        if job["state"] == "withdrawn":
            raise JudgeError("it was withdrawn, and is not judged")
        if job.get("verdict") is None:
            raise JudgeError(f"the judge came to no verdict: {job.get('error')}")
        return _verdict({name: job[name] for name in ("id", "verdict", "seed", "result")})


def _last_event(job: dict[str, Any]) -> str:
    return "withdrawn" if job["state"] == "withdrawn" else "verdict" if job["verdict"] else "error"


class Client:
    """A server, such as https://judge.example.org, and one's token there (`gemmjudge user add` prints it).

    Certificates are verified, redirections not followed. A client may be used by several threads: each request has a
    connection of its own.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise Refused(f"{url!r} is no server: a URL is needed, such as https://judge.example.org", 0)
        self.url = url.rstrip("/")
        self._parts = parts
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def submit(
        self, source: str | os.PathLike[str], problem: str, name: str | None = None, **options: Any
    ) -> Submission:
        """Submits one kernel: its text, or, where it is a path (os.PathLike), that file.

        Options are those of `gemmjudge judge` that the server takes, with underscores: `cases=8`, `max_dim=64`,
        `epilogue="bias"`. Raises Refused, Busy or Unreachable.
        """
        if isinstance(source, os.PathLike):
            name = name or Path(source).name
            source = Path(source).read_text(encoding="utf-8")
        given = {option.replace("_", "-"): value for option, value in options.items()}
        body = {"problem": problem, "source": source, "options": given, **({"name": name} if name else {})}
        taken = self._ask("POST", "/api/submissions", body)
        return Submission(taken["id"], self, taken.get("name"))

    def judge(self, source: str | os.PathLike[str], problem: str, **options: Any) -> Verdict:
        """submit() and wait(): as gemmjudge.judge(), on the server."""
        return self.submit(source, problem, **options).wait()

    def submission(self, which: str | Submission | Mapping[str, Any]) -> Submission:
        """One that was submitted before: by its id, by its name, or as submissions() lists it.

        Raises Refused where none has the name, or several have.
        """
        if isinstance(which, Submission):
            return Submission(which.id, self, which._name)
        if isinstance(which, Mapping):
            return Submission(which["id"], self, which.get("name"))
        if ID.fullmatch(which):
            return Submission(which, self)
        named = self.submissions(name=which, limit=NAMED)
        if len(named) == 1:
            return Submission(named[0]["id"], self, which)
        ids = ", ".join(job["id"] for job in named)
        raise Refused(f"{self.url}: several submissions are named {which!r}: {ids}" if named
                      else f"{self.url}: no submission is named {which!r}", 404)

    def submissions(self, **only: Any) -> list[dict[str, Any]]:
        """One's own, the newest first, without results; a teacher's are everyone's.

        `only` is any of `problem`, `user`, `name`, `mine`, `limit`, and `before`: a number, or one of this list.
        """
        if isinstance(only.get("before"), Mapping):
            only["before"] = only["before"]["number"]
        return self._ask("GET", "/api/submissions" + _query(only))["submissions"]

    def leaderboard(self, problem: str | None = None) -> dict[str, Any]:
        """As `gemmjudge leaderboard --submitted --json` has it; of others students see rank, user and median."""
        return self._ask("GET", "/api/leaderboard" + _query({"problem": problem}))

    def me(self) -> dict[str, Any]:
        """Who one is there, what one has used, and what one may."""
        return self._ask("GET", "/api/me")

    # ---- HTTP

    def _open(
        self, method: str, path: str, body: Any, seconds: float
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        host, port = self._parts.hostname, self._parts.port
        assert host is not None
        connection = (
            http.client.HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context())
            if self._parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=seconds)
        )
        sent = dict(self._headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, self._parts.path.rstrip("/") + path, data, sent)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Unreachable(f"{self.url}: {error or type(error).__name__}") from error

    def _text(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """The whole answer of a success; any other one raises."""
        connection, response = self._open(method, path, body, ASK_SECONDS)
        try:
            text = response.read(ANSWER_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url}: {error or type(error).__name__}") from error
        finally:
            connection.close()
        if len(text) > ANSWER_BYTES:
            raise Unreachable(f"{self.url}: the answer is larger than {ANSWER_BYTES >> 20} MiB")
        if response.status not in (200, 202):
            self._raise(response, text)
        return response.status, text

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        text = self._text(method, path, body)[1]
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise Unreachable(f"{self.url}: no answer of gemmjudge serve")
        return answer

    def _stream(self, path: str) -> Iterator[dict[str, Any]]:
        """Events until the stream ends, or breaks off."""
        connection, response = self._open("GET", path, None, STREAM_SECONDS)
        try:
            if response.status != 200:
                self._raise(response, response.read(ANSWER_BYTES))
            while line := response.readline(ANSWER_BYTES):
                if line.startswith(b"data:"):
                    event = json.loads(line[len(b"data:") :])
                    if isinstance(event, dict) and "event" in event:
                        yield event
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url}: {error or type(error).__name__}") from error
        finally:
            connection.close()

    def _raise(self, response: http.client.HTTPResponse, text: bytes) -> None:
        try:
            line = json.loads(text)["error"]
        except (ValueError, TypeError, KeyError):
            line = f"no answer of gemmjudge serve (status {response.status})"
        if response.status == 429 or response.status >= 500:
            wait = response.headers.get("Retry-After", "")
            raise Busy(f"{self.url}: {line}", float(wait) if wait.isdigit() else 10.0)
        raise Refused(f"{self.url}: {line}", response.status)


def _query(members: dict[str, Any]) -> str:
    given = {name: value for name, value in members.items() if value is not None and value is not False}
    return "?" + urllib.parse.urlencode(given) if given else ""
