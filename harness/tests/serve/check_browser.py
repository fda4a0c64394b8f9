"""The pages of `gemmjudge serve` in a headless Chromium: a wrong file, the hint at its line, the file mended, accepted
and on the board, all without leaving the page of the problem.

usage: check_browser.py GEMMJUDGE SOURCE_ROOT FOLDER     pictures go to FOLDER

UPDATE=1: those of the guide are made anew. Exit status: 0, or 77 where there is no browser.
"""

import base64
import json
import os
import shutil
import sys
import time

from server import Server, user_add

PROGRAM, ROOT, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.path.insert(0, os.path.join(ROOT, "harness/tests/pages"))
import browser  # noqa: E402

with open(os.path.join(ROOT, "harness/tests/pages/probe.js"), encoding="utf-8") as probe:
    PROBE = probe.read()
RIGHT = """#include <cuda_fp16.h>

__global__ void gemm(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0.0f;
	if (row >= M || column >= N)
		return;
	for (int k = 0; k < K; k++)
		sum += __half2float(A[row * K + k]) * __half2float(B[k * N + column]);
	C[row * N + column] = __float2half(alpha * sum + (beta == 0.0f ? 0.0f : beta * __half2float(C[row * N + column])));
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
	gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha, beta);
}
"""
WRONG = RIGHT.replace("if (row >= M || column >= N)", "if (row >= M)")
LINE = 10  # that reads beyond B
OFF = RIGHT.replace("__float2half(alpha", "__float2half((column % 32 == 31 ? 0.03f : 0.0f) + alpha")
BROKEN = RIGHT.replace("float sum = 0.0f;", "float sum = zero;")
BROKEN_LINE = 6  # that the compiler refuses
MOST = 120 * 1024  # bytes of a picture


