#!/usr/bin/env python3
"""A class's solutions, a third of them faulty: makes the folder, and looks at what was said of it.

usage: class.py make FOLDER | class.py check FOLDER REPORTS | class.py store FILE
"""
import csv
import json
import os
import shutil
import sqlite3
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "fixtures")
RIGHT = os.path.join(HERE, "..", "..", "..", "solutions", "gemm_f16", "01_naive.cu")


def right():
    with open(RIGHT, "rb") as file:
        return file.read()


# Names that shells, tables and terminals stumble over; all of them are right.
ODD = [b"tab\tback\\slash `touch ran` $(touch ran).cu", b"new\nline.cu", b"quo\"te's, comma.cu",
       b"not utf-8 \xff\xe4.cu", b"-n.cu", b"x" * 200 + b".cu", b"=1+1 \x1b[31m a|b*c_d<e>[f].cu"]
# What is done to a right source without making it wrong.
CHANGED = {
    b"bom_latin1.cu": lambda text: b"\xef\xbb\xbf" + text + b"// \xe4\xf6\xfc\n",
    b"crlf_no_end.cu": lambda text: text.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
}
FROM_FIXTURES = {
    b"no_solve.cu": ("compile_no_solve", "compile_error"),
    b"wrong.cu": ("wrong_last_k", "wrong_answer"),
    b"signature.cu": ("wrong_signature", "runtime_error"),
    b"outside.cu": ("writes_past_c", "runtime_error"),
    b"exits.cu": ("host_exits", "runtime_error"),
    b"crashes.cu": ("host_crashes", "runtime_error"),
    b"sleeps.cu": ("host_sleeps", "time_limit"),
    b"cublas.cu": ("links_cublas", "rule_violation"),
}
COPIES, AGAIN = 2, 10  # the folder of copies is named again: what was compiled once is not again


def plan():
    """What the verdict is of each file in the folder."""
    verdicts = {b"a/" + name: "accepted" for name in ODD}
    verdicts.update({b"b/" + name: "accepted" for name in CHANGED})
    verdicts.update({b"c/copy%02d.cu" % i: "accepted" for i in range(COPIES)})
    verdicts.update({b"d/" + name: verdict for name, (_, verdict) in FROM_FIXTURES.items()})
    verdicts[b"d/brace.cu"] = verdicts[b"d/brace_again.cu"] = "compile_error"
    for name in ("empty", "folder", "gone", "huge", "itself", "pipe", "unreadable"):
        verdicts[b"e/" + name.encode() + b".cu"] = "bad_file"
    verdicts[b"e/link.cu"] = "accepted"
    return verdicts


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def make(folder):
    text, at = right(), lambda name: os.path.join(os.fsencode(folder), name)
    for name in (b"a", b"b", b"c", b"d", b"e", b"e/folder.cu", b"e/loop", b".hidden"):
        os.makedirs(at(name))
    for name in ODD:
        write(at(b"a/" + name), text)
    for name, change in CHANGED.items():
        write(at(b"b/" + name), change(text))
    for i in range(COPIES):
        write(at(b"c/copy%02d.cu" % i), text)
    shutil.copy(os.path.join(FIXTURES, "correct.cuh"), at(b"d/correct.cuh"))
    for name, (fixture, _) in FROM_FIXTURES.items():
        shutil.copy(os.path.join(FIXTURES, fixture + ".cu"), at(b"d/" + name))
    for name in (b"d/brace.cu", b"d/brace_again.cu"):
        write(at(name), text.rstrip().rstrip(b"}"))
    write(at(b"e/empty.cu"), b"")
    write(at(b"e/unreadable.cu"), text)
    os.chmod(at(b"e/unreadable.cu"), 0)
    write(at(b"e/huge.cu"), b"")
    os.truncate(at(b"e/huge.cu"), 1 << 33)
    os.mkfifo(at(b"e/pipe.cu"))
    os.symlink(b"nowhere", at(b"e/gone.cu"))
    os.symlink(b"itself.cu", at(b"e/itself.cu"))
    os.symlink(b"../c/copy00.cu", at(b"e/link.cu"))
    os.symlink(b"..", at(b"e/loop/up"))
    write(at(b".hidden/x.cu"), b"wrong")
    write(at(b"c/.swap.cu"), b"wrong")
    write(at(b"c/notes.txt"), b"wrong")


