"""The rooms of the house: which folder may include which, and what keeps a file small and its names its own.

usage: lint_rooms.py ROOT

Fails on an include that ROOMS does not allow, on a circle of files that include each other, on a circle of
a room's .c files that use what the others define, on a folder of sources without a row, on a source of more
than LINES_MAX lines, on an external function that does not begin with the name of its file, room or type, on
a type of a header whose name another file gives to a type of its own, on an include of a header that says
that it is internal to another room, on a comment that begins "The same": it says of what, so that it can be
read alone, on more functions with long parameter lists than there are, and on what does not belong at the root. Exit status: 0 all well, else 1.
"""

import os
import re
import sys

# The emulator's rooms, each of which may include those before it.
EMULATOR = ["emulator", *("emulator/" + room for room in "ptx tensor exec simd ops decode launch runtime driver".split())]
# From the ground up: a room, and what it may include. Nobody includes a room of a later row; so there is no circle.
# Tests may include everything.
ROOMS = [
    ("base", ""),
    ("gpu", ""),
    ("testcases", "base"),
    ("chain", "base"),
    ("judgement", "base testcases chain"),
    ("process", "base testcases chain judgement"),
    ("compile", "base process"),
    *((room, " ".join(["gpu", *EMULATOR[:i]])) for i, room in enumerate(EMULATOR)),
    ("reference", ""),
    ("device", "base testcases process"),
    ("referee", "base testcases chain judgement process device"),
    ("contestant", "base testcases process device emulator/exec"),
    ("judge/options", "base testcases judgement process"),
    ("judge/hints", "base testcases judgement process"),
    ("judge/run", "base gpu testcases chain judgement process compile judge/options"),
    ("judge/timing", "base judgement process compile judge/run"),
    ("judge/submission", "base testcases judgement process compile judge/hints judge/run"),
    ("judge/cases", "base process judge/hints judge/run judge/timing judge/submission"),
    ("judge", "base judgement process compile judge/options judge/hints judge/run judge/timing judge/submission "
              "judge/cases"),
    ("report", "base judgement"),
    ("report/html", "base testcases judgement report"),
    ("store", "base testcases judgement report"),
    ("store/show", "base testcases judgement report store"),
    ("site", "base judgement report report/html store"),
    ("schedules", "base gpu testcases judgement compile"),
    ("explain", "base gpu judge report report/html schedules"),
    ("tuning", "base gpu judge/options judge report store store/show schedules"),
    ("starter", "base chain testcases compile"),
    ("batch", "base process judgement report"),
    ("serve", "base process testcases judgement report report/html store starter batch"),
    ("client", "base"),
    ("cli", "base gpu testcases chain judgement process compile judge/options judge report store store/show site schedules "
            "explain tuning starter batch serve client"),
]
# What may stand at the root; the last four are not kept in the repository.
ROOT = re.compile(r"harness|solutions|epilogues|testcases|tools|findings|(README|CONTRIBUTING|CHANGELOG)\.md|LICENSE|CMakeLists\.txt|"
                  r"\.ci|\.git(hub|ignore)?|\.clang-(format|tidy)|\.dockerignore|build[\w.-]*|dist|\.toolchain|compile_commands\.json")
LINES_MAX = 600
DEFINITION = re.compile(r"^(?!static|typedef|extern)\w[\w *]*[ *](\w+)(?=\([^;{]*\)\s*\{|(?:\[[^]]*\])* =|;)", re.M)
# Functions of the program with more than PARAMETERS_MAX parameters: so many, with CUDA's own among them, which have
# as many as CUDA says. The number may only fall: put what travels together into a struct that has a name.
PARAMETERS_MAX = 6
LONGER = 51
FOREIGN_NAMES = ("cu", "nvrtc")  # functions of CUDA, which have CUDA's names
INTERNAL = re.compile(r"\bInternal to (\w+)/\.")
FUNCTION = re.compile(r"^(?!typedef|static|struct \w+$)[\w *]*?\**(\w+)\(.*\)$", re.S)
# What is not code, and strings; then a function's name and parameters, before its body or at its declaration's end.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^\s*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)")
HEAD = re.compile(r"^(?!typedef\b|else\b|return\b)[A-Za-z_][\w \t\n*]*?\**\b(\w+)\(([^;{}]*)\)\s*(?=[;{])", re.M)


