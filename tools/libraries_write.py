"""solutions/LIBRARIES.md from its data file, and the data file from what `gemmjudge audit --json` wrote.

usage: libraries_write.py [AUDIT.json] ROOT
"""

import collections
import json
import pathlib
import statistics
import sys

import data_file

SCHEMA = 1
AUDIT_SCHEMA = 1
ALIGNED = 8  # elements: what sizes are a multiple of where a library takes its aligned kernels
WORST = 20  # own choices that the page shows
# What is kept of an own choice that is wrong.
WRONG = ("library", "shape", "alpha", "beta", "id", "tile", "stages", "split_k", "reduction", "wrong", "elements", "worst_ratio", "places",
         "cause", "detail", "wrong_call", "kernel", "us", "accurate_verdict", "accurate_ratio", "accurate_us")
BETAS = ("0", "1", "other", "none")


# ---- from what was measured -------------------------------------------------------------


def rows_of(audit):
    rows = [dict(zip(audit["columns"], row)) for row in audit["rows"]]
    for row in rows:
        row["kernel"] = None if row["kernel"] is None else audit["kernels"][row["kernel"]]
    return rows


def is_right(row):
    return row["verdict"] in ("accepted", "unsupported", "not_run")


def is_own(row):
    return row["algorithm"] == 0


def sizes_of(shape):
    """M, N and K; without a batch in front."""
    return [int(size) for size in shape.split("x")][-3:]


def kind_of(case):
    """Of which kind of product a case is: whether its sizes are aligned, and what beta is."""
    aligned = all(size % ALIGNED == 0 for size in sizes_of(case["shape"]))
    beta = case.get("beta")
    return ("aligned" if aligned else "ragged") + " " + ("none" if beta is None else "0" if beta == 0 else "1" if beta == 1 else "other")


def cause_of(row):
    return row["cause"] or f"{row['verdict']}: {row['detail']}"


def wrong_row(row, case, accurate):
    known = row | {"shape": case["shape"], "alpha": case.get("alpha"), "beta": case.get("beta")}
    if accurate:
        known |= {"accurate_verdict": accurate["verdict"], "accurate_ratio": accurate["worst_ratio"], "accurate_us": accurate["us"]}
    return [known.get(name) for name in WRONG]


def has_failed(row):
    """Whether there is no result, as the call ended in an error."""
    return not is_right(row) and row["verdict"] != "wrong_answer"


def library_of(audit, number, rows):
    """What one library was found to do on one problem."""
    library = audit["libraries"][number]
    default = [row for row in rows if row["mode"] == "default"]
    accurate = {row["case"]: row for row in rows if row["mode"] == "accurate" and is_own(row)}
    kinds, causes, slower = collections.Counter(), collections.Counter(), []
    for row in default:
        case = library["cases"][row["case"]]
        if is_own(row):
            kinds[kind_of(case)] += 1
            kinds[kind_of(case) + " wrong"] += not is_right(row)
            other = accurate.get(row["case"])
            if other and row["us"] and other["us"]:
                slower.append(other["us"] / row["us"])
        if not is_right(row):
            causes[("own: " if is_own(row) else "other: ") + cause_of(row)] += 1
    out = {name: library[name] for name in ("library", "problem", "version", "folder", "audited", "too_large", "ended", "found")}
    out |= {"cases": len(library["cases"]), "shapes": len({case["shape"] for case in library["cases"][:library["audited"]]}),
            "own_choices_failed": sum(has_failed(row) for row in default if is_own(row)),
            "accurate_failed": sum(has_failed(row) for row in accurate.values()),
            "kinds": dict(sorted(kinds.items())), "causes": dict(sorted(causes.items()))}
    if slower:
        out["accurate_slower"] = {"median": data_file.rounded(statistics.median(slower), 4), "most": data_file.rounded(max(slower), 4)}
    return out


def wrong_rows(audit, rows):
    accurate = {(row["library"], row["case"]): row for row in rows if row["mode"] == "accurate" and is_own(row)}
    return [wrong_row(row, audit["libraries"][row["library"]]["cases"][row["case"]], accurate.get((row["library"], row["case"])))
            for row in rows if row["mode"] == "default" and is_own(row) and not is_right(row)]


def changes_of(audit):
    """From version to version: how many own choices differ in what; None where one version was audited."""
    if not audit["changes"]:
        return None
    items = audit["changes"]["items"]
    return {"pairs": audit["changes"]["pairs"], "differ": len(items)} | {name: sum(item[name] for item in items)
                                                                        for name in ("algorithm", "verdict", "bits")}