class Checker:
    def __init__(self, server, page):
        self.server, self.page = server, page

    def open(self, path):
        self.page.open(f"http://127.0.0.1:{self.server.port}{path}")

    def until(self, expression):
        """The value, once it is true."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if value := self.page.run(expression):
                    return value
            except browser.BrowserError:
                pass  # one page goes, and the next is not there yet
            time.sleep(0.05)
        raise AssertionError(f"never: {expression}; the page says {self.page.run('document.body.innerText')[:2000]}")

    def check_looks(self, what, expected="nothing"):
        """As the tests of other pages look at them; no request goes elsewhere, and the console says no more than is
        expected."""
        found = []
        for width, scheme in ((1280, "light"), (400, "dark")):
            self.page.look(width, scheme)
            for call in ("width", "contrast", "headings", "structure"):
                found += [f"{line} ({width} px)" for line in self.page.run(f"({PROBE}).{call}()")]
        found = [line for line in found if "class=\"CodeMirror-" not in line]  # they follow the cursor
        self.page.look(1280)
        for event in self.page.seen("Network.requestWillBeSent"):
            url = event["request"]["url"]
            if not url.startswith((f"http://127.0.0.1:{self.server.port}/", "data:")):
                found.append(f"it asks for {url}")
        said = [event["entry"]["text"] for event in self.page.seen("Log.entryAdded")]
        found += [text for text in said if expected not in text]
        found += [str(event) for event in self.page.seen("Runtime.exceptionThrown")]
        for node in self.page.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if not node["ignored"] and role in ("image", "button", "link", "textbox", "region"):
                if not node.get("name", {}).get("value", "").strip():
                    found.append(f"a {role} has no name")
        assert not found, (what, found)

    def write(self, source):
        """The text into the editor, as by the keyboard."""
        if self.page.run("typeof CodeMirror === 'function'"):
            self.page.run("document.querySelector('.CodeMirror').CodeMirror.focus()")
            self.page.run("document.querySelector('.CodeMirror').CodeMirror.execCommand('selectAll')")
        else:
            self.page.run("document.getElementById('source').focus()")
            self.page.run("document.getElementById('source').select()")
        self.page.call("Input.insertText", text=source)

    def submit(self, source, modifiers=0):
        """By the button, or by Ctrl or Meta and Enter in the editor. Its submission's id."""
        self.write(source)
        if modifiers == 0:
            self.page.run("document.querySelector('#editor button').focus()")
        self.page.press("Enter", modifiers)
        assert self.page.run("document.getElementById('live').dataset.done") is None
        assert self.page.run("document.getElementById('found').innerText + document.querySelectorAll('.marked').length") == "0", \
            "what was found before stands below what is being judged"
        return self.until("document.getElementById('live').dataset.done")

    def picture(self, name, selector, scheme, width):
        """Of the part of the page from an element on."""
        self.page.look(width, scheme)
        top = self.page.run(f"document.querySelector({selector!r}).getBoundingClientRect().top + scrollY - 6")
        height = self.page.run(f"Math.min(780, document.documentElement.scrollHeight - {top})")
        shot = self.page.call("Page.captureScreenshot", captureBeyondViewport=True,
                              clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1})
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
        assert 5000 < os.path.getsize(path) <= MOST, (name, os.path.getsize(path))
        if os.environ.get("UPDATE"):
            shutil.copyfile(path, os.path.join(ROOT, "harness/guide", name))

    def check(self):
        self.open("/")
        self.check_looks("/")
        self.page.run("document.querySelector('a[href=\"/problems/gemm-f16\"]').click()")
        self.until("document.getElementById('editor') && document.readyState === 'complete'")
        assert "solve(" in self.page.run("document.getElementById('source').value")
        self.check_looks("the editor")
        self.check_keyboard()
        self.check_files()
        self.check_broken()
        self.check_option()
        self.submit(OFF)
        assert "times its bound" in self.page.run("document.getElementById('found').innerText")
        self.check_narrow()
        self.page.run("document.getElementById('option-seed').value = '7'")  # the picture's
        wrong = self.submit(WRONG, modifiers=2)
        assert self.page.run("location.pathname") == "/problems/gemm-f16"
        assert "runtime_error" in self.page.run("document.getElementById('live').innerText")
        note = self.page.run(f"document.querySelector('#found #line-{LINE} .note').innerText")
        assert f"Line {LINE}:" in note and "past the end" in note, note
        hints = self.page.run(f"[...document.querySelectorAll('#found #line-{LINE} .note')].map(e => e.innerText)")
        assert any("row and column exist" in hint for hint in hints), hints
        assert f"B[k * N + column]" in self.page.run(f"document.querySelector('#found #line-{LINE} code').innerText")
        self.check_looks("the verdict of a wrong file", expected="status of 400")
        self.check_narrow()
        self.picture("serve-wrong.png", "#live", "light", 760)
        assert self.server.get(wrong)["options"] == {"seed": "7"} and self.server.get(wrong)["seed"] == "0x7"
        self.page.run("document.getElementById('option-seed').value = ''")
        right = self.submit(RIGHT, modifiers=4)
        assert right != wrong and "accepted" in self.page.run("document.getElementById('live').innerText")
        assert self.page.run("document.querySelector('#found .verdict').innerText").endswith("accepted")
        assert self.page.run("document.querySelectorAll('#found .note').length") == 0
        self.open("/submissions/" + right)
        assert "if (row >= M || column >= N)" in self.page.run("document.querySelector('pre.diff ins').innerText")
        self.check_looks("the page of a submission")
        self.check_diff()
        self.check_scheme()
        self.picture("serve-changed.png", "h1", "dark", 400)
        self.check_board(right)
        self.check_without_script()

    def check_keyboard(self):
        """Tab leaves the editor, and each stop of the page can be seen to be one."""
        self.page.run("(document.querySelector('.CodeMirror textarea') ?? document.getElementById('source')).focus()")
        for stop in ("file", "name", "", ""):
            self.page.press("Tab")
            assert self.page.run("document.activeElement.id") == stop, self.page.run("document.activeElement.outerHTML")
            assert self.page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid", stop
        assert self.page.run("document.activeElement.textContent") == "Submit"

    def text(self):
        return self.page.run("(document.querySelector('.CodeMirror')?.CodeMirror ?? {getValue: () => document.getElementById('source').value})"
                             ".getValue()")

    def check_files(self):
        """A file that is chosen, or dropped on the editor, is in it, and its name in the field of names."""
        files = "const files = new DataTransfer(); files.items.add(new File([new Uint8Array(%s)], %r)); "
        chosen = files + "const field = document.getElementById('file'); field.files = files.files; field.dispatchEvent(new Event('change'));"
        dropped = files + ("document.querySelector('.CodeMirror, #source').dispatchEvent("
                           "new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}));")
        for act, name, source in ((chosen, "mine.cu", "// one\r\nüber\n"), (dropped, "other.cu", "// two\n")):
            self.page.run("{" + act % (list(source.encode()), name) + "}")
            self.until(f"document.getElementById('live').innerText.includes({name!r})")
            assert self.text() == source.replace("\r\n", "\n"), self.text()
            assert self.page.run("document.getElementById('name').value") == name
            assert self.page.run("document.getElementById('file').files.length") == 0
        for content, word in ("[255, 216]", "no text in UTF-8"), ("1048577", "more than 1 MiB"):
            self.page.run("{" + chosen % (content, "bad.cu") + "}")
            self.until(f"document.getElementById('live').innerText.includes({word!r})")
            assert self.text() == "// two\n" and self.page.run("document.getElementById('name').value") == "other.cu"
        assert self.page.run("location.pathname") == "/problems/gemm-f16"

    def check_broken(self):
        """The compiler's message stands at its line, the line is marked in the editor, and the message leads to it."""
        number = self.submit(BROKEN)
        assert self.server.get(number)["name"] == "other.cu", "the name of the file that was dropped"
        assert "compile_error" in self.page.run("document.getElementById('live').innerText")
        note = self.page.run(f"document.querySelector('#found #line-{BROKEN_LINE} .note').innerText")
        assert f"Line {BROKEN_LINE}:" in note and '"zero" is undefined' in note, note
        link = self.page.run("document.querySelector('#found .messages a').innerText")
        assert f"other.cu({BROKEN_LINE})" in link, link
        self.page.run("document.querySelector('#found .messages a').click()")
        if self.page.run("typeof CodeMirror === 'function'"):
            assert self.page.run("document.querySelector('.CodeMirror').CodeMirror.getCursor().line") == BROKEN_LINE - 1
            assert self.page.run("document.querySelectorAll('.CodeMirror .marked').length") == 1
        else:
            picked = "const a = document.activeElement; a.value.slice(a.selectionStart, a.selectionEnd)"
            assert "float sum = zero;" in self.page.run(picked), self.page.run(picked)
            self.check_gutter()
        self.check_looks("the verdict of what does not compile")
        self.open("/submissions/" + number)
        self.page.run("document.querySelector('.messages a').click()")
        assert self.page.run("document.querySelector(':target').id") == f"line-{BROKEN_LINE}"
        self.check_looks("the page of what does not compile")
        self.open(f"/problems/gemm-f16?from={number}")
        assert self.page.run("document.getElementById('name').value") == "other.cu"

    def check_gutter(self):
        """Numbers stand beside their lines; a mark moves with its line."""
        marked = "[...document.querySelectorAll('.gutter .marked')].map(e => e.innerText + e.title).join()"
        assert self.page.run(marked).startswith(f"{BROKEN_LINE}Line {BROKEN_LINE}:"), self.page.run(marked)
        height = self.page.run("parseFloat(getComputedStyle(document.getElementById('source')).lineHeight)")
        number = self.page.run("document.querySelector('.gutter span:nth-child(15)').getBoundingClientRect().top - "
                               "document.querySelector('.gutter span').getBoundingClientRect().top")
        assert abs(number - 14 * height) < 1.5, (number, height)
        self.page.run("document.getElementById('source').setSelectionRange(0, 0)")
        self.page.call("Input.insertText", text="// a line\n// and one\n")
        assert self.page.run(marked).startswith(f"{BROKEN_LINE + 2}Line"), self.page.run(marked)

    def check_option(self):
        """What is refused stands beside its field, and is gone with the next one."""
        assert self.page.run("document.querySelector('details.options').open") is False
        self.page.run("document.getElementById('option-cases').value = '0'")
        self.page.run("document.querySelector('#editor button').click()")
        note = self.until("document.getElementById('error-cases')?.innerText")
        assert "from 1 to 256" in note, note
        assert "option cases" in self.page.run("document.getElementById('live').innerText")
        assert self.page.run("document.activeElement.id") == "option-cases"
        self.check_looks("options", expected="status of 400")
        self.page.run("document.getElementById('option-cases').value = ''")
        self.page.run("document.getElementById('option-epilogue').value = 'no_such_stage'")
        self.submit(RIGHT)
        note = self.until("document.getElementById('error-epilogue')?.innerText")
        assert "no_such_stage" in note and self.page.run("document.getElementById('error-cases')") is None, note
        self.page.run("document.getElementById('option-epilogue').value = ''")
        shown = self.page.run(r"visible('\u202e\u{e0041}\u009b\u2028 \u00e9\t\ud83d\ude00')")
        assert shown == "\\u202e\\U000e0041\\u009b\\u2028 \u00e9\t\U0001f600", shown

    def check_narrow(self):
        """In a window of 400 pixels nothing of the verdict needs scrolling but the source and the numbers of the map."""
        self.page.look(400)
        self.page.run("document.querySelectorAll('#found details').forEach((e) => { e.open = true; })")
        wide = self.page.run("[...document.querySelectorAll('#found .scroll:not(.source)')].filter((e) => e.scrollWidth > e.clientWidth + 1"
                             " && !e.closest('figure')).map((e) => `${e.scrollWidth} in ${e.clientWidth}: ${e.innerText.slice(0, 80)}`)")
        assert wide == [], wide
        assert self.page.run("document.documentElement.scrollWidth") <= 400
        self.page.look(1280)

    def check_diff(self):
        """Its lines stand below each other without a blank one between them."""
        tops = self.page.run("[...document.querySelectorAll('pre.diff > *')].map((e) => e.getClientRects()[0].top)")
        height = self.page.run("parseFloat(getComputedStyle(document.querySelector('pre.diff')).lineHeight)")
        assert len(tops) > 6 and all(abs(b - a - height) < 1.5 for a, b in zip(tops, tops[1:])), (tops, height)

    def check_scheme(self):
        """Dark or light against the system, kept when the page is loaded again, and given back to the system."""
        ground = "getComputedStyle(document.body).backgroundColor"
        choose = "{ const e = document.getElementById('scheme'); e.value = %r; e.dispatchEvent(new Event('change')); }"
        of = {}
        for scheme in ("light", "dark"):
            self.page.look(1280, scheme)
            of[scheme] = self.page.run(ground)
        assert of["light"] != of["dark"]
        for system, chosen in (("dark", "light"), ("light", "dark")):
            self.page.look(1280, system)
            self.page.run(choose % chosen)
            assert self.page.run(ground) == of[chosen]
            assert self.page.run("getComputedStyle(document.documentElement).colorScheme") == chosen
            self.page.call("Page.reload")
            self.until(f"document.getElementById('scheme')?.value === {chosen!r}")
            assert self.page.run(ground) == of[chosen], "kept"
            found = self.page.run(f"({PROBE}).contrast()")
            assert found == [], (chosen, found)
        self.page.run(choose % "auto")
        assert self.page.run(ground) == of["light"]

    def check_board(self, number):
        for _ in range(200):  # boards are made anew a moment after the verdict
            self.open("/boards/gemm-f16")
            if self.page.run(f"document.querySelector('a[href=\"/submissions/{number}\"]') !== null"):
                break
            time.sleep(0.1)
        row = self.page.run(f"document.querySelector('a[href=\"/submissions/{number}\"]').closest('tr').innerText")
        assert row.split()[0] == "1" and "accepted" in row and "12 of 12" in row, row
        self.check_looks("the board")
        for path in ("/submissions", "/class", "/login"):
            self.open(path)
            self.check_looks(path)


    def check_without_script(self):
        """The form itself is taken, and the page that it leads to comes to the verdict by itself."""
        self.page.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open("/problems/gemm-f16?from=" + self.submissions()[0]["id"])
        self.page.run("document.querySelector('#editor button').focus()")
        self.page.press("Enter")
        self.until("location.pathname.startsWith('/submissions/') && document.querySelector('.verdict') !== null")
        assert len(self.submissions()) == 6
        self.page.call("Emulation.setScriptExecutionDisabled", value=False)

    def check_class(self, token, ada):
        """A class of 13 students with 3 problems each: less than two screens; each row leads to what one submitted."""
        self.log_in(token)
        self.open("/class")
        self.page.look(1280)
        height = self.page.run("document.documentElement.scrollHeight")
        rows = self.page.run("[...document.querySelectorAll('.class tbody tr')].map(row => row.cells.length)")
        assert rows == [4] * 13 and height < 2 * 800, (rows, height)
        assert "101.5 us" in self.page.run("document.querySelector('.class tbody tr').innerText")
        self.check_looks("/class of 13")
        self.page.run("document.querySelector('.class tbody th a').click()")
        self.until("location.search === '?user=ada' && document.querySelector('.list') !== null")
        self.check_list(ada)
        self.check_looks("the list of a student")

    def check_list(self, count):
        """In a window of 400 pixels a row is all there, without scrolling."""
        self.page.look(400)
        cells = self.page.run("[...document.querySelectorAll('.list tbody :is(th, td)')].map(cell => {"
                              "const box = cell.getBoundingClientRect(); return [box.left, box.right, cell.innerText]; })")
        assert len(cells) == 6 * count and all(left >= 0 and right <= 400 for left, right, _ in cells), cells
        box = self.page.run("(box => [box.scrollWidth, box.clientWidth])(document.querySelector('.list .scroll'))")
        assert box[0] <= box[1], box
        self.page.look(1280)

    def log_in(self, token):
        """Whoever is asked for the token comes to the page that was asked for."""
        self.open("/submissions?user=mo")
        self.until("location.pathname === '/login'")
        self.check_looks("/login")
        self.page.run(f"document.getElementById('token').value = {token!r}")
        self.page.run("document.querySelector('form.fields button').click()")
        self.until("location.pathname + location.search === '/submissions?user=mo'")
        # another site's link: the browser keeps the cookie back, and brings it when it is asked again
        self.page.open(f"http://localhost:{self.server.port}/login")
        self.page.run(f"location.href = 'http://127.0.0.1:{self.server.port}/submissions?user=ada'")
        self.until("location.hostname === '127.0.0.1' && document.querySelector('.list') !== null")
        assert self.page.run("location.pathname + location.search") == "/submissions?user=ada"

    def check_errors(self):
        """An error is a page like the others."""
        for path in ("/none", "/problems/none", "/logout"):
            self.open(path)
            assert "To the problems" in self.page.run("document.body.innerText"), path
            self.page.browser.events.clear()  # the console tells of the status
            self.check_looks(path)

    def submissions(self):
        return self.server.request("GET", "/api/submissions").json()["submissions"]


