"""What came of a fleet: where each task stands, one JSON of all, the ranking as text and CSV."""

import csv
import io
import math
import os
import shlex
import shutil

import fleet_slurm
from fleet_folder import Fault, SCHEMA_VERSION, now, shown
from fleet_slurm import RUNNING, WAITING

COLUMNS = ("rank", "file", "verdict", "cases", "time", "ratio", "problem", "host", "device", "detail")


# ---- where tasks stand -------------------------------------------------------------------


def standing_of(fleet, number, slurm, held):
    """(one of judged, running, waiting, not judged; why; its record or None)."""
    record, began = fleet.record(number), fleet.began(number)
    state, where, name = slurm.get(number, ("", "", ""))
    if record and record["task"]["state"] == "judged":
        return "judged", "", record
    if state in RUNNING or (held and not state and began is not None):
        return "running", where or "here", record
    if state in WAITING or (held and not record):
        return "waiting", where, record
    ended = f"Slurm says {state} of {name} {where}".strip() if state not in ("", "COMPLETED", "FAILED") else ""
    if began is not None:  # a record is older
        why = f"was killed on {shown(began.get('host', '?'))}, where it began at {shown(began.get('began', '?'))}"
        return "not judged", f"{why}; {ended}" if ended else why, None
    if record:
        why = shown(record["task"].get("why") or "not judged")
        return "not judged", f"{why}; {ended}" if ended else why, record
    if state == "COMPLETED" or state == "FAILED":
        return "not judged", f"Slurm says {state} of {name} {where}, but nothing came: its words are in slurm/{name}.txt", None
    return "not judged", f"{ended} before it began" if ended else f"{name} was lost" if name else "was never submitted", None


def standings(fleet):
    """By task, and a line about what is not known ("")."""
    note = ""
    try:
        slurm = fleet_slurm.states(fleet)
    except Fault as fault:
        slurm, note = {}, f"what Slurm says is not known: {fault}"
    held = fleet.is_held()
    return {number: standing_of(fleet, number, slurm, held) for number in fleet.numbers}, note


# ---- one JSON ----------------------------------------------------------------------------


def result_of(fleet, number, standing):
    """A result of the schema, with a `task`; `not_run` where there is none."""
    state, why, record = standing
    task = dict(record["task"]) if record else {"number": number}
    task["state"] = state
    if state == "judged":
        return {**record["results"][0], "file": plain(fleet.files[number - 1]), "task": {**task, "started": record.get("started"), "device": record.get("device"),
                                                 "command": record.get("command")}}
    return {"file": plain(fleet.files[number - 1]), "problem": "", "content": None, "verdict": "not_run",
            "detail": f"{state}: {why}" if why else state, "guarantees": None,
            "compile": {"log": "", "seconds": 0.0, "cached": False, "jailed": False}, "cases_total": 0, "cases_accepted": 0,
            "worst": None, "cases_too_large": 0, "cases": [], "counters": None, "tool_report": None, "timing": None,
            "larger_timing": None, "timing_note": "", "task": task}


def plain(path):
    """A path as gemmjudge writes it into JSON."""
    return os.fsencode(path).decode("utf-8", "replace")


def gathered(fleet, standing):
    """The document: gemmjudge's schema, with what all tasks share at the top."""
    reports = [record for state, _, record in standing.values() if state == "judged"]
    shared = {name: reports[0].get(name) if reports and all(report.get(name) == reports[0].get(name) for report in reports)
              else None for name in ("schema_version", "version", "suite", "max_dim", "multiple_of", "sizes", "tolerance",
                                     "nvcc_flags", "epilogue", "tool", "device")}
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


def number_or_none(value):
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf
    return float(value) if good else None


def timed(result):
    """The file's own entry of its timing; {} where there is none."""
    timing = result.get("timing")
    entries = timing.get("entries") if isinstance(timing, dict) else None
    first = entries[0] if isinstance(entries, list) and entries else None
    return first if isinstance(first, dict) and first.get("ran") is True else {}


