"""A headless Chromium, driven over the DevTools protocol.

The browser reads commands from descriptor 3 and writes answers and events to descriptor 4: JSON, each message
ended by a NUL byte (--remote-debugging-pipe). That needs no port, no web socket and no package.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
PATIENCE = 30  # seconds that one answer may take

KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), " ": (32, " ")}


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class BrowserError(Exception):
    pass


class Browser:
    """One process with a profile of its own. A context manager: what was started ends with it."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="pages-profile-")
        self.number = 0
        self.events = []  # (session, method, parameters) that nobody asked for yet
        self.buffer = b""
        out_of_us, self.writer = os.pipe()
        self.reader, out_of_it = os.pipe()
        # Out of the way of 3 and 4, which the child gives them.
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (out_of_us, out_of_it)]
        command = [program, "--headless", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
                   "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync",
                   "--disable-component-update", "--disable-dev-shm-usage", "--force-color-profile=srgb",
                   "--hide-scrollbars", "about:blank"]
        if os.getuid() == 0:
            command.insert(1, "--no-sandbox")  # it refuses root with one
        self.log = open(os.path.join(self.profile, "log"), "w+b")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs[0]} 4>&{theirs[1]}', "bash"] + command, pass_fds=theirs,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        for end in theirs + [out_of_us, out_of_it]:
            os.close(end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()
        for _ in range(20):  # its helpers may be writing their last
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                break
            time.sleep(0.1)

    def _said(self):
        """What the browser printed, for whoever has to find out why it does not start."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:]

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.reader], [], [], max(0, deadline - time.monotonic()))[0]:
                raise BrowserError("the browser does not answer")
            more = os.read(self.reader, 1 << 16)
            if not more:
                raise BrowserError("the browser ended: " + self._said())
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _send(self, method, session, parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            os.write(self.writer, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError("the browser ended: " + self._said()) from None
        return self.number

    def _next(self, deadline):
        """The next answer, or None for an event, which is kept. A dialog would stop the page: it is closed."""
        message = self._receive(deadline)
        if "id" in message:
            return message
        session, method = message.get("sessionId"), message["method"]
        self.events.append((session, method, message["params"]))
        if method == "Page.javascriptDialogOpening":
            self._send("Page.handleJavaScriptDialog", session, {"accept": True})
        return None

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that come in between are kept."""
        number = self._send(method, session, parameters)
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._next(deadline)
            if answer is None or answer["id"] != number:
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def wait(self, session, method):
        """Until an event of that name was seen; it and those before it stay in `events`."""
        deadline = time.monotonic() + PATIENCE
        while not any(event[:2] == (session, method) for event in self.events):
            self._next(deadline)

    def page(self):
        return Page(self)


class Page:
    """A tab."""

    def __init__(self, browser):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, url):
        """Loads a page; forgets what was seen before."""
        self.browser.events.clear()
        self.call("Page.navigate", url=url)
        self.browser.wait(self.session, "Page.loadEventFired")

    def look(self, width, scheme="light", media="screen"):
        """How wide the window is, and what the reader prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, expression):
        """The value of a JavaScript expression, as plain data; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def press(self, key, modifiers=0):
        """With modifiers of DevTools: 2 is Ctrl, 4 Meta. With one of these a key writes nothing."""
        code, text = KEYS[key] if modifiers == 0 else (KEYS[key][0], "")
        name = "Space" if key == " " else key
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=name, windowsVirtualKeyCode=code, modifiers=modifiers,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def seen(self, *methods):
        """The parameters of the events of these names since the page was opened."""
        self.run("0")  # what was under way has arrived
        return [event[2] for event in self.browser.events if event[1] in methods]

    def screenshot(self, path):
        import base64
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
