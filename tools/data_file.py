"""Measurements as the repository keeps them: one JSON file each, beside the page that shows its figures.

A file has `asked`, the command of tools/ladder or tools/results, `commit`, that of the gemmjudge that
measured (a '+' behind it: with changes), where it is known, and `runs`, one for each call of gemmjudge:
when, the command, the GPU, and the timings. Of a few shapes a timing has every entrant;
of many (`drawn`) it is a row of DRAWN. Pages are written from these files alone.
"""

import json
import math
import os
import re
import sys

SCHEMA = 1
REPORT_SCHEMA = 1  # of gemmjudge's reports
FEW = 20  # shapes, of which every entrant is kept
# The library is the fastest whose results keep the error bound, and `ratio` is over it; `all_us` is
# the time of the fastest of all. None: there is none. Older rows end before `all_us`.
DRAWN = ("shape", "us", "spread_percent", "library", "library_us", "library_spread_percent", "ratio", "all_us")
BELOW = 0.9  # of the fastest library


def rounded(value, digits):
    """A finite number of so many significant digits."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no figure")
    return float(f"{float(value):.{digits}g}")


# ---- of one report of gemmjudge ---------------------------------------------------------


def shape_of(case):
    return f"{int(case['m'])}x{int(case['n'])}x{int(case['k'])}"


def stats_of(entry, clock):
    """Of the clock that the timing goes by, where the entrant ran."""
    stream = (entry.get("steady") or {}).get("time") if clock == "steady" else entry.get(clock)
    stats = stream or entry.get("span") or entry.get("event")
    return stats if entry["ran"] else None


def steady_figures(entry):
    """What there is besides the time of a steady stream: of the GPU, and the time in bursts."""
    stream, burst = entry["steady"], entry.get("span") or entry.get("event")
    out = {"burst_us": rounded(burst["median_us"], 5)} if burst else {}
    names = {"joules": "joules", "watts": "watts", "mhz": "sm_clock_mhz"}
    return out | {name: rounded(stream[of], 4) for name, of in names.items() if stream.get(of)}


def is_matrix_and_vector(shape):
    return shape.count("x") == 1


def rate_of(entry, case, shape, us):
    """In GB/s of a matrix and a vector, else in TFLOP/s."""
    terms = math.prod(int(case[size]) for size in ("batch", "m", "n", "k"))
    return rounded(entry["gbytes_per_s"] if is_matrix_and_vector(shape) else 2 * terms / us * 1e-6, 4)


def compact_entry(entry, timing, shape):
    """An entrant's figures, without what the pages do not show."""
    out = {"label": str(entry["label"]), "role": str(entry["role"])}
    stats = stats_of(entry, timing["clock"])
    if stats is None:
        return out | {"detail": str(entry["detail"])}
    us = stats["median_us"]
    out |= {"us": rounded(us, 5), "low": rounded(stats["low_us"], 5), "high": rounded(stats["high_us"], 5),
            "rate": rate_of(entry, timing["case"], shape, us)}
    if entry.get("steady"):
        out |= steady_figures(entry)
    if entry.get("ratio_to_fastest_library"):
        out["ratio"] = round(float(entry["ratio_to_fastest_library"]), 3)
    if entry.get("speed_up_over"):
        out["over"] = {str(label): round(float(value["value"]), 3) for label, value in entry["speed_up_over"].items()
                       if value is not None}  # that one did not run
    if entry.get("fusion_cost_percent"):
        out["cost_percent"] = round(float(entry["fusion_cost_percent"]["value"]), 1)
    return out | ({"wrong": True} if entry["wrong_elements"] else {})


def compact_timing(timing, shape):
    clock = {"median": rounded(timing["sm_clock_mhz_median"], 5), "lowest": rounded(timing["sm_clock_mhz_min"], 5),
             "limit": rounded(timing["sm_clock_mhz_limit"], 5),
             "held_down": str(timing["throttle_reason"] or "for no known reason") if timing["throttled"] else ""}
    out = {"shape": shape, "scalars": {str(name): rounded(value, 6) for name, value in timing["case"].get("scalars", {}).items()},
           "clock": clock, "uncertain": bool(timing["wide_interval"])}
    if timing.get("timing") == "steady":
        out["steady"] = {"warm_up": rounded(timing["warm_up_seconds"], 3), "settled": bool(timing["settled"])}
    if timing.get("floor_us"):  # in a comparison: of the chain
        out["floor"] = rounded(timing["floor_us"]["chain"], 3)
    return out | {"entries": [compact_entry(entry, timing, shape) for entry in timing["entries"]]}


def spread(entry):
    return round(50 * (entry["high"] - entry["low"]) / entry["us"], 1)


def fastest(timing, right):
    """The library that took the least time, of those whose results keep the error bound, or of all."""
    libraries = [entry for entry in timing["entries"]
                 if "us" in entry and entry["role"] == "library" and not (right and entry.get("wrong"))]
    return min(libraries, key=lambda entry: entry["us"], default=None)


