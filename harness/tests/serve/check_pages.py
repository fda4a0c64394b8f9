"""The pages of `gemmjudge serve`, as they are without scripts: what they say, what guards them, and who sees what.

usage: check_pages.py GEMMJUDGE
"""

import http.client
import json
import os
import re
import signal
import sys
import tempfile
import time
import urllib.parse
from html.parser import HTMLParser

from server import Server, user_add

PROGRAM = os.path.abspath(sys.argv[1])
FORGED = "0123456789abcdef" * 2
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
HOSTILE = "</textarea></pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e\U000e0041&amp;\"'"


class Reader(HTMLParser):
    """The text of a page, its links, its elements, and the fields of its forms."""

    def __init__(self, page):
        super().__init__()
        self.text, self.links, self.elements, self.values, self.stack = "", [], [], {}, []
        self.ids = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        self.stack.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "input":
            self.values[attributes["name"]] = attributes.get("value", "")

    def handle_data(self, data):
        self.text += data
        if self.stack and self.stack[-1][0] == "textarea":
            self.values[self.stack[-1][1]["name"]] = data.removeprefix("\n")  # which HTML drops

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()[0] != tag:
            pass


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def read(server, path, token=None, status=200, headers=None):
    """A page; every one of them is harmless."""
    reply = server.request("GET", path, token=token, headers={**BROWSER, **(headers or {})})
    assert reply.status == status, (path, reply.status, reply.body)
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8" and reply.headers["Content-Security-Policy"] == POLICY
    assert reply.headers["Cache-Control"] == "no-store" and reply.headers["X-Content-Type-Options"] == "nosniff", path
    text = reply.body.decode()
    page = Reader(text)
    assert not set("\x1b\u202e\U000e0041") & set(text) and len(page.ids) == len(set(page.ids)), path
    assert {tag for tag, _ in page.elements} & {"img", "iframe", "object", "base"} == set(), path
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes), (path, tag, attributes)
        assert tag != "script" or attributes["src"] in ("/serve.js", "/codemirror.js") and \
            set(attributes) <= {"src", "defer", "blocking"}, (path, attributes)
        if tag in ("input", "textarea"):
            assert ("label", {"for": attributes["id"]}) in page.elements, (path, "a field without a label")
    for link in page.links + [a.get("action", "/") for tag, a in page.elements if tag == "form"]:
        assert link.startswith("/") and not link.startswith("//") or link[1:] in page.ids, (path, link)
    return page


def post(server, path, fields, token=None, site="same-origin", kind="application/x-www-form-urlencoded", **headers):
    """A form, as a browser sends it."""
    body = fields if isinstance(fields, bytes) else urllib.parse.urlencode(fields).encode()
    headers = {**BROWSER, "Content-Type": kind, **({"Sec-Fetch-Site": site} if site else {}), **headers}
    return server.request("POST", path, body, token, headers)