def compact(audit, commit=""):
    if audit.get("kind") != "audit" or audit.get("schema_version") != AUDIT_SCHEMA:
        raise ValueError("no audit of gemmjudge that this script knows")
    rows = rows_of(audit)
    device = audit["device"]
    return {
        "schema": SCHEMA, "asked": "tools/libraries measure OUT.json", "commit": data_file.commit(commit),
        "started": audit["started"], "command": audit["command"], "tolerance": audit["tolerance"], "seconds": audit["seconds"],
        "calls": audit["calls"], "complete": audit["complete"], "thorough": audit["thorough"], "left_out": audit["left_out"],
        "gpu": {name: str(device[name]) for name in ("name", "driver", "runtime", "library")} | {"multiprocessors": device["multiprocessors"]},
        "libraries": [library_of(audit, i, [row for row in rows if row["library"] == i]) for i in range(len(audit["libraries"]))],
        "changes": changes_of(audit), "columns": list(WRONG), "wrong": wrong_rows(audit, rows)}


def save(path, data):
    """A library and a wrong result a line each."""
    lines = [f" {json.dumps(name)}: " + (data_file.listed(value, "  ") if name in ("libraries", "wrong") else json.dumps(value, allow_nan=False))
             for name, value in data.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


# ---- the page ---------------------------------------------------------------------------


def share(wrong, of):
    return f"{wrong} of {of}" if of else ""


def name_of(library):
    return f"{library['library']} {library['version'] or ''}".strip()


def ratio_words(value):
    return value if isinstance(value, str) else f"{value:.3g}"  # "inf"


def table(columns, rows):
    """Columns whose name begins with '>' hold numbers."""
    numbers = [name.startswith(">") for name in columns]
    head = "| " + " | ".join(name.lstrip(">") for name in columns) + " |"
    rule = "|" + "|".join("--:" if number else "---" for number in numbers) + "|"
    return [head, rule] + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def libraries_table(data):
    def row(library):
        found, slower = library["found"], library.get("accurate_slower")
        return (library["problem"], name_of(library), library["shapes"], share(found["own_choices_wrong"], found["own_choices"]),
                share(found["algorithms_wrong"], found["algorithms"]), ratio_words(found["worst_ratio"]),
                share(found["accurate_wrong"], found["accurate"]), found["not_repeatable"],
                f"{slower['median']:.3f}, {slower['most']:.2f}" if slower else "")

    return table(("Problem", "Library", ">Shapes", ">Own choices wrong", ">Algorithms wrong", ">Worst error, of its bound",
                  ">Accurate mode wrong", ">Not repeatable", ">Time of the accurate mode: median, most"), map(row, data["libraries"]))


def kinds_table(data):
    rows = []
    for library in data["libraries"]:
        kinds = library["kinds"]
        if not library["found"]["own_choices_wrong"]:
            continue
        cells = [share(kinds.get(f"{sizes} {beta} wrong", 0), kinds.get(f"{sizes} {beta}", 0)) for sizes in ("aligned", "ragged") for beta in BETAS]
        rows.append((library["problem"], name_of(library), *cells))
    words = {"0": "beta 0", "1": "beta 1", "other": "another beta", "none": "no beta"}
    return table(("Problem", "Library", *(f">{sizes}, {words[beta]}" for sizes in ("aligned", "ragged") for beta in BETAS)), rows) if rows else []


def causes_table(data):
    counts = collections.Counter()
    for library in data["libraries"]:
        for cause, count in library["causes"].items():
            whose, words = cause.split(": ", 1)
            counts[name_of(library), words, whose] += count
    kinds = sorted({(library, words) for library, words, _ in counts})
    return table(("Library", "Cause", ">Own choices", ">Other algorithms"),
                 ((library, words, counts[library, words, "own"], counts[library, words, "other"]) for library, words in kinds)) if kinds else []


def factors(row):
    return "" if row["alpha"] is None else f"{row['alpha']:g}, {row['beta']:g}" if row["beta"] is not None else f"{row['alpha']:g}"


def known_size(value):
    return float("inf") if isinstance(value, str) else value


def worst_table(data):
    rows = [dict(zip(data["columns"], row)) for row in data["wrong"]]
    rows.sort(key=lambda row: (-known_size(row["worst_ratio"]), row["library"], row["shape"]))

    def line(row):
        library = data["libraries"][row["library"]]
        split = "" if row["split_k"] <= 0 else f"{row['split_k']}, {row['reduction']}"
        times = f"{row['us']:.4g}, {row['accurate_us']:.4g}" if row["us"] and row["accurate_us"] else ""
        accurate = ratio_words(row["accurate_ratio"]) if row["accurate_ratio"] is not None else ""
        percent = f"{100 * row['wrong'] / row['elements']:.2g}%" if row["elements"] else ""
        return (library["problem"], row["shape"], factors(row), name_of(library), ratio_words(row["worst_ratio"]), percent, split, cause_of(row),
                accurate, times)

    def cause_of(row):
        return row["cause"] or row["detail"]

    return table(("Problem", "Shape", "alpha, beta", "Library", ">Error, of its bound", ">Wrong", "Split-K, reduction", "Cause",
                  ">Accurate mode", ">us: default, accurate"), map(line, rows[:WORST])) if rows else []


def left_lines(data):
    lines = [f"- {library['problem']} by {name_of(library)}: {library['cases'] - library['audited']} of {library['cases']} cases: {library['ended']}"
             for library in data["libraries"] if library["audited"] < library["cases"]]
    return lines + [f"- {line}" for line in (data["left_out"] or "").split("\n") if line]


def total(data, name):
    return sum(library["found"][name] for library in data["libraries"])


def page(data):
    day, at = data["started"][:10], data_file.commit_words(data)

    def failed(what):
        return sum(library[f"{what}_failed"] for library in data["libraries"])

    out = ["# Are the libraries right?", "",
           f"Audited on an {data_file.gpu_words(data['gpu'])}, on {day}{at}, by", "",
           "    tools/libraries measure OUT.json", "    tools/libraries write OUT.json", "",
           "Each algorithm that a library has for a shape is held to the error bound that solutions are held to",
           "([the referee](../harness/referee/README.md)), on uniform values, called " + f"{data['calls']} times on the same inputs. *Own choice* is what a program gets",
           "that asks for nothing: `cublasGemmEx` in the default math mode, and the first suggestion of cuBLASLt. In the *accurate mode*",
           "partial sums stay in f32 (`CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION`; of cuBLASLt a mask of reduction schemes), and beta = 1",
           "is given as the next number below it, so that a 16-bit result is rounded once. Figures are counts of results, a product with one alpha and",
           f"beta each; all are in [results/libraries.json](results/libraries.json).", "",
           f"**{total(data, 'own_choices_wrong') - failed('own_choices')} of {total(data, 'own_choices')} results that a library chooses by itself leave the bound, and "
           f"{total(data, 'accurate_wrong') - failed('accurate')} of {total(data, 'accurate')} in its accurate mode.**", ""]
    if failed("own_choices") or failed("accurate"):
        out += [f"{failed('own_choices')} more calls end in an error, and {failed('accurate')} of the accurate mode: \"Why\" has its words.", ""]
    if not data["complete"]:
        out += ["The time did not suffice for all of it: see the end.", ""]
    out += libraries_table(data)
    for heading, lines in (("Which products", kinds_table(data)), ("Why", causes_table(data)), ("The worst own choices", worst_table(data))):
        out += [f"## {heading}", "", *lines] if lines else []
    if data["changes"]:
        changes = data["changes"]
        out += ["## From version to version", "",
                f"Of {changes['pairs']} own choices, in both modes, that both versions computed {changes['differ']} differ: {changes['algorithm']} use another algorithm, "
                f"{changes['bits']} have other bits, and {changes['verdict']} are right with one version and wrong with the other.", ""]
    left = left_lines(data)
    out += ["## Not audited", "", *left, ""] if left else []
    return "\n".join(out).rstrip("\n") + "\n"


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__.strip())
    root = pathlib.Path(arguments[-1])
    path = root / "solutions/results/libraries.json"
    if len(arguments) == 2:
        measured = pathlib.Path(arguments[0])
        of_commit = measured.with_name(measured.name + ".commit")
        save(path, compact(json.loads(measured.read_text()), of_commit.read_text() if of_commit.exists() else ""))
    if not path.exists():
        sys.exit(f"tools/libraries: {path} is not there: give the JSON of an audit")
    (root / "solutions/LIBRARIES.md").write_text(page(json.loads(path.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