def sources(root, tops=("harness", "testcases", "epilogues", "tools")):
    """Paths of sources, from the root."""
    for top in tops:
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for file in sorted(files):
                if file.endswith((".c", ".h", ".cu", ".cuh", ".py")):
                    yield os.path.relpath(os.path.join(folder, file), root)


def room_of(path):
    """None: a test, or no part of the program."""
    folder = os.path.dirname(path)
    if folder.startswith(("harness/tests", "harness/emulator/tests", "harness/emulator/bench", "tools", "epilogues", "testcases/problems")):
        return None
    return folder.removeprefix("harness/")


def included(text, path, known):
    """Includes in quotes that are files of ours."""
    for name in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M):
        for candidate in ("harness/" + name, name, os.path.normpath(os.path.join(os.path.dirname(path), name))):
            if candidate in known:
                yield candidate
                break


def internal_elsewhere(graph, texts):
    """Includes of a header that says "Internal to ROOM/." in a file of another room."""
    for path, others in graph.items():
        for other in others if room_of(path) else []:
            if (room := INTERNAL.search(texts[other])) and room_of(path).split("/")[0] != room[1]:
                yield f"{path}: {other} is internal to {room[1]}/"


def circle(graph):
    """A list of files each of which includes the next, the last one the first; or []."""
    done, way = set(), []

    def visit(file):
        if file in way:
            return way[way.index(file):]
        if file in done:
            return []
        way.append(file)
        found = next((c for c in map(visit, graph[file]) if c), [])
        way.pop()
        done.add(file)
        return found

    return next((c for c in map(visit, graph) if c), [])


def code_of(text):
    """Without comments, texts and directives."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"", " ", text, flags=re.S)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def uses(texts):
    """A graph of the .c files of each room: of a file those others that define what it uses."""
    code = {path: code_of(text) for path, text in texts.items() if path.endswith(".c") and room_of(path)}
    words = {path: set(re.findall(r"(?<![\w.])(?<!->)(?<!struct )(?<!enum )(?<!union )[a-z]\w+", text)) for path, text in code.items()}
    graph, defined = {path: [] for path in code}, {}
    for path, text in code.items():
        for name in DEFINITION.findall(text):
            defined.setdefault((os.path.dirname(path), name), set()).add(path)
    for (folder, name), where in defined.items():
        for path in code if len(where) == 1 else ():
            if os.path.dirname(path) == folder and path not in where and name in words[path]:
                graph[path] += where
    return graph


def knots(graph):
    """Sets of files each of which reaches every other one."""
    def reached(file):
        found, left = set(), [file]
        while left:
            new = set(graph[left.pop()]) - found
            found |= new
            left += new
        return found
    reach = {file: reached(file) for file in graph}
    return {frozenset(o for o in reach[file] if file in reach[o]) for file in graph if file in reach[file]}


def functions(text):
    """What a header declares for others."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.S | re.M)
    while text != (text := re.sub(r"\{[^{}]*\}", ";", text)):
        pass
    found = (FUNCTION.match(" ".join(part.split())) for part in text.split(";"))
    return [f[1] for f in found if f and not f[1].startswith(FOREIGN_NAMES) and not f[1].startswith("_")]


def has_prefix(name, path, calls, tags):
    """Whether a function of this header has the prefix of its room, of a file there that has the function, or of a
    type that the header names."""
    folder = os.path.dirname(path)
    files = [p for p in calls if os.path.dirname(p) == folder and name in calls[p]]
    words = [os.path.splitext(os.path.basename(p))[0] for p in files] + folder.split("/")
    return any(name == w or name.startswith((w + "_", w.rstrip("s") + "_", w + "s_")) for w in words) or \
        any(name.startswith(tag + "_") for tag in tags)


def parameters(listed):
    """How many a list of them has: commas that are in no brackets of their own."""
    while listed != (listed := re.sub(r"[(\[][^()\[\]]*[)\]]", "", listed)):
        pass
    return listed.count(",") + 1