def post_parts(server, path, fields, file=("", b"")):
    """A form as a problem's page has it: in parts, with a file that was chosen, or none."""
    parts = [f'name="{name}"\r\n\r\n{text}'.encode() for name, text in fields.items()]
    parts.append(f'name="file"; filename="{file[0]}"\r\nContent-Type: text/plain\r\n\r\n'.encode() + file[1])
    body = b"".join(b"--=b\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--=b--\r\n"
    return post(server, path, body, kind="multipart/form-data; boundary==b")


def submitted(server, reply):
    """What a form has submitted, once it is judged."""
    assert reply.status == 303, (reply.status, reply.body)
    return server.until(reply.headers["Location"].split("/")[-1], "done")


def check_forms(server):
    """From the first page to the verdict, without scripts."""
    page = read(server, "/")
    assert "/problems/gemm-f16" in page.links and "/boards/sgemm" in page.links and "There are none." in page.text
    page = read(server, "/problems/gemm-f16")
    starter = page.values["source"]
    assert 'extern "C" void solve(' in page.text and "__global__" in starter and starter.startswith("//"), starter[:80]
    for word in ("1 MiB", "1024x1024x1024", "4096"):
        assert word in page.text, word
    source = "accept 1\r\nüber %41+&=" + HOSTILE
    reply = post(server, "/problems/gemm-f16", {"source": source, "name": "a" + HOSTILE})
    assert reply.status == 303, reply.body
    address = reply.headers["Location"]
    number = address.split("/")[-1]
    server.until(number, "done")
    sent = server.request("GET", f"/api/submissions/{number}/source").body.decode()
    assert sent == source.replace("\r\n", "\n"), sent
    page = read(server, address)
    assert "accepted" in page.text and "<script>alert(1)" in page.text, page.text
    assert f"/problems/gemm-f16?from={number}" in page.links and "What has changed" not in page.text
    again = read(server, f"/problems/gemm-f16?from={number}").values["source"]
    assert again == sent.replace("\x1b", "\ufffd"), again  # what is not seen comes back as it was
    assert "\\u202e\\U000e0041&amp;" in page.text, page.text
    assert read(server, "/problems/gemm-f16?from=" + FORGED).values["source"] == starter
    page = read(server, "/")
    assert address in page.links and "accepted" in page.text and "<script>alert(1)" in page.text
    second = post(server, "/problems/gemm-f16", {"source": "wrong 2\nüber %41+&=" + HOSTILE + "\nmore", "name": ""})
    server.until(second.headers["Location"].split("/")[-1], "done")
    page = read(server, second.headers["Location"])
    assert "- accept 1" in page.text and "+ wrong 2" in page.text and "+ more" in page.text, page.text
    assert address in page.links and ("h1", {}) in page.elements and re.search(r"submission-\d+\.cu", page.text)


def check_refused(server):
    """Errors are pages; what another site's page sends, or nobody's browser, is not taken."""
    for site, status in (("cross-site", 403), ("same-site", 403), (None, 403)):
        for path in ("/problems/gemm-f16", "/login", f"/submissions/{FORGED}/withdraw", "/logout"):
            if path != "/logout" or site:
                reply = post(server, path, {"source": "accept", "token": FORGED * 2}, site=site)
                assert reply.status == status and "Set-Cookie" not in reply.headers, (site, path, reply.status)
    assert post(server, "/problems/gemm-f16", {"source": "accept"}, Origin="http://evil.example").status == 403
    for fields, word in (({"source": ""}, "empty"), ({}, "needed"), ({"source": "a\0b"}, "JSON"), ({"source": b"\xff"}, "needed"),
                         ({"source": "a", "name": "x" * 101}, "name"), ({"source": "x" * (1 << 20) + "x"}, "1 MiB")):
        reply = post(server, "/problems/gemm-f16", fields)
        assert reply.status in (400, 413) and word in reply.body.decode() and b"<h1>" in reply.body, (fields, reply.body)
    for path in ("/problems/none", "/problems/x%22%3E", "/boards/none", "/submissions/" + FORGED, "/problems/%2e%2e", "/none",
                 "/submissions/1", "/favicon.ico", "//", "/apis"):
        assert "mistyped" in read(server, path, status=404).text, path
        assert "error" in server.request("GET", path, headers={"Accept": "*/*"}).json(), path
        assert "/submissions" in read(server, path, status=404).links, path
    for path in ("/api/none", "/api", "/api/submissions/" + FORGED, "/api/leaderboard?problem=none"):
        reply = server.request("GET", path, headers=BROWSER)
        assert reply.status in (400, 404) and reply.headers["Content-Type"] == "application/json", path
    page = read(server, "/logout", status=405)
    assert "This address takes POST." in page.text and "Go back" in page.text
    assert server.request("GET", "/logout", headers=BROWSER).headers["Allow"] == "POST"
    page = Reader(post(server, "/problems/gemm-f16", {"source": "accept"}, site="cross-site").body.decode())
    assert "Another site's page sent this" in page.text and "this server's own page" in page.text, page.text
    # no more of it is sent: the server answers to the length alone
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/problems/gemm-f16", headers={**BROWSER, "Content-Length": str(1 << 40)})
    page = Reader(connection.getresponse().read().decode())
    connection.close()
    assert "larger than" in page.text and "make it smaller" in page.text, page.text
    assert "none" in read(server, "/boards/none", status=404).text
    assert read(server, "/", status=401, headers={"Host": "evil.example"}).links == []
    for path, kind in (("/serve.css", "text/css; charset=utf-8"), ("/serve.js", "text/javascript; charset=utf-8")):
        reply = server.request("GET", path)
        assert reply.status == 200 and reply.headers["Content-Type"] == kind and b"http" not in reply.body, path


def check_codemirror(server):
    """It is Debian's, or is not there; the page asks for it only where it is."""
    there = os.path.exists("/usr/share/javascript/codemirror/lib/codemirror.js")
    for path in ("/codemirror.js", "/codemirror.css"):
        assert server.request("GET", path).status == (200 if there else 404), path
    scripts = [attributes["src"] for tag, attributes in read(server, "/problems/sgemm").elements if tag == "script"]
    assert scripts == (["/codemirror.js"] if there else []) + ["/serve.js"], scripts


def check_file(server):
    """A file in place of the text; its name is kept."""
    path = "/problems/gemm-f16"
    job = submitted(server, post_parts(server, path, {"source": "wrong 1", "name": "solution.cu"}, ("mine.cu", b"accept\r\n\xc3\xbc")))
    assert (job["name"], job["verdict"]) == ("mine.cu", "accepted"), job
    assert server.request("GET", f"/api/submissions/{job['id']}/source").body == b"accept\n\xc3\xbc"
    job = submitted(server, post_parts(server, path, {"source": "wrong\r\n--=b?", "name": "a.cu"}))
    assert (job["name"], job["verdict"]) == ("a.cu", "wrong_answer"), job
    reply = post_parts(server, path, {"source": "accept", "name": "a.cu"}, ("photo.cu", b"\xff\xd8"))
    assert reply.status == 400 and b"photo.cu is no text" in reply.body and b">\naccept</textarea>" in reply.body, reply.body
    form = [a for tag, a in read(server, path).elements if tag == "form" and a.get("id") == "editor"][0]
    assert form["enctype"] == "multipart/form-data", form


def check_options(server):
    """Options are folded away; what is refused stands beside its field, and nothing that was typed is lost."""
    path = "/problems/gemm-f16"
    fields = [name for name in read(server, path).values if name.startswith("option-")]
    assert "option-cases" in fields and "option-epilogue" in fields and "option-seed" in fields, fields
    assert "option-epilogue" not in read(server, "/problems/apsp-f32").values, "it has none"
    details = lambda page: [a for tag, a in page.elements if tag == "details" and a.get("class") == "options"][0]
    assert "open" not in details(read(server, path))
    right = {"source": "accept 7", "name": "b.cu", "option-cases": "4", "option-seed": "0x1f", "option-fail-fast": "true",
             "option-epilogue": "", "option-sizes": ""}
    job = submitted(server, post_parts(server, path, right))
    assert job["options"] == {"cases": 4, "seed": "0x1f", "fail-fast": True}, job
    page = read(server, f"{path}?from={job['id']}")
    assert (page.values["name"], page.values["option-cases"], page.values["option-seed"]) == ("b.cu", "4", "0x1f")
    assert "open" in details(page)
    for option, value in (("cases", "999"), ("cases", "four"), ("epilogue", "./x.cuh"), ("suite", "../x"), ("shape", "8x"),
                          ("max-dim", "0")):
        reply = post_parts(server, path, {"source": "accept " + HOSTILE, "name": "c.cu", f"option-{option}": value, "option-seed": "5"})
        page = Reader(reply.body.decode())
        assert reply.status == 400 and f"error-{option}" in page.ids and "open" in details(page), (option, value, page.ids)
        assert page.values[f"option-{option}"] == value and page.values["option-seed"] == "5" and page.values["name"] == "c.cu"
        assert page.values["source"].startswith("accept </textarea>"), page.values["source"]
        field = [a for tag, a in page.elements if tag == "input" and a.get("name") == f"option-{option}"][0]
        assert field["aria-invalid"] == "true" and f"error-{option}" in field["aria-describedby"], field
        api = server.submit("accept", options={option: int(value) if value.isdigit() else value})
        assert api.status == 400 and api.json()["option"] == option, api.body
    late = server.submitted("refuse", options={"cases": 3})  # which only the judge says
    server.until(late, "done")
    page = read(server, f"{path}?from={late}")
    assert "error-cases" in page.ids and "no such number" in page.text, page.ids


def check_server_options():
    """What the server's own options exclude is refused at once."""
    server = Server(PROGRAM, "--cases", "4")
    reply = server.submit("accept", options={"suite": "edges"})
    assert reply.status == 400 and reply.json()["option"] == "suite" and "exclude" in reply.json()["error"], reply.body
    server.until(server.submitted("accept", options={"cases": 3}), "done")
    assert server.end() == 0


def matrices(page):
    """The matrices of a page's example by their captions, as lists of rows."""
    found = {}
    for figure in re.findall(r"<figcaption>(.*?), \d+ x \d+ .*?</figcaption>\n<pre>(.*?)</pre>", page, re.S):
        found[figure[0]] = [[float(number) for number in row.split()] for row in figure[1].split("\n")]
    return found


def check_statement(server):
    """Each problem has an example, whose numbers are right, and says what counts as right."""
    for problem in server.request("GET", "/api/problems").json()["problems"]:
        page = read(server, "/problems/" + problem["name"])
        assert "example" in page.ids and "tolerance" in page.ids, problem["name"]
        assert re.search(r"\] (=|:)|\]: ", page.text), problem["name"]
    text = server.request("GET", "/problems/gemm-f16").body.decode()
    of = matrices(text)
    a, b, before, after = of["A"], of["B"], of["C before"], of["C after"]
    given = {name: float(value) for name, value in re.findall(r"(\w+) = (-?[\d.]+)", Reader(text).text[:2000])}
    assert (len(a), len(a[0]), len(b[0])) == (given["M"], given["K"], given["N"]), given
    want = [[given["alpha"] * sum(x * row[j] for x, row in zip(a[i], b)) + given["beta"] * before[i][j] for j in range(len(b[0]))]
            for i in range(len(a))]
    assert after == want, (after, want)
    assert "2^-11 |want|" in text.replace("&lt;", "<"), "u of half"
    assert "demanded" in read(server, "/problems/minplus-f32").text


def judged(server, source, **result):
    """The submission of a made-up result."""
    verdict = result["verdict"]
    whole = {"problem": "gemm-f16", "detail": "", "hints": [], "compile": {"log": ""}, "cases": [], **result}
    event = json.dumps({"event": "verdict", "verdict": verdict, "seed": "0x1", "result": whole}, separators=(",", ":"))
    with open("result.json", "w", encoding="utf-8") as file:
        file.write(event + "\n")
    number = server.submitted(f"hostile {os.path.abspath('result.json')}\n{source}")
    server.until(number, "done")
    return read(server, "/submissions/" + number)


def check_verdicts(server):
    """A page advises what a submission may have, says what a bound is, and leads from messages to lines."""
    case = {"name": "random-0", "verdict": "time_limit", "detail": "longer than 5 s (--timeout S allows more)"}
    page = judged(server, "x", verdict="time_limit", detail=case["detail"], cases=[case],
                  hints=["kernel k is at stdin:2: there is too much to do (--steps N gives it more)", "--device emu tells which"])
    assert "longer than 5 s" in page.text and "there is too much to do" in page.text and page.text.count("Hint:") == 1
    for word in ("--timeout", "--steps", "--device"):
        assert word not in page.text, word
    assert "no option of a submission" in page.text
    wrong = {"name": "random-3", "verdict": "wrong_answer", "detail": "", "exact": False, "check": {"worst_ratio": 3.2}}
    page = judged(server, "x", verdict="wrong_answer", cases=[{**wrong, "check": {"worst_ratio": 1.5}}, wrong])
    assert "random-3: 3.20 times its bound" in page.text and "/problems/gemm-f16#tolerance" in page.links, page.text
    page = judged(server, "x", verdict="wrong_answer", cases=[{**wrong, "exact": True, "check": {"worst_ratio": "inf"}}])
    assert "the bound is 0" in page.text, page.text
    assert "times its bound" not in judged(server, "x", verdict="accepted", cases=[{**wrong, "check": {"worst_ratio": 0.9}}]).text
    page = judged(server, "two\nthree", verdict="compile_error",
                  compile={"log": 'stdin(2): error: identifier "x" is undefined\n\nstdin(77): error: far\n1 error'})
    assert "#line-2" in page.links and "#line-77" not in page.links and page.text.count('identifier "x" is undefined') == 2
    notes = [a for tag, a in page.elements if tag == "p" and a.get("class") == "note bad"]
    assert len(notes) == 1, notes
    folded = judged(server, "two", verdict="accepted", compile={"log": "stdin(1): warning #177-D: unused\n/x/stdin:2:7: warning: gcc\n"})
    assert "What the compiler said" in folded.text and ("summary", {}) in folded.elements
    assert "Line 1: warning #177-D" in folded.text and "Line 2: warning: gcc" in folded.text, folded.text
    assert [a for tag, a in folded.elements if tag == "p" and "note" in a.get("class", "")] == [{"class": "note"}] * 2


def check_waiting(server):
    """What waits says so, and is withdrawn."""
    first = server.submitted("sleep 1")
    server.until(first, "judging")
    second = server.submitted("accept 2")
    page = read(server, "/submissions/" + first)
    assert "accepted" not in page.text and "wrong_answer" not in page.text, "of the version before"
    assert "It is being judged" in page.text and "What has changed" in page.text and ("meta", {"http-equiv": "refresh", "content": "3"}) in page.elements
    page = read(server, "/submissions/" + second)
    assert "place 1 in the queue" in page.text
    assert ("form", {"method": "post", "action": f"/submissions/{second}/withdraw"}) in page.elements
    assert post(server, f"/submissions/{second}/withdraw", {}).status == 303
    assert "It was withdrawn." in read(server, "/submissions/" + second).text
    assert post(server, f"/submissions/{second}/withdraw", {}).status == 409
    refused = server.submitted("refuse")
    server.until(refused, "done")
    assert "no such number" in read(server, "/submissions/" + refused).text
    assert len([link for link in read(server, "/submissions?limit=2").links if re.search("[0-9a-f]{32}", link)]) == 2


def check_busy():
    """A queue that is full, and a server that is ending, say how long to wait."""
    server = Server(PROGRAM, "--queue", "1")
    first = server.submitted("sleep 2")
    server.until(first, "judging")
    server.submitted("accept 2")
    reply = post(server, "/problems/gemm-f16", {"source": "accept 3"})
    page = Reader(reply.body.decode())
    assert reply.status == 429 and int(reply.headers["Retry-After"]) == 30 and "Wait for 30 seconds." in page.text, page.text
    assert "1 submissions wait" in page.text and "what you wrote is still there" in page.text, page.text
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    reply = post(server, "/problems/gemm-f16", {"source": "accept 3"})
    page = Reader(reply.body.decode())
    assert reply.status == 503 and "The server is ending" in page.text and "Wait for 30 seconds." in page.text, page.text
    assert server.end() == 0


def check_limits():
    """A problem's page says how this server judges: an emulated GPU has smaller cases, and no times."""
    server = Server(PROGRAM, "--device", "emu", "--cases", "5", "--max-dim", "64")
    page = read(server, "/problems/gemm-w4").text
    assert "5 generated cases" in page and "no GPU" in page and "no times" in page, page
    assert "timed at" not in page and "4096" not in page and re.search(r"M\s*1\s*64\s*N", page), page
    assert "5 generated cases" in read(server, "/problems/batched-f32").text
    limits = server.request("GET", "/api/me").json()["limits"]
    assert (limits["cases"], limits["max_dim"], limits["timed"]) == (5, 64, False), limits
    assert server.end() == 0
    server = Server(PROGRAM, "--device", "emu")
    page = read(server, "/problems/gemm-f16").text
    assert "12 generated cases" in page and "192" in page and "4096" not in page, page
    assert server.end() == 0
    server = Server(PROGRAM, "--device", "cuda:0", "--cases", "7")
    page = read(server, "/problems/gemm-f16").text
    assert "7 generated cases" in page and "It is timed at 1024x1024x1024." in page and "4096" in page, page
    assert server.end() == 0


def check_names(server):
    """What was submitted without a name has one of its own, everywhere."""
    number = server.submitted("accept nameless")
    job = server.until(number, "done")
    name = f"submission-{job['number']}.cu"
    assert job["name"] == name == job["result"]["file"], job
    sent = post(server, "/problems/sgemm", {"source": "wrong nameless", "name": ""}).headers["Location"]
    after = f"submission-{job['number'] + 1}.cu"
    assert after in read(server, sent).text
    server.until(sent.split("/")[-1], "done")
    assert name in read(server, "/submissions").text and after in read(server, "/").text
    blank = server.until(server.submitted("accept blank", name=" \n"), "done")
    assert blank["name"] == f"submission-{blank['number']}.cu", blank["name"]
    listed = server.request("GET", "/api/submissions?name=" + name).json()["submissions"]
    assert [one["id"] for one in listed] == [number]
    for page in ("/submissions", "/", "/class", sent, "/submissions/" + number):
        assert "stdin" not in read(server, page).text, page


def check_hostile(server):
    """What a judge may be made to say: no text is markup, no number is trusted."""
    def timing(low):
        entry = {"label": HOSTILE, "ran": True, "microseconds": 12.5, "low_us": low, "high_us": 13.0, "role": "file",
                 "span": {"samples": 9, "median_us": 12.5, "min_us": 11.0, "p95_us": 14.0, "low_us": low, "high_us": 13.0},
                 "verdict": "accepted", "sealed": {"state": "none"}}
        return {"problem": "gemm-f16", "clock": "span", "case": {"m": 64, "n": 64, "k": 64},
                "entries": [entry, {**entry, "role": "library"}]}

    def case(name, size, cells, height):
        check = {"wrong": 3, "worst_ratio": 2.5, "first_wrong": [{"row": 1, "column": 2, "written": True, "got": "nan", "want": 1.0,
                                                               "bound": 0.5}],
                 "map": {"rows": len(cells), "columns": 2, "height": height, "width": 32, "top": 0, "bottom": 5, "left": 0,
                         "right": 9, "cells": cells}}
        return {"name": name + HOSTILE, "m": size, "n": size, "k": 4, "batch": 1, "verdict": "wrong_answer", "detail": HOSTILE,
                "output": HOSTILE, "check": check, "seconds": 0.5}

    result = {"problem": "gemm-f16", "verdict": "wrong_answer", "detail": "stdin:2: " + HOSTILE, "hints": [HOSTILE, 7, "<b>"],
              "compile": {"log": f"/x/stdin(1): error: {HOSTILE}\nstdin(999999999999): error: far\nstdin("},
              "cases": [case("good", 64, ["3 0", "0 0"], 32), case("small", 16, ["3 0", "0 0"], 32),
                        case("large", 64, ["1"] * 33, 2), case("none", 64, [], 0)],
              "timing": timing(12.0), "larger_timing": timing(None), "timing_note": HOSTILE, "content": "a" * 64}
    event = json.dumps({"event": "verdict", "verdict": "wrong_answer", "seed": "0x1", "result": result}, separators=(",", ":"))
    with open("hostile.json", "w", encoding="utf-8") as file:
        file.write(event + "\n")
    number = server.submitted(f"hostile {os.path.abspath('hostile.json')}\nsecond")
    server.until(number, "done")
    page = read(server, "/submissions/" + number)
    assert page.text.count("<script>alert(1)</script>") >= 8 and "Line 1:" in page.text and "Line 2:" in page.text, page.text
    assert "12.50 us" in page.text or "12.5 us" in page.text, page.text
    assert page.text.count("Where the wrong elements lie") == 1 and "3 wrong elements of a result of 64 x 64" in page.text
    result["cases"].append({"name": 1, "check": 7})
    with open("hostile.json", "w", encoding="utf-8") as file:
        file.write(json.dumps({**json.loads(event), "result": result}, separators=(",", ":")) + "\n")
    number = server.submitted(f"hostile {os.path.abspath('hostile.json')}\nthird")
    server.until(number, "done")
    page = read(server, "/submissions/" + number)
    assert "What was found cannot be shown: no verdict has the name ''" in page.text and "wrong_answer" in page.text, page.text


def check_way_back(server, token):
    """Who has to log in comes to the page that was asked for, and to no other server's."""
    for path in ("/", "/problems/gemm-f16", "/submissions", "/submissions/" + FORGED, "/boards", "/class", "/class.csv",
                 "/submissions?user=a%26b&before=7", f"/problems/sgemm?from={FORGED}"):
        reply = server.request("GET", path, headers=BROWSER)
        assert reply.status == 303, path
        login = reply.headers["Location"]
        assert login == ("/login" if path == "/" else "/login?next=" + urllib.parse.quote(path, safe="")), (path, login)
        action = [a["action"] for tag, a in read(server, login).elements if tag == "form"][0]
        bad = post(server, action, {"token": "0" * 64})
        assert bad.status == 401 and b"nobody" in bad.body and f'action="{login}"'.encode() in bad.body, bad.body
        good = post(server, action, {"token": token})
        assert (good.status, good.headers["Location"]) == (303, path) and "Set-Cookie" in good.headers, (path, good.headers)
    reply = server.request("POST", "/problems/gemm-f16", b"source=a", headers={**BROWSER, "Sec-Fetch-Site": "same-origin"})
    assert (reply.status, reply.headers["Location"]) == (303, "/login?next=%2Fproblems%2Fgemm-f16")
    for path in ("/problems/gemm-f16", "/submissions"):  # programs are not led about
        assert server.request("GET", path, headers={"Accept": "*/*"}).json()["error"].startswith("a token is needed")
    for other in ("//evil.example", "/\\evil.example", "\\\\evil.example", "/%5cevil.example", "/%2Fevil.example", "%2F%2Fevil.example",
                  "http://evil.example/", "https:evil.example", "javascript:alert(1)", "evil.example", "/boards/../..//evil.example",
                  "/submissions?user=a\r\nSet-Cookie: x=1", "/submissions#@evil.example", "/logout",
                  "/api/me", "/login?next=//evil.example", "/boards?x=" + "a" * 300, "/ /evil.example", "/\t/evil.example", ""):
        address = "/login?next=" + urllib.parse.quote(other, safe="")
        assert [a["action"] for tag, a in read(server, address).elements if tag == "form"] == ["/login"], other
        good = post(server, address, {"token": token})
        assert (good.status, good.headers["Location"]) in ((303, "/"), (303, "/submissions")), (other, good.headers["Location"])
        assert good.headers["Location"] == "/" or "\0" in other, other
    followed = {"Sec-Fetch-Site": "cross-site"}  # a browser keeps the cookie back, and has it when it is asked again
    page = read(server, "/submissions?user=a%26b", headers=followed)
    assert ("meta", {"http-equiv": "refresh", "content": "0; url=/submissions?user=a%26b"}) in page.elements, page.elements
    assert page.links == ["/submissions?user=a%26b"]
    assert "ada" in read(server, "/submissions", token, headers=followed).text


def check_people():
    """Who sees what."""
    store = os.path.abspath("people.db")
    ada, bob = user_add(PROGRAM, store, "ada"), user_add(PROGRAM, store, "bob")
    eve = user_add(PROGRAM, store, "eve", "--role", "teacher")
    user_add(PROGRAM, store, "late")
    server = Server(PROGRAM, store=store)
    check_way_back(server, ada)
    assert "token" in read(server, "/login").values
    bad = post(server, "/login", {"token": "0" * 64})
    assert bad.status == 401 and b"nobody" in bad.body and "Set-Cookie" not in bad.headers
    good = post(server, "/login", {"token": ada})
    cookie = good.headers["Set-Cookie"]
    assert (good.status, good.headers["Location"]) == (303, "/") and "HttpOnly; SameSite=Strict" in cookie
    assert "ada" in read(server, "/", headers={"Cookie": cookie.split(";")[0]}).text
    out = post(server, "/logout", {}, Cookie=cookie.split(";")[0])
    assert out.status == 303 and "Max-Age=0" in out.headers["Set-Cookie"]
    numbers = [server.submitted("wrong 1", ada), server.submitted("accept 2", ada), server.submitted("wrong 3", ada),
               server.submitted("wrong 4", bob, problem="sgemm")]
    for number in numbers:
        server.until(number, "done", token=eve)
    of_ada = "/submissions/" + numbers[1]
    read(server, of_ada, ada), read(server, of_ada, eve), read(server, of_ada, bob, status=404)
    assert post(server, of_ada + "/withdraw", {}, bob).status == 404
    assert "accept 2" not in "".join(read(server, f"/problems/gemm-f16?from={numbers[1]}", bob).values.values())
    listed = lambda token, query="": [link for link in read(server, "/submissions" + query, token).links if len(link) > 40]
    assert len(listed(ada)) == 3 and len(listed(bob)) == 1 and len(listed(eve)) == 4 and len(listed(eve, "?user=bob")) == 1
    assert len(listed(bob, "?user=ada")) == 1 and "user" not in read(server, "/submissions", bob).values
    assert read(server, "/submissions?user=" + urllib.parse.quote(HOSTILE), eve).values["user"].startswith("</textarea>")
    for path in ("/class", "/class.csv"):
        assert server.request("GET", path, token=ada).status == 403, path
    assert "/class" not in read(server, "/", ada).links
    assert "This is for teachers. It needs another token" in " ".join(read(server, "/class", ada, status=403).text.split())
    assert "20 of your submissions may wait" in read(server, "/problems/sgemm", ada).text
    page = read(server, "/class", eve)
    assert of_ada in page.links and "/submissions?user=late" in page.links and "late" in page.text and "/submissions/" + numbers[0] not in page.links
    assert "/submissions?user=ada&problem=gemm-f16" in page.links and "Solved: gemm-f16 by 1 of 3, sgemm by 0 of 3." in page.text
    assert len(listed(eve, "?user=ada&problem=gemm-f16")) == 3 and len(listed(eve, "?user=ada&problem=sgemm")) == 0
    table = server.request("GET", "/class.csv", token=eve)
    assert table.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert table.body.decode() == "user,gemm-f16,sgemm\r\nada,accepted,\r\nbob,,wrong_answer\r\nlate,,\r\n", table.body
    read(server, "/boards", bob), read(server, "/boards/gemm-f16", bob)
    assert server.end() == 0


def main():
    scratch = tempfile.TemporaryDirectory(prefix="gemmjudge-pages-")
    os.chdir(scratch.name)
    server = Server(PROGRAM)
    check_forms(server)
    check_refused(server)
    check_codemirror(server)
    check_file(server)
    check_options(server)
    check_statement(server)
    check_verdicts(server)
    check_waiting(server)
    check_names(server)
    check_hostile(server)
    assert server.end() == 0
    check_busy()
    check_limits()
    check_server_options()
    check_people()


if __name__ == "__main__":
    main()