STUDENTS = ["ada", "bob", "carla", "dmitri", "eve.with.a-long_name", "farid", "grete", "hiro", "ines", "jan-willem", "kofi", "lena", "mo"]


def make_class():
    """A server with what a class of 13 submitted; a teacher's token, and how many ada submitted."""
    store = os.path.join(FOLDER, "class.db")
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(store + ending):
            os.remove(store + ending)
    tokens = {name: user_add(PROGRAM, store, name) for name in STUDENTS}
    teacher = user_add(PROGRAM, store, "prof", "--role", "teacher")
    server = Server(PROGRAM, "--workers", "4", store=store)
    timed = os.path.join(FOLDER, "timed.json")
    entry = {"label": "stdin", "role": "file", "ran": True, "microseconds": 101.5, "sealed": {"state": "confirmed"}}
    result = {"problem": "gemm-f16", "verdict": "accepted", "content": "0" * 64, "cases": [], "hints": [],
              "timing": {"case": {"m": 1024, "n": 1024, "k": 1024, "batch": 1}, "entries": [entry]}}
    with open(timed, "w", encoding="utf-8") as file:
        file.write(json.dumps({"event": "verdict", "verdict": "accepted", "seed": "0x1", "result": result},
                              separators=(",", ":")) + "\n")
    ids = []
    for i, (name, token) in enumerate(tokens.items()):
        for problem in ("gemm-f16", "minplus-f32", "batched-f16"):
            sources = [f"wrong {i}", f"accept {i}", f"wrong again {i}"][:1 + (i + len(problem)) % 3] if i else ["accept"]
            ids += [(server.submitted(source, token, problem=problem, name="a_kernel_with_tiles.cu"), token) for source in sources]
    ids.append((server.submitted(f"hostile {timed}", tokens["ada"]), tokens["ada"]))
    for number, token in ids:
        server.until(number, "done", token=token)
    return server, teacher, 4


def main():
    program = browser.find()
    if program is None:
        print(f"no browser here: none of {', '.join(browser.PROGRAMS)} is installed")
        return 77
    os.makedirs(FOLDER, exist_ok=True)
    server = Server(PROGRAM, "--device", "emu", "--cases", "12", "--max-dim", "64", fake=False)
    with browser.Browser(program) as running:
        Checker(server, running.page()).check()
        assert server.end() == 0
        server, token, ada = make_class()
        checker = Checker(server, running.page())
        checker.check_class(token, ada)
        checker.check_errors()
        assert server.end() == 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
