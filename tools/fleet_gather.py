"""What came of a fleet: where each task stands, one JSON of all, the ranking as text and CSV."""

import csv
import io
import re
import shlex
import shutil

import fleet_slurm
from fleet_folder import Fault, SCHEMA_VERSION, now, shown
from fleet_slurm import RUNNING, WAITING

COLUMNS = ("rank", "file", "problem", "verdict", "cases_accepted", "cases_total", "microseconds", "confirmed",
           "ratio_to_fastest_library", "content", "same_as", "detail", "hint", "host", "device")
SHARED = ("schema_version", "version", "suite", "max_dim", "multiple_of", "sizes", "tolerance", "nvcc_flags", "epilogue", "tool",
          "device")
RANKED = ("rank", "result", "file", "microseconds", "confirmed", "ratio_to_fastest_library", "same_as", "host")
VERDICTS = ("accepted", "wrong_answer", "compile_error", "runtime_error", "time_limit", "memory_limit", "rule_violation",
            "unsupported", "not_run", "bad_file")
# What a spreadsheet takes for a formula, where a cell begins for some program; as in clean_print_csv() of harness/report/.
FORMULA = re.compile("((?:^|[;\t\r\n])[^!#-~]*)([=+\\-@\uff0b\uff0d\uff1d\uff20])")
TIE = 1.01  # as in harness/report/ranking.c: runs of one file differ by as much
RIGHT = ("rank", "median", "/best", "cases")


# ---- where tasks stand -------------------------------------------------------------------


def standing_of(fleet, number, slurm, held):
    """(one of judged, running, waiting, not judged; why; its record or None). `slurm` None: it cannot be asked."""
    record, began = fleet.record(number), fleet.began(number)
    state, where, name = (slurm or {}).get(number, ("", "", ""))
    if record and record["task"]["state"] == "judged":
        return "judged", "", record
    if state in RUNNING or (held and not state and began is not None):
        return "running", where or "here", record
    if state in WAITING or (held and not record):
        return "waiting", where, record
    ended = f"Slurm says {state} of {name} {where}".strip() if state not in ("", "COMPLETED") else ""
    if began is not None:  # a record is older
        there = f"on {shown(began.get('host', '?'))}, where it began at {shown(began.get('began', '?'))}"
        why = f"was killed {there}" if slurm is not None else f"runs, or was killed, {there}"
        return "not judged", f"{why}; {ended}" if ended else why, None
    if record:
        why = shown(record["task"].get("why") or "not judged")
        return "not judged", f"{why}; {ended}" if ended else why, record
    if state in ("COMPLETED", "FAILED"):
        return "not judged", f"Slurm says {state} of {name} {where}, but nothing came: slurm/{name}.txt has its words", None
    lost = "nothing came of it yet" if slurm is None else f"{name} was lost" if name else "was never submitted"
    return "not judged", f"{ended} before it began" if ended else lost, None


def standings(fleet, before):
    """By task, and a line about what is not known (""). What was judged before is not read again."""
    note = ""
    try:
        slurm = fleet_slurm.states(fleet)
    except Fault as fault:
        slurm, note = None, f"what Slurm says is not known: {fault}"
    held = fleet.is_held()
    judged = {number: standing for number, standing in before.items() if standing[0] == "judged"}
    return {number: judged.get(number) or standing_of(fleet, number, slurm, held) for number in fleet.numbers}, note


# ---- one JSON ----------------------------------------------------------------------------


def result_of(fleet, number, standing):
    """A result of the schema, with a `task`; `not_run` where there is none."""
    state, why, record = standing
    task = dict(record["task"]) if record else {"number": number}
    task["state"] = state
    if state == "judged":
        task.update((name, record.get(name)) for name in ("started", "device", "command"))
        return {**record["results"][0], "file": plain(fleet.files[number - 1]), "task": task}
    return {"file": plain(fleet.files[number - 1]), "problem": "", "content": None, "verdict": "not_run",
            "detail": f"{state}: {why}" if why else state, "guarantees": None,
            "compile": {"log": "", "seconds": 0.0, "cached": False, "jailed": False}, "cases_total": 0, "cases_accepted": 0,
            "worst": None, "cases_too_large": 0, "cases": [], "counters": None, "tool_report": None, "timing": None,
            "larger_timing": None, "timing_note": "", "task": task}


