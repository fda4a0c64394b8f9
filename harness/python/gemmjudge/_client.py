"""A server of `gemmjudge serve`: submissions over HTTP, and their verdicts."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import threading
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
FIRST_SECONDS = 20.0  # so long a server that has never answered is waited for
AWAY_SECONDS = 600.0  # so long one that has
LAST = ("verdict", "error", "withdrawn")
ID = re.compile("[0-9a-f]{32}")
WAIT = re.compile("[0-9]{1,6}")  # seconds
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
    """Nobody answered, the answer broke off, or it is none that gemmjudge serve gives."""


class _Stranger(Unreachable):
    """The answer is none that gemmjudge serve gives: another try would not help."""


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
        job = self.client._ask("GET", f"/api/submissions/{self.id}")
        if not _is_job(job):
            raise self.client._stranger()
        return job

    def events(self) -> Iterator[dict[str, Any]]:
        """What happens to it, each as it happens: objects whose `event` is "queued", "compiling", "case", ...

        The last one is "verdict", "error" or "withdrawn", and has what job() has. A lost connection, and a server that is
        away for less than ten minutes, are waited for; what was said before is then said again.
        """
        answered, pause = time.monotonic(), 0.5
        while True:
            patience = AWAY_SECONDS if self.client._answered else FIRST_SECONDS
            lost: JudgeError
            try:
                job = self.job()
                if job["state"] in ("done", "withdrawn"):
                    yield {**job, "event": _last_event(job)}
                    return
                for event in self.client._stream(f"/api/submissions/{self.id}/events"):
                    answered, pause = time.monotonic(), 0.5
                    if event["event"] in LAST and not _is_job(event):
                        raise self.client._stranger()
                    yield event
                    if event["event"] in LAST:
                        return
                lost = Unreachable(f"{self.client.url}: the stream of events ended early")
            except _Stranger:
                raise
            except (Unreachable, Busy) as error:
                lost = error
            if time.monotonic() - answered > patience:
                raise lost
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
        try:
            return self.client._text("GET", f"/api/submissions/{self.id}/source").decode()
        except UnicodeDecodeError as error:
            raise self.client._stranger() from error

    def _verdict_of(self, job: dict[str, Any]) -> Verdict:
        if job["state"] == "withdrawn":
            raise JudgeError("it was withdrawn, and is not judged")
        if job.get("verdict") is None:
            raise JudgeError(f"the judge came to no verdict: {job.get('error')}")
        if not _has_verdict(job):
            raise self.client._stranger()
        return _verdict({"id": self.id, **{name: job[name] for name in ("verdict", "seed", "result")}})


def _last_event(job: dict[str, Any]) -> str:
    return "withdrawn" if job["state"] == "withdrawn" else "verdict" if job.get("verdict") else "error"


# ---- what answers have to be: a server may be anybody


def _json(text: bytes) -> Any:
    """None where it is no JSON, or nested too deeply for us."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and ID.fullmatch(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_job(job: Any) -> bool:
    return isinstance(job, dict) and isinstance(job.get("state"), str) and isinstance(job.get("name"), str)


