"""What arguments.py says of a problem.ini that is wrong: one line that names the place.

usage: check_arguments.py SOURCE
"""

import os
import subprocess
import sys
import tempfile

GOOD = """[problem]
prototype = const half *A, float *C, int M, float alpha
[sizes]
M = 1..9
[scalars]
alpha = factor
[buffers]
A = M x 2, numbers
C = M
[steps]
row = M x 3, f16
"""
# What is exchanged for what, and what is then said.
WRONG = [
    ("[sizes]", "[size]", "line 3: [size] is no section"),
    ("[scalars]", "[sizes]", "line 5: [sizes] is no section, or is here twice"),
    ("M = 1..9", "M 1..9", "line 4: expected [SECTION] or KEY = VALUE, not 'M 1..9'"),
    ("prototype", "protoype", "line 2: 'protoype' is no key of [problem]"),
    ("int M", "long M", "'long M' is no argument"),
    ("alpha = factor", "beta = factor", "'alpha' of the prototype is neither in [sizes] nor in [scalars]"),
    ("C = M\n", "", "'C' of the prototype is not in [buffers]"),
    ("C = M\n", "C = M\nD = M\n", "[buffers] has 'D', and the prototype has it not"),
    ("A = M x 2, numbers", "A = M x 2", "A: an input, and no other buffer, says what its values are"),
    ("C = M\n", "C = M, numbers\n", "C: an input, and no other buffer, says what its values are"),
    ("float *C", "const float *C", "C: an input, and no other buffer, says what its values are"),
    ("row = M x 3", "row = M x 3 x 4 x 5", "row: a shape has at most 3 extents"),
    ("row = ", "sum = ", "'sum' is a word of references, and so no name"),
    ("[buffers]", "[problem2]", "[problem2] is no section"),
    ("[problem]\nprototype = const half *A, float *C, int M, float alpha\n", "", "'problem' is missing"),
]


def said(script, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "problem.ini"), "w", encoding="utf-8") as file:
            file.write(text)
        run = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr


def main():
    script = os.path.join(sys.argv[1], "harness/reference/arguments.py")
    faults = []
    status, out, err = said(script, GOOD)
    for line in ("operand<R, half, 2> A;", "matrix<R, half, 2> row;", "matrix<R, float, 1> C;", "float alpha;", "int M;"):
        if status != 0 or line not in out:
            faults.append(f"of a right file there is no '{line}': {err}")
    for old, new, expected in WRONG:
        status, out, err = said(script, GOOD.replace(old, new, 1))
        if status != 1 or expected not in err or err.count("\n") != 1 or out:
            faults.append(f"'{new.strip()}' for '{old.strip()}': status {status}, '{err.strip()}', not '{expected}'")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