def long_lists(texts):
    """(folder, function): those with more than PARAMETERS_MAX parameters, declared and defined counting once."""
    return sorted({(os.path.dirname(path), head[1])
                   for path, text in texts.items()
                   for head in HEAD.finditer(ATTRIBUTE.sub("", NO_CODE.sub(" ", text)))
                   if parameters(head[2]) > PARAMETERS_MAX})


def two_meanings(texts, headers):
    """Types of a header whose tag another file defines anew."""
    defined = {}
    for path in texts:
        for tag in re.findall(r"^\s*(?:typedef )?(?:struct|enum|union) (\w+) \{", texts[path], re.M):
            defined.setdefault(tag, []).append(path)
    for tag, paths in defined.items():
        if len(paths) > 1 and any(path in headers for path in paths):
            yield f"'{tag}' is two types, of {' and of '.join(sorted(paths))}"


def leaning(texts):
    """Comments that cannot be understood without what stands above them."""
    for path, text in texts.items():
        before = ""
        for number, line in enumerate(text.split("\n"), 1):
            found = re.search(r"(/\*+|//)\s*The same\b", line)
            if found and not (found[1] == "//" and before.lstrip().startswith("//")):
                yield f"{path}:{number}: a comment begins 'The same': as what?"
            before = line


def main():
    root = sys.argv[1]
    texts = {path: open(os.path.join(root, path), encoding="utf-8").read() for path in sources(root)}
    code = {path for path in texts if not path.endswith(".py")}
    graph = {path: list(included(texts[path], path, code)) for path in sorted(code)}
    rows = {room: may.split() for room, may in ROOMS}
    order = list(rows)
    faults = [f"tools/lint_rooms.py: {room} may not stand before {other}, which it includes"
              for room in rows for other in rows[room] if order.index(other) >= order.index(room)]
    for path, others in graph.items():
        room = room_of(path)
        if room is not None and room not in rows:
            faults.append(f"{path}: its folder has no row among the rooms of tools/lint_rooms.py")
            continue
        for other in others if room else []:
            above = room_of(other)
            if above != room and above not in rows[room]:
                faults.append(f"{path}: {room} may not include {other}")
    faults += internal_elsewhere(graph, texts)
    if found := circle(graph):
        faults.append("files include each other in a circle: " + " -> ".join(found + found[:1]))
    for knot in knots(uses(texts)):
        faults.append("files use each other in a circle: " + ", ".join(sorted(knot)))
    faults += [f"{name}: does not belong at the root" for name in sorted(os.listdir(root)) if not ROOT.fullmatch(name)]
    sizes = {path: text.count("\n") for path, text in texts.items()}
    faults += [f"{path}: {n} lines, more than {LINES_MAX}" for path, n in sizes.items()
               if n > LINES_MAX]
    headers = [path for path in sorted(code) if path.endswith(".h") and room_of(path)]
    public = [(path, name) for path in headers for name in functions(texts[path])]
    calls = {path: set(re.findall(r"\b(\w+)\(", texts[path])) for path in code}
    tags = {path: set(re.findall(r"\b(?:struct|enum|union) (\w+)", texts[path])) for path in headers}
    faults += [f"{path}: {name}() begins with the name of no file, room or type of its own" for path, name in public
               if not has_prefix(name, path, calls, tags[path])]
    longer = long_lists({path: texts[path] for path in code if room_of(path) and path.endswith((".c", ".h")) and
                         "/tests/" not in path})
    if len(longer) > LONGER:
        faults.append(f"{len(longer)} functions have more than {PARAMETERS_MAX} parameters, {len(longer) - LONGER} more "
                      "than before: " + ", ".join(f"{folder}: {name}" for folder, name in longer))
    faults += two_meanings({path: texts[path] for path in code if room_of(path) and path.endswith((".c", ".h"))}, headers)
    kernels = {path: open(os.path.join(root, path), encoding="utf-8").read() for path in sources(root, ("solutions",))}
    faults += leaning({path: text for path, text in {**texts, **kernels}.items() if not path.endswith(".py")})
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