def _has_verdict(job: dict[str, Any]) -> bool:
    """Whether it has the members of which a Verdict is made."""
    result = job.get("result")
    reward = result.get("reward") if isinstance(result, dict) else None
    if not isinstance(result, dict) or not isinstance(reward, dict):
        return False
    hints = result.get("hints", [])
    texts = (job.get("verdict"), job.get("seed"), result.get("reason"), result.get("file"))
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(hints, list) and all(isinstance(hint, str) for hint in hints)
        and _is_number(reward.get("value")) and _is_number(reward.get("cases"))
        and (reward.get("speed", "") is None or _is_number(reward.get("speed")))
        and (result.get("content", 0) is None or isinstance(result.get("content"), str))
    )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Client:
    """A server, such as https://judge.example.org, and one's token there (`gemmjudge user add` prints it).

    Certificates are verified, redirections not followed. Over http a token goes to this machine alone, unless `plain_http`
    says that it may be read on the way. A client may be used by several threads: each request has a connection of its own.
    """

    def __init__(self, url: str, token: str | None = None, plain_http: bool = False) -> None:
        if "@" in str(url):  # it may hold a password: it is not repeated
            raise Refused("the server's URL has an '@': a token is the second argument", 0)
        parts = _parts(url)
        if parts is None:
            raise Refused(f"{url!r} is no server: a URL is needed, such as https://judge.example.org", 0)
        if token and not _is_plain(token):
            raise Refused("the token is none: 'gemmjudge user add' printed one line", 0)
        if token and parts.scheme == "http" and not plain_http and not _is_loopback(parts.hostname or ""):
            raise Refused(f"{url}: the token could be read on its way over http: use https, or, where one trusts the "
                          "network, plain_http=True", 0)
        self.url = url.rstrip("/")
        self._parts = parts
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._answered = False  # once

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
        if not _is_id(taken.get("id")) or not isinstance(taken.get("name"), str):
            raise self._stranger()
        return Submission(taken["id"], self, taken["name"])

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
            if not _is_id(which.get("id")):
                raise Refused(f"{which!r} is no submission: it has no id", 0)
            return Submission(which["id"], self, which.get("name"))
        if _is_id(which):
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
            only["before"] = only["before"].get("number")
        jobs = self._ask("GET", "/api/submissions" + _query(only)).get("submissions")
        if not isinstance(jobs, list) or not all(_is_job(job) and _is_id(job.get("id")) for job in jobs):
            raise self._stranger()
        return jobs

    def leaderboard(self, problem: str | None = None) -> dict[str, Any]:
        """As `gemmjudge leaderboard --submitted --json` has it; of others students see rank, user and median."""
        return self._ask("GET", "/api/leaderboard" + _query({"problem": problem}))

    def me(self) -> dict[str, Any]:
        """Who one is there, what one has used, and what one may."""
        return self._ask("GET", "/api/me")

    # ---- HTTP

    def _stranger(self) -> _Stranger:
        return _Stranger(f"{self.url}: no answer of gemmjudge serve")

    def _connect(self, seconds: float) -> http.client.HTTPConnection:
        host, port = self._parts.hostname, self._parts.port
        assert host is not None
        connection = (
            http.client.HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context())
            if self._parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=seconds)
        )
        connection.connect()
        return connection

    @contextlib.contextmanager
    def _response(self, method: str, path: str, body: Any, silent: float) -> Iterator[_Response]:
        """The answer to a request, which may be `silent` for so many seconds. What breaks off is Unreachable."""
        sent = dict(self._headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        with contextlib.ExitStack() as ends:
            try:
                connection = self._connect(min(silent, FIRST_SECONDS))
                ends.callback(connection.close)
                limit = _Limit(connection, ASK_SECONDS if self._answered or body is not None else FIRST_SECONDS)
                ends.callback(limit.end)
                connection.sock.settimeout(silent)
                connection.request(method, self._parts.path.rstrip("/") + path, data, sent)
                answer = connection.getresponse()
                ends.callback(answer.close)
                yield _Response(answer, limit)
                limit.check()
                self._answered = True
            except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
                raise Unreachable(f"{self.url}: {error or type(error).__name__}") from error

    def _text(self, method: str, path: str, body: Any = None) -> bytes:
        """The whole answer of a success; any other one raises."""
        with self._response(method, path, body, ASK_SECONDS) as response:
            text = response.answer.read(ANSWER_BYTES + 1)
        if len(text) > ANSWER_BYTES:
            raise _Stranger(f"{self.url}: the answer is larger than {ANSWER_BYTES >> 20} MiB")
        if response.answer.status not in (200, 202):
            self._raise(response.answer, text)
        return text

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        answer = _json(self._text(method, path, body))
        if not isinstance(answer, dict):
            raise self._stranger()
        return answer

    def _stream(self, path: str) -> Iterator[dict[str, Any]]:
        """Events until the stream ends, or breaks off."""
        with self._response("GET", path, None, STREAM_SECONDS) as response:
            if response.answer.status != 200:
                self._raise(response.answer, response.answer.read(ANSWER_BYTES))
            response.limit.end()  # it goes on as long as there is something to tell
            while line := response.answer.readline(ANSWER_BYTES):
                if line.startswith(b"data:"):
                    event = _json(line[len(b"data:") :])
                    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
                        raise self._stranger()
                    yield event

    def _raise(self, response: http.client.HTTPResponse, text: bytes) -> None:
        answer = _json(text)
        line = answer.get("error") if isinstance(answer, dict) else None
        if not isinstance(line, str):
            line = f"no answer of gemmjudge serve (status {response.status})"
        if response.status == 429 or response.status >= 500:
            wait = response.headers.get("Retry-After", "")
            raise Busy(f"{self.url}: {line}", float(wait) if WAIT.fullmatch(wait) else 10.0)
        raise Refused(f"{self.url}: {line}", response.status)


class _Limit:
    """Ends a connection after so many seconds: a server may send a byte now and then for ever."""

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self._sock, self._seconds, self._late = connection.sock, seconds, False
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self._late = True
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def end(self) -> None:
        self._timer.cancel()

    def check(self) -> None:
        if self._late:
            raise TimeoutError(f"no whole answer within {self._seconds:.0f} s")


@dataclass(frozen=True)
class _Response:
    answer: http.client.HTTPResponse
    limit: _Limit


def _is_plain(text: object) -> bool:
    """Characters that are seen, so that nothing ends a line of a header or leads elsewhere."""
    return isinstance(text, str) and all(" " < character <= "~" for character in text)


def _parts(url: object) -> urllib.parse.SplitResult | None:
    """Of the URL of a server; None where it is none."""
    try:
        parts = urllib.parse.urlsplit(url if _is_plain(url) else "")
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port or an address that is none
        return None
    return parts if good and not parts.query and not parts.fragment else None


def _query(members: dict[str, Any]) -> str:
    given = {name: value for name, value in members.items() if value is not None and value is not False}
    return "?" + urllib.parse.urlencode(given) if given else ""