def row_of(result):
    task, entry = result["task"], timed(result)
    device = task.get("device")
    return {"rank": None, "file": str(result.get("file")), "verdict": result["verdict"],
            "cases": f"{result.get('cases_accepted')}/{result.get('cases_total')}",
            "time": number_or_none(entry.get("microseconds")), "ratio": number_or_none(entry.get("ratio_to_fastest_library")),
            "problem": str(result.get("problem") or ""), "host": str(task.get("host") or ""),
            "device": str(device.get("name")) if isinstance(device, dict) else "", "detail": str(result.get("detail") or "")}


def ranking(document):
    """Rows, best first. Accepted files with a time have a rank, among those of their problem on the
    same kind of device: other times compare with nothing."""
    rows = [row_of(result) for result in document["results"]]

    def order(row):
        ranks = row["verdict"] == "accepted" and row["time"] is not None
        return (not ranks, row["problem"] if ranks else "", row["device"] if ranks else "", row["time"] if ranks else 0.0,
                row["verdict"] != "accepted", row["verdict"] == "not_run", row["verdict"], row["file"])

    rows.sort(key=order)
    place, group, before = 0, None, None
    for at, row in enumerate(rows):
        if order(row)[0]:
            break
        if (row["problem"], row["device"]) != group:
            group, start, before = (row["problem"], row["device"]), at, None
        place = place if row["time"] == before else at - start + 1
        row["rank"], before = place, row["time"]
    return rows


def same_sources(document):
    """Lists of files with the same bytes."""
    alike = {}
    for result in document["results"]:
        source = result["task"].get("source")
        if isinstance(source, str):
            alike.setdefault(source, []).append(str(result.get("file")))
    return [files for files in alike.values() if len(files) > 1]


def as_csv(rows):
    """RFC 4180; times in microseconds, ratios of 1."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    table.writeheader()
    for row in rows:
        cells = {**row, "time": "" if row["time"] is None else f"{row['time']:.6g}",
                 "ratio": "" if row["ratio"] is None else f"{row['ratio']:.4g}"}
        table.writerow({name: "" if cell is None else cell.encode(errors="replace").decode() if isinstance(cell, str) else cell
                        for name, cell in cells.items()})
    return out.getvalue()


def cut(text, width):
    """The end of a name tells more than its beginning."""
    text = shown(text)
    return text if len(text) <= width else "..." + text[3 - width:]


def time_text(us):
    return "" if us is None else f"{us:.{2 if us < 100 else 1 if us < 1000 else 0}f}"


def as_text(rows):
    """A table for a terminal, no wider than it where names can be cut; with problems and devices where there are several."""
    several = [name for name in ("problem", "device") if len({row[name] for row in rows if row[name]}) > 1]
    names = ["rank", "file", "verdict", "cases", "time, us", "ratio", "host", *several]
    table = [[str(row["rank"] or "-"), row["file"], shown(row["verdict"]), shown(row["cases"]), time_text(row["time"]),
              "" if row["ratio"] is None else f"{row['ratio']:.3f}", cut(row["host"], 16), *(cut(row[name], 16) for name in several)]
             for row in rows]
    filled = [at for at in range(len(names)) if at < 4 or any(row[at] for row in table)]
    names, table = [names[at] for at in filled], [[row[at] for at in filled] for row in table]
    widths = [max(len(row[at]) for row in [names, *table]) for at in range(len(names))]
    others = sum(widths) - widths[1] + 2 * (len(widths) - 1)
    widths[1] = max(12, min(widths[1], shutil.get_terminal_size().columns - others))
    lines = []
    for row in [names, *table]:
        cells = [row[0].rjust(widths[0]), cut(row[1], widths[1]).ljust(widths[1])]
        cells += [cell.rjust(width) if name in ("time, us", "ratio", "cases") else cell.ljust(width)
                  for name, cell, width in list(zip(names, row, widths))[2:]]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
