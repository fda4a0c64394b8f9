"""The rooms of the house: which folder may include which, and what keeps a file small and its names its own.

usage: lint_rooms.py ROOT

Fails on an include that ROOMS does not allow, on a circle of files that include each other, on a folder
of sources without a row, on a source of more than LINES_MAX lines, on an external function that does not
begin with the name of its file, room or type, on a type of a header whose name another file gives to
a type of its own, and on more functions with long parameter lists than there are. The files that are larger
today are printed with their sizes; one that has become smaller has to leave the list. Exit status: 0 all
well, else 1.
"""

import os
import re
import sys

# From the ground up: a room, and what it may include. Nobody includes a room of a later row; so there is no circle.
# Tests may include everything; the emulator's own rooms are the emulator's affair.
ROOMS = [
    ("base", ""),
    ("gpu", ""),
    ("testcases", "base"),
    ("chain", "base"),
    ("judgement", "base testcases chain"),
    ("process", "base testcases chain judgement"),
    ("compile", "base process"),
    ("emulator", "gpu"),
    ("device", "base testcases process"),
    ("referee", "base testcases chain judgement process device"),
    ("contestant", "base testcases process device emulator"),
    ("judge/options", "base testcases judgement process"),
    ("judge/hints", "base judgement process"),
    ("judge/run", "base gpu testcases chain judgement process compile judge/options"),
    ("judge/timing", "base judgement process judge/run"),
    ("judge/submission", "base testcases judgement process compile judge/hints judge/run"),
    ("judge/cases", "base process judge/hints judge/run judge/timing judge/submission"),
    ("judge", "base judgement process compile judge/options judge/hints judge/run judge/timing judge/submission "
              "judge/cases"),
    ("report", "base judgement"),
    ("report/html", "base testcases judgement report"),
    ("store", "base testcases judgement report"),
    ("store/show", "base testcases judgement report store"),
    ("site", "base judgement report report/html store"),
    ("tune", "base gpu testcases judgement compile"),
    ("explain", "base gpu judge report report/html tune"),
    ("tuning", "base gpu judge/options judge report store store/show tune"),
    ("starter", "base chain testcases compile"),
    ("batch", "base report"),
    ("serve", "base testcases judgement report report/html store starter batch"),
    ("client", "base"),
    ("cli", "base gpu testcases chain judgement process compile judge/options judge/run judge/timing judge report "
            "store store/show site tune explain tuning starter batch serve client"),
]
LINES_MAX = 600
LARGER = """
harness/tests/unit/testcases/test_case.c harness/tests/unit/process/test_child.c
harness/tests/unit/compile/test_compile.c harness/tests/unit/contestant/test_contestant.c
harness/tests/unit/process/test_jail.c harness/tests/unit/report/test_report.c
harness/tests/unit/store/test_store.c
""".split()
# Functions of the program with more than PARAMETERS_MAX parameters: so many, with CUDA's own among them, which have
# as many as CUDA says. The number may only fall: put what travels together into a struct that has a name.
PARAMETERS_MAX = 6
LONGER = 51
FOREIGN_NAMES = ("cu", "nvrtc")  # functions of CUDA, which have CUDA's names
FUNCTION = re.compile(r"^(?!typedef|static|struct \w+$)[\w *]*?\**(\w+)\(.*\)$", re.S)
# What is not code, and strings; then a function's name and parameters, before its body or at its declaration's end.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^\s*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)")
HEAD = re.compile(r"^(?!typedef\b|else\b|return\b)[A-Za-z_][\w \t\n*]*?\**\b(\w+)\(([^;{}]*)\)\s*(?=[;{])", re.M)


def sources(root):
    """Paths of sources, from the root."""
    for top in ("harness", "testcases", "epilogues", "tools"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for file in sorted(files):
                if file.endswith((".c", ".h", ".cu", ".cuh", ".py")):
                    yield os.path.relpath(os.path.join(folder, file), root)


def room_of(path):
    """None: a test, or no part of the program."""
    folder = os.path.dirname(path)
    if folder.startswith("harness/emulator"):
        return "emulator"
    if folder.startswith(("harness/tests", "tools", "epilogues")):
        return None
    return folder.removeprefix("harness/")


def included(text, path, known):
    """Includes in quotes that are files of ours."""
    for name in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M):
        for candidate in ("harness/" + name, name, os.path.normpath(os.path.join(os.path.dirname(path), name))):
            if candidate in known:
                yield candidate
                break


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
    if found := circle(graph):
        faults.append("files include each other in a circle: " + " -> ".join(found + found[:1]))
    sizes = {path: text.count("\n") for path, text in texts.items()}
    faults += [f"{path}: {n} lines, more than {LINES_MAX}" for path, n in sizes.items()
               if n > LINES_MAX and path not in LARGER]
    for path in filter(sizes.get, LARGER):
        if sizes[path] <= LINES_MAX:
            faults.append(f"{path}: has {sizes[path]} lines by now: take it off the list in tools/lint_rooms.py")
        print(f"larger than {LINES_MAX} lines, and known: {path} {sizes[path]}")
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
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