def drawn_row(timing):
    """The file beside the fastest library, as DRAWN; None where the file or every library did not run."""
    files = [entry for entry in timing["entries"] if "us" in entry and entry["role"] == "file"]
    library, of_all = fastest(timing, right=True), fastest(timing, right=False)
    if not files or not of_all:
        return None
    file = files[0]
    beside = [library["label"], library["us"], spread(library)] if library else [None, None, None]
    return [timing["shape"], file["us"], spread(file), *beside, file.get("ratio"), of_all["us"]]


def over_all(rows):
    """The geometric mean over the fastest library of each shape, whatever its results are; None of
    rows that are older than this question."""
    ratios = [row["all_us"] / row["us"] for row in rows if row.get("all_us")]
    return round(math.exp(sum(map(math.log, ratios)) / len(ratios)), 3) if ratios else None


def overall_of(overall, timings, rows):
    """What a page says of all shapes together."""
    rows = [dict(zip(DRAWN, row)) for row in rows]
    with_ratio = [row for row in rows if row["ratio"] is not None]
    worst = min(with_ratio, key=lambda row: row["ratio"])
    return {"shapes": len(timings), "geometric_mean": round(float(overall["geometric_mean"]), 3),
            "over_all": over_all(rows),
            "fastest_is_wrong": sum(row["all_us"] != row["library_us"] for row in rows),
            "no_library_is_right": len(rows) - len(with_ratio),
            "worst": round(float(overall["worst"]), 3), "worst_at": worst["shape"],
            "below": sum(row["ratio"] < BELOW for row in with_ratio),
            "uncertain": sum(timing["uncertain"] for timing in timings),
            "held_down": sum(timing["clock"]["held_down"] != "" for timing in timings)}


def compact_run(report, shape=None, cut_off=False):
    """A report of bench or compare. `shape` is its only one, as its problem writes it."""
    if report.get("schema_version") != REPORT_SCHEMA:
        raise ValueError("no result of gemmjudge that this script knows")
    device = report["device"]
    out = {"started": str(report["started"]), "command": str(report["command"]),
           "gpu": {name: str(device[name]) for name in ("name", "driver", "runtime", "library")} |
           {"multiprocessors": int(device["multiprocessors"])}}
    out |= {"gpu_computes_wrongly": True} if report["gpu_computes_wrongly"] else {}
    out |= {"cut_off": True} if cut_off else {}
    timings = [compact_timing(timing, shape or shape_of(timing["case"])) for timing in report["bench"]]
    rows = [row for row in map(drawn_row, timings) if row]
    if report.get("overall") and rows and shape is None:
        out["overall"] = overall_of(report["overall"][0], timings, rows)
    return out | ({"timings": timings} if len(timings) <= FEW else {"drawn": rows})


# ---- files ------------------------------------------------------------------------------


def listed(items, indent):
    """A JSON list, one item a line."""
    lines = ",\n".join(indent + json.dumps(item, allow_nan=False) for item in items)
    return f"[\n{lines}\n{indent[:-1]}]" if items else "[]"


def run_text(run):
    facts = {name: value for name, value in run.items() if name not in ("timings", "drawn")}
    lines = [f"   {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in facts.items()]
    lines += [f"   {json.dumps(name)}: {listed(run[name], '    ')}" for name in ("timings", "drawn") if name in run]
    return "  {\n" + ",\n".join(lines) + "\n  }"


def commit(text):
    """As gemmjudge --version has it, or nothing."""
    text = str(text).strip()
    if text and not re.fullmatch(r"[0-9a-f]{7,40}\+?", text):
        raise ValueError(f"{text!r} is no commit")
    return text


def save(path, asked, runs, left_out=(), of_commit=""):
    """A timing a line, so that a change of one figure is a change of one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    body = ",\n".join(map(run_text, runs))
    known = f' "commit": {json.dumps(of_commit)},\n' if of_commit else ""
    text = (f'{{\n "schema_version": {SCHEMA},\n "asked": {json.dumps(asked)},\n{known} "runs": [\n{body}\n ],\n'
            f' "left_out": {listed(left_out, "  ")}\n}}\n')
    path.write_text(text)


def load(path):
    out = json.loads(path.read_text())
    if out.get("schema_version") != SCHEMA:
        sys.exit(f"{path}: schema_version {out.get('schema_version')}, and this script knows {SCHEMA}")
    return out


def link(page, path):
    """From a page to its data file."""
    return os.path.relpath(path, page.parent)


# ---- words ------------------------------------------------------------------------------


def gpu_words(gpu):
    return f"{gpu['name']} ({gpu['multiprocessors']} SMs, driver {gpu['driver'].split(',')[0]}, {gpu['runtime']}, {gpu['library']})"


def commit_words(data):
    """Behind the date of a data file."""
    known = data.get("commit", "")
    return f" at commit {commit(known)}" if known else " (the commit was not recorded)"


def ratio_words(value):
    """Three decimals where they are known and not 0, else two: on every page the same."""
    if value is None:
        return ""
    text = f"{value:.3f}"
    return text[:-1] if text.endswith("0") else text