def plain(path):
    """A path as gemmjudge writes it into JSON."""
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in path)


def gathered(fleet, standing):
    """The document: gemmjudge's schema, with what all tasks share at the top."""
    reports = [record for state, _, record in standing.values() if state == "judged"]
    told = [report for report in reports if report.get("device")] or reports  # not of files with nothing to judge
    shared = {name: told[0].get(name) if told and all(report.get(name) == told[0].get(name) for report in told) else None
              for name in SHARED}
    results = [result_of(fleet, number, standing[number]) for number in fleet.numbers]
    for result in results:
        result["task"].pop("file", None)
    return {**shared, "program": "gemmjudge", "started": fleet.what.get("made"), "command": command_of(fleet),
            "seed": fleet.what["seed"], "interrupted": len(reports) < len(results), "results": results, "bench": [], "overall": [],
            "gpu_computes_wrongly": any(report.get("gpu_computes_wrongly") is True for report in reports),
            "fleet": {"schema_version": SCHEMA_VERSION, "gathered": now(), "judged": len(reports), "files": len(results)}}


def command_of(fleet):
    """The command that judges the same folder again, on the same cases."""
    words = ["tools/fleet", "submit", fleet.what["folder"], "--seed", fleet.what["seed"]]
    words += ["--", *fleet.what["options"]] if fleet.what["options"] else []
    return plain(" ".join(shlex.quote(word) for word in words))


# ---- the ranking -------------------------------------------------------------------------


def positive(value):
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e300
    return float(value) if good else None


def member(value, *names):
    """What lies below, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def time_of(result):
    """(microseconds, low, high, confirmed, ratio) of an accepted file, all None without a time."""
    entries = member(result, "timing", "entries")
    entry = entries[0] if isinstance(entries, list) and entries else None
    time = positive(member(entry, "microseconds"))
    if result["verdict"] != "accepted" or member(entry, "ran") is not True or time is None:
        return None, None, None, None, None
    state = member(entry, "sealed", "state")
    return (time, positive(member(entry, "low_us")) or time, positive(member(entry, "high_us")) or time,
            state in ("confirmed", "outside"), positive(member(entry, "ratio_to_fastest_library")))


def row_of(index, result):
    task = result["task"]
    time, low, high, confirmed, ratio = time_of(result)
    hints = result.get("hints")
    return {"rank": None, "result": index, "file": result["file"], "problem": str(result.get("problem") or ""),
            "verdict": result["verdict"], "cases_accepted": result.get("cases_accepted"), "cases_total": result.get("cases_total"),
            "microseconds": time, "low": low, "high": high, "confirmed": confirmed, "ratio_to_fastest_library": ratio,
            "content": str(result.get("content") or ""), "same_as": None, "detail": str(result.get("reason") or result.get("detail") or ""),
            "hint": str(hints[0]) if isinstance(hints, list) and hints else "",
            "host": str(task.get("host") or ""), "device": str(member(task, "device", "name") or "")}


def speed_order(row):
    """Each problem, and each kind of device, by itself."""
    verdict = VERDICTS.index(row["verdict"]) if row["verdict"] in VERDICTS else len(VERDICTS)
    return (row["problem"] == "", row["problem"], row["microseconds"] is None, row["device"] if row["microseconds"] else "",
            row["microseconds"] or 0.0, verdict, row["file"])


def set_ranks(rows):
    """As in gemmjudge's own ranking: who differs from the first of a rank by 1% or less, or whose
    interval meets its, shares it; a time that sealed calls do not confirm has none."""
    leader, group, place = None, None, 0
    for row in rows:
        if (row["problem"], row["device"]) != group:
            leader, group, place = None, (row["problem"], row["device"]), 0
        if not row["confirmed"]:
            continue
        place += 1
        tied = leader and (row["low"] <= leader["high"] or row["microseconds"] <= TIE * leader["microseconds"])
        row["rank"] = leader["rank"] if tied else place
        leader = leader if tied else row


def ranking(document):
    """A row for each result, in the order of gemmjudge's ranking."""
    rows = [row_of(index, result) for index, result in enumerate(document["results"])]
    first = {}
    for row in rows:
        source = document["results"][row["result"]]["task"].get("source")
        known = first.setdefault(row["content"] or str(source or row["result"]), row["file"])
        row["same_as"] = known if known != row["file"] else None
    rows.sort(key=speed_order)
    set_ranks(rows)
    if not any(row["microseconds"] for row in rows):
        rows.sort(key=lambda row: speed_order(row)[-2:])
    return rows


