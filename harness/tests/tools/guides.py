"""Runs what pages show, and compares it with what they say.

usage: guides.py SOURCE BUILD LEAST PAGE...      LEAST commands have to run

Blocks of a page, by the word behind their ```:

    sh        a command a line; each ends with 0, or as a line <!-- status: 1 --> above the block says
    console   `$ command` and what it prints, but for times, dates, seeds, paths, hashes and layers of
              the jail that this machine lacks; where the command has no --seed, numbers may differ, too.
              A line of three dots stands for any lines
    c, cuda, cpp, python, ini, yaml   a file, under the name that its first line has as a comment, or
              that a line <!-- file: NAME --> above the block has
    text      nothing to be run

A block below <!-- needs: KIND --> is not run (NEEDS has the kinds; what needs a jail runs where there
is one); its commands' long options are looked up in --help all the same. Each page has a folder of its own that looks like the repository.
On the emulated GPU `sh` blocks judge few and small cases, and hopper/ is compiled with one tile
configuration: all of them take nvcc a minute.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

NEEDS = {"gpu": "a GPU", "network": "the network", "root": "rights that are not given to tests", "slurm": "a cluster",
         "minutes": "more time than a test has", "hands": "somebody who ends it", "torch": "PyTorch",
         "jail": "a kernel with Landlock"}
FILES = {"c", "cuda", "cpp", "python", "ini", "yaml"}
NAMED = re.compile(r"^(?://|#|;)\s+([A-Za-z0-9_.-]+\.[a-z]+)\b")
MOST_LINES, MOST_BYTES = 200, 12 * 1024
HOPPER = "-DHOPPER_F16_ONLY -DHOPPER_CONFIG=38"


class Page:
    def __init__(self, path):
        self.path, self.name = path, path.name
        self.blocks = []  # (language, marks, first line's number, lines)
        marks, block = {}, None
        self.lines = path.read_text().split("\n")
        for number, line in enumerate(self.lines, 1):
            if block is not None and line.rstrip() == "```":
                self.blocks.append(block)
                marks, block = {}, None
            elif block is not None:
                block[3].append(line)
            elif line.startswith("```"):
                block = (line[3:].strip(), marks, number + 1, [])
            elif found := re.match(r"<!-- (needs|status|file): (.*) -->$", line):
                marks[found[1]] = found[2]
            elif line.strip():
                marks = {}

    def links(self):
        text = re.sub(r"```.*?```", "", "\n".join(self.lines), flags=re.S)
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if "://" not in target:
                yield target


def commands_of(lines):
    """(offset, command) of an sh block: continued lines joined, comments dropped."""
    whole, first = "", 0
    for offset, line in enumerate(lines):
        first = offset if not whole else first
        whole += line
        if whole.endswith("\\"):
            whole = whole[:-1].rstrip() + " "
            continue
        if whole.strip() and not whole.lstrip().startswith("#"):
            yield first, re.sub(r"\s+#\s.*$", "", whole).strip()
        whole = ""


def transcripts_of(lines):
    """(offset, command, output lines) of a console block."""
    found = []
    for offset, line in enumerate(lines):
        if line.startswith("$ "):
            found.append((offset, line[2:], []))
        elif found:
            found[-1][2].append(line)
    return found


def plain(line, seeded):
    """What of a line is the same in each run."""
    line = re.sub(r"0x[0-9a-f]+", "0xSEED", line.rstrip())
    line = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?", "DATE", line)
    line = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b\+?|\bunknown\b", "HASH", line)
    line = re.sub(r"(?<![\w.])/[\w.+/-]+", "PATH", line)
    line = re.sub(r"\b\d+(\.\d+)? (s|ms|us)\b", "TIME", line)
    if line.startswith("guarantees:"):
        line = "guarantees" + (", sealed" if "sealed" in line else "")
    line = re.sub(r", host \S+", ", host HOST", line)
    line = re.sub(r"\bnvcc 13\.[\d.]+", "nvcc VERSION", line)
    if not seeded:
        line = re.sub(r"\s+", " ", re.sub(r"\b\d+(\.\d+)?(e[+-]\d+)?", "N", line))
    return line


def same(expected, got):
    """None, or the first line that is not what the page says."""
    at, skipping = 0, False
    for want in expected:
        if want.strip() == "...":
            skipping = True
            continue
        while skipping and at < len(got) and got[at] != want:
            at += 1
        skipping = False
        if at >= len(got):
            return f"prints nothing where the page has '{want}'"
        if got[at] != want:
            return f"prints '{got[at]}' where the page has '{want}'"
        at += 1
    return None if skipping or at >= len(got) else f"also prints '{got[at]}'"


class Runner:
    def __init__(self, source, build, scratch):
        self.source, self.build, self.place = source, build, scratch / "gemmjudge"
        self.faults, self.ran, self.left, self.helps = 0, 0, {}, {}
        cache = (build / "CMakeCache.txt").read_text()
        self.nvcc = re.search(r"^NVCC:FILEPATH=(.*)$", cache, re.M)[1]
        self.cuda = pathlib.Path(self.nvcc).resolve().parents[1]
        self.gpu = os.path.exists("/dev/nvidiactl")
        home = scratch / "home"
        home.mkdir()
        self.environment = {"GEMMJUDGE_CACHE": str(scratch / "cache"), **os.environ, "HOME": str(home),
                            "GEMMJUDGE": str(build / "gemmjudge"), "GEMMJUDGE_STORE": str(scratch / "store.db"),
                            "TERM": "dumb", "LC_ALL": "C.UTF-8"}

    def fail(self, page, line, words):
        self.faults += 1
        print(f"FAILED: {page.name}:{line}: {words}")

    def fresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        for name in ("README.md", "solutions", "epilogues", "testcases", "harness", "tools"):
            (self.place / name).symlink_to(self.source / name)
        (self.place / "build").symlink_to(self.build)
        (pathlib.Path(self.environment["GEMMJUDGE_STORE"])).unlink(missing_ok=True)

    def run(self, command):
        return subprocess.run(["timeout", "300", "bash", "-o", "pipefail", "-c", command], cwd=self.place, env=self.environment,
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def options_of(self, words):
        """The long options that --help of the subcommand lists."""
        program = tuple(words[:2])
        if program not in self.helps:
            said = self.run(" ".join(map(shlex.quote, program)) + " --help")
            self.helps[program] = set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", said.stdout.decode("utf-8", "replace"), re.M))
        return self.helps[program]

    def look_up(self, page, line, command):
        """Tools exist, and gemmjudge has the options."""
        for part in re.split(r"\s(?:&&|\|\||;|\|)\s", command):
            try:
                words = [word for word in shlex.split(part) if not re.match(r"^[A-Z_]+=", word)]
            except ValueError as error:
                self.fail(page, line, f"'{part}' is no command: {error}")
                continue
            if not words:
                continue
            if words[0].startswith("tools/") and not (self.source / words[0]).exists():
                self.fail(page, line, f"there is no {words[0]}")
            own = words[:words.index("--")] if "--" in words else words
            if words[0] in ("build/gemmjudge", "gemmjudge") and len(words) > 1:
                asked = ["build/gemmjudge", *own[1:]] if words[0] == "gemmjudge" else own
                for word in asked[2:]:
                    if word.startswith("--") and word.split("=")[0] not in self.options_of(asked):
                        self.fail(page, line, f"{words[1]} has no {word}")

    def shortened(self, command):
        """Few and small cases, unless the page says which."""
        if not re.match(r"build/gemmjudge judge ", command):
            return command
        command = re.sub(r"--cases \d\d+", "--cases 3", command)
        more = "" if re.search(r"--max-dim|--shape|--case |--time", command) else " --max-dim 64"
        if not re.search(r"--cases|--suite|--case |--shape", command):
            more += " --cases 3"
        return re.sub(r"( [<>|].*)?$", lambda rest: more + (rest[1] or ""), command, count=1)

    def for_here(self, command):
        """This machine's toolkit, and the emulated GPU."""
        judges = r"build/gemmjudge (judge|tune|explain) "
        if self.gpu and re.match(judges, command) and not re.search(r" (--device|-d)\b", command):
            command += " --device emu"
        if command.startswith("./"):
            command = f"LD_LIBRARY_PATH={shlex.quote(str(self.build / 'emulator'))} {command}"
        if command.startswith("nvcc "):
            here = "-O1 -Xcicc -O1 --no-compress" + ("" if " -lib " in command else " -cudart shared") + f" {HOPPER}"
            command = f"{self.nvcc} {here} {command[5:]}".replace(" -O3", "").replace("code=sm_90a", "code=compute_90a")
        return command.replace("$CUDA", str(self.cuda))

    def leaves(self, marks, page, line, command):
        """Whether a command is not run, which is noted then."""
        kind = marks.get("needs")
        if kind == "jail" and b"ok       jail, files" in self.run("build/gemmjudge doctor").stdout:
            kind = None
        if kind:
            self.leave(kind, page, line, command)
        return kind is not None

    def leave(self, kind, page, line, command):
        self.left.setdefault(kind, []).append(f"{page.name}:{line}: {command}")

    def commands(self, page, block):
        language, marks, first, lines = block
        wanted = int(marks.get("status", "0"))
        for offset, command in commands_of(lines):
            self.look_up(page, first + offset, command)
            if self.leaves(marks, page, first + offset, command):
                continue
            said = self.run(self.for_here(self.shortened(command)))
            self.ran += 1
            if said.returncode != wanted:
                self.fail(page, first + offset, f"'{command}' ends with {said.returncode}, not {wanted}:\n"
                          + said.stdout.decode("utf-8", "replace"))

    def transcripts(self, page, block):
        language, marks, first, lines = block
        for offset, command, output in transcripts_of(lines):
            self.look_up(page, first + offset, command)
            if self.leaves(marks, page, first + offset, command):
                continue
            said = self.run(self.for_here(command)).stdout.decode("utf-8", "replace")
            self.ran += 1
            seeded = "--seed" in command or not re.search(r"seed 0x|\d{4}-\d\d-\d\d|predicted:", said)
            got = [plain(line, seeded) for line in said.rstrip("\n").split("\n")] if said.strip() else []
            while output and not output[-1].strip():
                output.pop()
            fault = same([plain(line, seeded) for line in output], got)
            if fault:
                self.fail(page, first + offset, f"'{command}' {fault}\n{said}")

    def page(self, page):
        self.fresh()
        for target in page.links():
            if not (page.path.parent / target).exists():
                self.fail(page, 1, f"a link leads nowhere: {target}")
        for block in page.blocks:
            language, marks, first, lines = block
            if "needs" in marks and marks["needs"] not in NEEDS:
                self.fail(page, first, f"unknown need '{marks['needs']}': {', '.join(NEEDS)}")
            elif language == "sh":
                self.commands(page, block)
            elif language == "console":
                self.transcripts(page, block)
            elif language in FILES:
                named = NAMED.match(lines[0])
                name = marks.get("file") or (named[1] if named else None)
                if name:
                    self.leaves(marks, page, first, name)
                    (self.place / name).write_text("\n".join(lines) + "\n")
                else:
                    self.fail(page, first, "no file is named in the first line of this block")
            elif language != "text":
                self.fail(page, first, f"a block of '{language}': sh, console, text or one of {', '.join(sorted(FILES))}")


def main():
    source, build, least = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(source, build, pathlib.Path(scratch))
        for path in sys.argv[4:]:
            page = Page(pathlib.Path(path).resolve())
            runner.page(page)
            if len(page.lines) - 1 > MOST_LINES:
                runner.fail(page, MOST_LINES, f"{len(page.lines) - 1} lines; a page has {MOST_LINES} at most")
            if page.name == "README.md" and page.path.stat().st_size > MOST_BYTES:
                runner.fail(page, 1, f"{page.path.stat().st_size} bytes; it has {MOST_BYTES} at most")
    for kind, commands in sorted(runner.left.items()):
        for command in commands:
            print(f"not run ({kind}): {command}")
    left = "; ".join(f"{len(commands)} not run: {NEEDS.get(kind, kind)}" for kind, commands in sorted(runner.left.items()))
    if runner.ran < least:
        print(f"FAILED: only {runner.ran} commands ran, not {least}")
        runner.faults += 1
    print(f"{runner.ran} commands of {len(sys.argv) - 4} pages ran; {left or 'all'}")
    return 1 if runner.faults else 0


if __name__ == "__main__":
    sys.exit(main())