def shown(path):
    """As reports have a name: valid UTF-8 without controls."""
    text = path.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if "\udc80" <= c <= "\udcff" or (c < " " and c not in "\n\t") else c for c in text)


def same(what, got, expected):
    if got != expected:
        sys.exit("%s: got\n%s\ninstead of\n%s" % (what, got, expected))


def check(folder, reports):
    verdicts = {shown(os.path.join(os.fsencode(folder), name)): verdict for name, verdict in plan().items()}
    copies = [item for item in verdicts.items() if "/c/" in item[0]]
    expected = sorted(list(verdicts.items()) + AGAIN * copies)
    with open(os.path.join(reports, "r.json"), encoding="utf-8") as file:
        report = json.load(file)
    results = report["results"]
    same("JSON", sorted((r["file"], r["verdict"]) for r in results), expected)
    same("JUnit", sorted((s.get("name"), s.find("properties/property[@name='verdict']").get("value"))
                         for s in xml.etree.ElementTree.parse(os.path.join(reports, "r.xml")).getroot()),
         expected)

    with open(os.path.join(reports, "r.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    same("CSV", sorted((row["file"], row["verdict"]) for row in rows), expected)
    same("the order of the CSV", [row["file"] for row in rows], [row["file"] for row in report["ranking"]])
    order = ["accepted", "wrong_answer", "compile_error", "runtime_error", "time_limit", "rule_violation", "bad_file"]
    same("the order of verdicts", sorted(rows, key=lambda row: order.index(row["verdict"])), rows)
    same("ranks without times", {(row["rank"], row["microseconds"]) for row in rows}, {("", "")})
    for row in report["ranking"]:
        same("an index of the ranking", results[row["result"]]["file"], row["file"])

    first = {}
    for result in results:
        if result["content"] is not None:
            first.setdefault(result["content"], result["file"])
    same("how many sources there are", len(first), len(["right", "brace"]) + len(CHANGED) + len(FROM_FIXTURES))
    for row in rows:
        if row["file"] != first.get(row["content"]): # else it is named again, or the first
            same("the same as " + row["file"], row["same_as"], first.get(row["content"], ""))
        if row["verdict"] == "bad_file":
            same("a bad file's content", row["content"], "")

    with open(os.path.join(reports, "text"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    count = len(expected)
    numbers = [line.split("/")[0][1:].strip() for line in lines if line.startswith("[") and "/%d] " % count in line]
    same("verdicts as they came", numbers, [str(i + 1) for i in range(count)])
    accepted = sum(verdict == "accepted" for _, verdict in expected)
    same("the last count", [line for line in lines if line.endswith("solutions accepted")],
         ["%d of %d solutions accepted" % (accepted, count)])
    table = lines.index("    cases  verdict        file")
    table_lines = [line.split() for line in lines[table + 1:]]  # compilers' errors among them
    same("rows of the table", [words[1] for words in table_lines
                               if len(words) > 2 and words[1] in order],
         [row["verdict"] for row in rows])
    print("%d files, %d accepted, every verdict right" % (count, accepted))


def store(path):
    """Whether it is whole; prints how many judgements it holds."""
    database = sqlite3.connect(path, timeout=10)
    same("integrity", [row[0] for row in database.execute("PRAGMA integrity_check")], ["ok"])
    same("rows that belong to none", list(database.execute("PRAGMA foreign_key_check")), [])
    same("half a judgement", list(database.execute(
        "SELECT id FROM judgement j WHERE cases != (SELECT count(*) FROM test_case WHERE judgement = j.id)")), [])
    same("bad files", list(database.execute("SELECT id FROM judgement WHERE verdict = 'bad_file'")), [])
    print(database.execute("SELECT count(*) FROM judgement").fetchone()[0])


if __name__ == "__main__":
    {"make": make, "check": check, "store": store}[sys.argv[1]](*sys.argv[2:])