def as_csv(rows):
    """The columns of `gemmjudge judge --csv`, and two more (RFC 4180)."""
    def cell(value):
        text = "" if value is None else {True: "yes", False: "no"}[value] if isinstance(value, bool) else \
            f"{value:.9g}" if isinstance(value, float) else str(value)
        text = text.encode("utf-8", "replace").decode()
        return FORMULA.sub(r"\1'\2", text) if isinstance(value, str) else text

    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows([cell(row[name]) for name in COLUMNS] for row in rows)
    return out.getvalue()


# ---- the table for people ----------------------------------------------------------------


def cut(text, width):
    """Of a name that is too long its end, which tells most."""
    text = shown(text)
    return text if len(text) <= width else "..." + text[len(text) - width + 3:]


def cells_of(row):
    cases = "-" if not row["cases_total"] else f"{row['cases_accepted']}/{row['cases_total']}"
    time = "-" if row["microseconds"] is None else f"{row['microseconds']:.2f}{'' if row['confirmed'] else '?'}"
    ratio = row["ratio_to_fastest_library"]
    return {"rank": str(row["rank"] or "-"), "median": time, "/best": "-" if ratio is None else f"{ratio:.3f}",
            "cases": shown(cases), "verdict": shown(row["verdict"]), **{name: cut(row[name], 16) or "-" for name in
                                                                         ("problem", "device", "host")}}


def as_text(rows):
    """No wider than the terminal, unless that is very narrow. Problems, devices and hosts are named where they are several."""
    timed = any(row["microseconds"] for row in rows)
    names = ["rank", "median", "/best"] if timed else []
    names += ["cases", "verdict"]
    names += [name for name in ("problem", "device", "host") if len({row[name] for row in rows if row[name]}) > 1]
    table = [cells_of(row) for row in rows]
    widths = {name: max(len(cells[name]) for cells in [{name: name}, *table]) for name in names}
    room = max(16, shutil.get_terminal_size().columns - sum(widths.values()) - 2 * len(names) - 2)
    lines = []
    for cells, file in [({name: name for name in names}, "file")] + [(cells, row["file"]) for cells, row in zip(table, rows)]:
        line = [cells[name].rjust(widths[name]) if name in RIGHT else cells[name].ljust(widths[name]) for name in names]
        lines.append("  ".join(["", *line, cut(file, room)]))
    if timed:
        lines.insert(0, "microseconds, and speed beside the fastest library")
    if any(row["confirmed"] is False for row in rows):
        lines.append("? not confirmed by sealed calls, and without a rank for that")
    for files in same_sources(rows):
        lines.append(f"  the same source: {', '.join(shown(name) for name in files)}")
    return "\n".join(lines) + "\n"


def same_sources(rows):
    """Lists of files, the first of each first."""
    alike = {}
    for row in sorted(rows, key=lambda row: row["result"]):
        alike.setdefault(row["same_as"] or row["file"], []).append(row["file"])
    return [files for files in alike.values() if len(files) > 1]
