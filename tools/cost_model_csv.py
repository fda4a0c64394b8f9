"""Measurements of tile configurations as CSV: a row is one configuration, or the faster library, on
one shape.

Columns:
    date            when the bench began, UTC
    gpu, driver     as gemmjudge reports them
    device          what the heuristic knows of the GPU, as tools/cost_model.cu prints it
    draw            how gemmjudge drew the shape: default, uniform, aligned; or large, which are not drawn
    m, n, k         the shape
    beta_is_0       1 where C was not read
    configuration   the fields of configs.def before the times, or `library`
    median_us       of the device spans of all calls
    spread_percent  width of the median's 95% confidence interval
"""

import csv
import math
import sys

COLUMNS = ("date", "gpu", "driver", "device", "draw", "m", "n", "k", "beta_is_0", "configuration", "median_us", "spread_percent")
KEY = COLUMNS[:9]
DRAWS = ("default", "uniform", "aligned", "large", "deep")
LIBRARY = "library"


class Shape:
    """One shape on one GPU: `us` by configuration, and of the faster library (None: not measured)."""

    def __init__(self, key):
        self.key = key
        self.date, self.gpu, self.driver, self.device, self.draw, *sizes, beta_is_0 = key
        self.m, self.n, self.k = (int(size) for size in sizes)
        self.reads_c = beta_is_0 == "0"
        self.us, self.library = {}, None

    @property
    def best(self):
        return min(self.us.values())

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}" + (", beta" if self.reads_c else "")


def fault(row):
    """What is wrong with a row; None: nothing."""
    if None in row or None in row.values():
        return f"should have {len(COLUMNS)} columns"
    if row["draw"] not in DRAWS:
        return f"draw is {row['draw']!r}, should be one of {', '.join(DRAWS)}"
    if not row["device"] or not all(word.isdecimal() for word in row["device"].split(" ")):
        return f"device is {row['device']!r}, should be numbers"
    for name in ("m", "n", "k"):
        if not row[name].isdecimal() or not 1 <= int(row[name]) < 2**31:
            return f"{name} is {row[name]!r}, should be a size"
    if row["beta_is_0"] not in ("0", "1"):
        return f"beta_is_0 is {row['beta_is_0']!r}, should be 0 or 1"
    if not row["configuration"]:
        return "configuration is empty"
    try:
        us, spread = float(row["median_us"]), float(row["spread_percent"])
    except ValueError:
        return "median_us and spread_percent should be numbers"
    good = 0 < us < math.inf and 0 <= spread < math.inf
    return None if good else "median_us should be above 0, spread_percent not below"


def add(shapes, row):
    key = tuple(row[column] for column in KEY)
    shape = shapes.setdefault(key, Shape(key))
    if row["configuration"] == LIBRARY:
        shape.library = float(row["median_us"])
    else:
        shape.us[row["configuration"]] = float(row["median_us"])


def read_file(path, shapes):
    with open(path, newline="") as file:
        rows = csv.DictReader(file, strict=True)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            sys.exit(f"{path}:1: the columns should be {','.join(COLUMNS)}")
        for row in rows:
            if why := fault(row):
                sys.exit(f"{path}:{rows.line_num}: {why}")
            add(shapes, row)


def read(paths):
    """The shapes of all files, in the order of their first rows."""
    shapes = {}
    for path in paths:
        try:
            read_file(path, shapes)
        except (csv.Error, OSError, UnicodeDecodeError) as error:
            sys.exit(f"{path}: no CSV that can be read: {error}")
    measured = [shape for shape in shapes.values() if shape.us]
    if not measured:
        sys.exit(f"{', '.join(map(str, paths))}: no configuration was measured")
    return measured


def append(path, rows):
    """Rows of COLUMNS; the file begins with their names."""
    with open(path, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(COLUMNS)
        writer.writerows(rows)
