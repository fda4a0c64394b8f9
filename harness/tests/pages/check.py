#!/usr/bin/env python3
"""Opens pages in a headless Chromium and says what is wrong with them, a line each.

usage: check.py [--shots FOLDER] [--highest N] PAGE...

    --shots    also a picture of each page at each width and in each scheme
    --highest  so many pixels high a page may be in a window of 1280, before anything is opened

Exit status: 0 nothing is wrong, 1 something is, 2 a wrong command line, 77 there is no browser.
"""

import argparse
import csv
import io
import os
import pathlib
import sys
import urllib.parse

sys.dont_write_bytecode = True
import browser  # noqa: E402

WIDTHS = (400, 800, 1280)
SCHEMES = ("light", "dark")
PAPER = 718  # A4 less margins of 10 mm, at 96 dpi
PROBE = (pathlib.Path(__file__).parent / "probe.js").read_text()
NO_BROWSER = 77


class Checker:
    def __init__(self, page, path, shots, highest):
        self.page, self.path, self.shots, self.highest = page, path, shots, highest
        self.url = pathlib.Path(path).absolute().as_uri()
        self.found = []

    def probe(self, call):
        return self.page.run(f"({PROBE}).{call}")

    def demand(self, good, what):
        if not good:
            self.found.append(what)

    # ---- as it is loaded ----------------------------------------------------------

    def load(self):
        self.page.open(self.url)
        for event in self.page.seen("Network.requestWillBeSent"):
            url = event["request"]["url"]
            self.demand(url == self.url, f"it asks for {url}")

    def check_quiet(self):
        """The console has nothing to say, no window opened, and nothing but the page's own script is there."""
        for event in self.page.seen("Runtime.consoleAPICalled"):
            self.found.append("the console says: " + " ".join(str(a.get("value")) for a in event["args"]))
        for event in self.page.seen("Log.entryAdded"):
            self.found.append("the console says: " + event["entry"]["text"])
        for event in self.page.seen("Runtime.exceptionThrown"):
            self.found.append("its script failed: " + event["exceptionDetails"]["text"])
        self.demand(not self.page.seen("Page.javascriptDialogOpening"), "it opens a dialog")
        scripts = self.page.run("document.scripts.length")
        self.demand(scripts <= 1, f"it has {scripts} scripts: one is its own")
        handlers = self.page.run("[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
                                 ".filter(a => /^on/i.test(a.name)).map(a => a.name)")
        self.demand(not handlers, f"attributes run script: {handlers}")

    def check_names(self):
        """By the browser's own reckoning, what is read out for what cannot be seen."""
        for node in self.page.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            named = node.get("name", {}).get("value", "").strip()
            if not node["ignored"] and role in ("image", "img", "button", "link"):
                self.demand(named, f"a thing of the role {role} has no name")

    def check_looks(self):
        for scheme in SCHEMES:
            for width in WIDTHS:
                self.page.look(width, scheme)
                where = f" ({width} px, {scheme})"
                self.found += [line + where for line in self.probe("width()")]
                if width != 800:
                    self.found += [line + where for line in self.probe("contrast()")]
                if self.shots:
                    name = pathlib.Path(self.path).stem
                    self.page.screenshot(f"{self.shots}/{name}-{width}-{scheme}.png")
        self.page.look(PAPER, media="print")
        self.found += [line + " (on paper)" for line in self.probe("width()") + self.probe("contrast()")]
        self.page.look(WIDTHS[-1])

    # ---- what is done with keys ----------------------------------------------------

    def open_all(self):
        self.page.run("document.querySelectorAll('details').forEach(d => d.open = true)")

    def check_sorting(self):
        self.open_all()
        for index in self.probe("firstSorters()"):
            before = self.probe(f"sorter({index})")
            self.page.run(f"document.querySelectorAll('th button')[{index}].focus()")
            self.page.press("Enter")
            self.check_order(f"Enter on sort button {index + 1}", before, self.probe(f"sorter({index})"))
        for column in self.probe("sorted()"):
            for before, after in zip(column["states"], column["states"][1:]):
                self.check_order(column["name"], before, after)

    def check_order(self, what, before, after):
        self.demand(after["order"] in ("ascending", "descending") and after["others"] == 0,
                    f"{what}: sorting says aria-sort={after['order']}")
        self.demand(sorted(after["cells"]) == sorted(before["cells"]), f"{what}: sorting loses rows")
        self.demand(in_order(after["cells"], after["order"]), f"{what}: not {after['order']}: {after['cells'][:6]}")
        self.demand(after["order"] != before["order"], f"{what}: sorting again does not turn it round")

    def check_copying(self):
        self.open_all()
        tables = self.probe("copied()")
        for index, table in enumerate(tables):
            self.page.run(f"document.querySelectorAll('.data button.copy, details button.copy')[{index}].focus()")
            self.page.press("Enter")
            text = self.page.run("new Promise(done => setTimeout(done, 20)).then(() => navigator.clipboard.readText())")
            copied = [[cell.removeprefix("'") for cell in row] for row in csv.reader(io.StringIO(text))]
            table = [[cell.removeprefix("'") for cell in row] for row in table]
            self.demand(copied == table, f"copy button {index + 1} copies {copied[:2]} and not {table[:2]}")

    # ---- links, and without a script -------------------------------------------------

    def check_links(self):
        for link in self.page.run("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue
            self.demand(not parts.scheme and not parts.path.startswith("/"), f"the link {link} is not relative")
            there = pathlib.Path(self.path).parent / urllib.parse.unquote(parts.path) if parts.path else self.path
            self.demand(os.path.isfile(there), f"the link {link} leads nowhere")
            if parts.fragment and not parts.path:
                self.demand(self.page.run(f"document.getElementById({parts.fragment!r}) !== null"),
                            f"the link {link} leads nowhere in the page")
                self.demand(self.page.run(f"new Promise(done => {{ location.hash = {link!r}; setTimeout(done, 50); }}).then(() => "
                                          f"document.getElementById({parts.fragment!r})?.checkVisibility() ?? true)"),
                            f"the link {link} leads to what stays closed")

    def check_without_script(self):
        with_script = self.probe("texts()")
        self.page.call("Emulation.setScriptExecutionDisabled", value=True)
        self.load()
        without = self.probe("texts()")
        self.demand(sorted(with_script) == sorted(without), "without its script the page says something else")
        self.demand(self.page.run("document.querySelectorAll('button').length") == 0,
                    "without its script the page has buttons that do nothing")
        self.page.call("Emulation.setScriptExecutionDisabled", value=False)

    def check(self):
        self.page.look(WIDTHS[-1])
        self.load()
        self.demand(self.probe("texts()"), "the page is empty")
        height = self.page.run("document.documentElement.scrollHeight")
        self.demand(not self.highest or height <= self.highest, f"it is {height} pixels high, more than {self.highest}")
        self.found += self.probe("headings()") + self.probe("structure()")
        self.check_names()
        self.check_looks()
        self.check_links()
        self.check_sorting()
        self.check_copying()
        self.check_quiet()
        self.check_without_script()
        return self.found


def in_order(cells, order):
    """Cells that hold nothing, or no number among numbers, stand last in either order; words as the reader's
    language has them, so that only those are looked at here that differ in their first letter."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return None
    numbers = [number(cell) for cell in cells]
    known = [n for n in numbers if n is not None]
    if not known:
        known = [cell[0].lower() for cell in cells if cell and cell[0].isascii() and cell[0].isalpha()]
    elif None in numbers[:len(known)] and all(n is not None or c in ("", "-", "\u2013") for n, c in zip(numbers, cells)):
        return False
    return known == sorted(known, reverse=order == "descending")


def main():
    parser = argparse.ArgumentParser(usage="\n\n".join(__doc__.split("\n\n")[1:3]).removeprefix("usage: "))
    parser.add_argument("--shots")
    parser.add_argument("--highest", type=int)
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    program = browser.find()
    if program is None:
        print(f"no browser here: none of {', '.join(browser.PROGRAMS)} is installed")
        return NO_BROWSER
    bad = 0
    with browser.Browser(program) as running:
        running.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        for path in options.pages:
            found = Checker(running.page(), path, options.shots, options.highest).check()
            bad += len(found)
            for line in found:
                print(f"{path}: {line}")
    print(f"{len(options.pages)} pages, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except browser.BrowserError as error:
        print(f"check.py: {error}")
        sys.exit(1)
