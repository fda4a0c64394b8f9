"""The header that stands before a problem's reference.cuh: its arguments and steps by their names, and their shapes.

usage: arguments.py FOLDER > arguments.cuh

FOLDER has a problem.ini as testcases/problems/README.md describes it. What it has wrong is one line on stderr and exit
status 1.
"""

import os
import re
import sys

ELEMENTS = {"float": "float", "half": "half", "__nv_bfloat16": "__nv_bfloat16", "f32": "float", "f16": "half", "bf16": "__nv_bfloat16"}
PRIMITIVES = ("dot sum mean largest abs max min exp log sqrt rsqrt tanh sigmoid silu shift either keep bounded sums operand "
              "matrix problem lane lanes").split()
ARGUMENT = re.compile(r"(const )?(\w+) (\*?)(\w+)")
SECTIONS = {
    "problem": "title prototype formula tolerance work metric large".split(),
    "sizes": None, "scalars": None, "buffers": None, "steps": None,
}


class Wrong(Exception):
    """What is wrong in a problem.ini, for its author."""


def read(path):
    """Sections: a dictionary of dictionaries, the values as they are written."""
    sections, section = {}, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split(";")[0].strip()
            if not line:
                continue
            if line.startswith("["):
                section = line.strip("[]")
                if section not in SECTIONS or section in sections:
                    raise Wrong(f"line {number}: [{section}] is no section, or is here twice; sections are {', '.join(SECTIONS)}")
                sections[section] = {}
                continue
            key, equals, value = (part.strip() for part in line.partition("="))
            if section is None or not equals or not value:
                raise Wrong(f"line {number}: expected [SECTION] or KEY = VALUE, not '{line}'")
            if key in sections[section] or SECTIONS[section] and key not in SECTIONS[section]:
                raise Wrong(f"line {number}: '{key}' is no key of [{section}], or is here twice")
            sections[section][key] = value
    return sections


def extents_of(text):
    """'M x N - 1' as expressions of sizes."""
    return re.split(r"\s+x\s+", text)


def arguments_of(prototype):
    """(constant, type, pointer, name) of each argument."""
    found = []
    for text in prototype.split(","):
        match = ARGUMENT.fullmatch(text.strip())
        if match is None or match[2] not in ("int", *ELEMENTS):
            raise Wrong(f"prototype: '{text.strip()}' is no argument; one is 'int M', 'float alpha' or 'const half *A'")
        found.append((bool(match[1]), match[2], bool(match[3]), match[4]))
    return found


class Member:
    """A buffer or a step."""

    def __init__(self, name, element, shape, words):
        self.name, self.element, self.words = name, element, words
        self.extents = extents_of(shape)
        if len(self.extents) > 3:
            raise Wrong(f"{name}: a shape has at most 3 extents")

    def declaration(self, kind):
        return f"\t{kind}<R, {self.element}, {len(self.extents)}> {self.name};"

    def drawn(self):
        """Its name, the size by whose root its values are divided, and the share of zeros among them."""
        words = " ".join(self.words).split()
        scaled = f"p.{words[words.index('scaled') + 1]}" if "scaled" in words else "1"
        return f"X({self.name}, {scaled}, {words[words.index('zeros') + 1] if 'zeros' in words else 0})"

    def shaped(self):
        return [f"\t\t{self.name}.extent[{i}] = (size_t)({extent});" for i, extent in enumerate(self.extents)]


def members_of(sections):
    """Scalars as declarations, inputs, steps with the outputs behind them."""
    arguments = arguments_of(sections["problem"]["prototype"])
    buffers = dict(sections["buffers"])
    scalars, inputs, outputs = [], [], []
    for constant, element, pointer, name in arguments:
        if not pointer:
            known = name in sections["sizes"] or name in sections.get("scalars", {})
            if not known:
                raise Wrong(f"'{name}' of the prototype is neither in [sizes] nor in [scalars]")
            scalars.append(f"\t{element} {name};")
            continue
        if name not in buffers:
            raise Wrong(f"'{name}' of the prototype is not in [buffers]")
        shape, *words = (part.strip() for part in buffers.pop(name).split(","))
        if constant == (not words):
            raise Wrong(f"{name}: an input, and no other buffer, says what its values are")
        (inputs if constant else outputs).append(Member(name, ELEMENTS[element], shape, words))
    if buffers:
        raise Wrong(f"[buffers] has '{next(iter(buffers))}', and the prototype has it not")
    if not outputs:
        raise Wrong("the prototype has no output: a pointer without const")
    steps = []
    for name, text in sections.get("steps", {}).items():
        if name == "blocks":
            continue
        shape, *words = (part.strip() for part in text.split(","))
        types = [word for word in words if word in ELEMENTS]
        steps.append(Member(name, ELEMENTS[types[0]] if types else "float", shape, words))
    return scalars, inputs, steps + outputs


def header(sections):
    scalars, inputs, steps = members_of(sections)
    blocks = sections.get("steps", {}).get("blocks")
    for member in (*inputs, *steps):
        if member.name in PRIMITIVES:
            raise Wrong(f"'{member.name}' is a word of references, and so no name")
    lines = ["/* Made by harness/reference/arguments.py. */", "#pragma once", '#include "reference/operand.cuh"', "", "namespace reference", "{", "",
             "template <class R> struct problem {", *scalars]
    lines += [member.declaration("operand") for member in inputs]
    lines += [member.declaration("matrix") for member in steps]
    lines += ["", "\tREFERENCE_CODE void shape()", "\t{"]
    for member in (*inputs, *steps):
        lines += member.shaped()
    for member in steps:
        lines.append(f"\t\t{member.name}.blocked = {str(member.extents[0] == blocks).lower()};")
        lines.append(f"\t\t{member.name}.in_order = {str('in order' in member.words).lower()};")
    outputs = [step for step in steps if step.name in sections["buffers"]]
    lines += ["\t}", "};", "", '#include "reference.cuh"', "",
              "#define REFERENCE_INPUTS(X) " + " ".join(member.drawn() for member in inputs),
              "#define REFERENCE_STEPS(X) " + " ".join(f"X({member.name})" for member in steps),
              "#define REFERENCE_OUTPUTS(X) " + " ".join(f"X({member.name})" for member in outputs), "",
              "} // namespace reference"]
    return "\n".join(lines)


def main():
    path = os.path.join(sys.argv[1], "problem.ini")
    try:
        print(header(read(path)))
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        return 1
    except (Wrong, KeyError) as error:
        print(f"{path}: {error if isinstance(error, Wrong) else f'{error} is missing'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
