"""clang-tidy over every C file that a build folder compiles, each once.

usage: lint_tidy.py ROOT BUILD

What was clean is remembered, by content: of the file, of all headers that ninja knows it to include,
of .clang-tidy, and of the command. A file of which all this is as it was is not looked at again.
GEMMJUDGE_LINT_CACHE names another folder than ~/.cache/gemmjudge-lint. Exit status: 0 all clean, else 1.
"""

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time

# clang-tidy must know how each file is compiled; one way is enough where there are several (levels
# of x86-64). The code is gcc's; clang 14 lacks _Float16 without a processor that has it, and the
# names of x86-64 levels. Each function is analysed by itself (ipa=none): what holds between
# functions is for tests and sanitizers, and the analyzer's guesses about it are mostly wrong.
# max-nodes: a function of one screen needs fewer; what needs more takes two thirds of all time.
ARGUMENTS = ["--quiet", "--extra-arg=-mavx512fp16", "--extra-arg=-D__builtin_cpu_supports(name)=((name)!=0)"]
for config in ("ipa=none", "max-nodes=60000"):
    ARGUMENTS += ["--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang", "--extra-arg=" + config]
# A test is macros of Criterion; what the analyzer finds in these is Criterion's. Clang's own
# warnings, which -Werror would make errors of, are gcc's affair.
TEST_ARGUMENTS = ["--extra-arg=-Wno-error", "--checks=-clang-analyzer-*,-clang-diagnostic-*"]


def commands_of(build):
    """The first command of each C file, also left where clang-tidy finds it: file -> command."""
    with open(f"{build}/compile_commands.json") as file:
        commands = json.load(file)
    first = {c["file"]: c for c in reversed(commands) if c["file"].endswith(".c")}
    os.makedirs(f"{build}/lint", exist_ok=True)
    with open(f"{build}/lint/compile_commands.json", "w") as out:
        json.dump(list(first.values()), out)
    return {file: c["command"] for file, c in first.items()}


def headers_of(root, build):
    """What ninja found each source of the tree to include, of the tree: source -> sorted files."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    found = {}
    for block in listed.split("\n\n"):
        files = [line.strip() for line in block.splitlines()[1:]]
        files = [os.path.normpath(os.path.join(build, f)) for f in files]
        if files:
            found[files[0]] = sorted(f for f in files if f.startswith(root + "/"))
    return found


class Digests:
    """Of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            try:
                with open(path, "rb") as file:
                    self.known[path] = hashlib.sha256(file.read()).hexdigest()
            except OSError:
                self.known[path] = "none"
        return self.known[path]


def arguments_of(file):
    return ARGUMENTS + (TEST_ARGUMENTS if "/tests/" in file else [])


def key_of(file, command, headers, digests, root, common):
    """None where ninja has not compiled it: what it includes is not known."""
    if file not in headers:
        return None
    parts = [common, command.replace(root, ""), " ".join(arguments_of(file))]
    parts += [f"{f[len(root):]} {digests.of(f)}" for f in headers[file]]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def tidy(build, file):
    run = subprocess.run(["clang-tidy", "-p", f"{build}/lint"] + arguments_of(file) + [file],
                         capture_output=True, text=True)
    return run.returncode == 0, run.stdout


def main(root, build):
    folder = os.environ.get("GEMMJUDGE_LINT_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gemmjudge-lint")
    os.makedirs(folder, exist_ok=True)
    commands, headers, digests = commands_of(build), headers_of(root, build), Digests()
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True).stdout
    common = version + digests.of(f"{root}/.clang-tidy")
    keys = {f: key_of(f, c, headers, digests, root, common) for f, c in commands.items()}
    todo = [f for f in sorted(commands) if keys[f] is None or not os.path.exists(f"{folder}/{keys[f]}")]
    say(f"clang-tidy: {len(todo)} of {len(commands)} files; the others were clean before")
    failed = done = told = 0
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {pool.submit(tidy, build, f): f for f in todo}
        for run in concurrent.futures.as_completed(runs):
            clean, output = run.result()
            failed += not clean
            done += 1
            if not clean:
                print(output, flush=True)
            elif keys[runs[run]] is not None:
                open(f"{folder}/{keys[runs[run]]}", "w").close()
            if done * 10 // len(todo) > told:
                told = done * 10 // len(todo)
                say(f"clang-tidy: {done} of {len(todo)} files after {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def say(text):
    print(f"tools/lint: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])))
