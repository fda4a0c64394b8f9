"""What was measured elsewhere: JSON and texts that anybody may have written."""

import os
import re
import subprocess
import sys

# What a script meets in a file that is not what it takes it for.
MISFITS = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, StopIteration, TypeError,
           ValueError, subprocess.CalledProcessError)


def told(main, *arguments):
    """main(*arguments); where that comes to what it cannot read, the script ends with one line and
    exit status 1. With TRACEBACK in the environment Python says where that was."""
    try:
        return main(*arguments)
    except MISFITS as error:
        if "TRACEBACK" in os.environ:
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        files = " ".join(str(argument) for argument in arguments if os.sep in str(argument))
        sys.exit(f"{os.path.basename(sys.argv[0])}: this cannot be read ({said}): {files}")


def plain(text):
    """Text that may stand in a picture's commands, within quotes."""
    return re.sub(r"[^\w .,:;()^+*/=%-]", "_", str(text))


def name(text):
    """The name of one file or folder, and nothing else."""
    if not re.fullmatch(r"[A-Za-z0-9_][\w.-]*", text):
        raise ValueError(f"{text!r} is no name")
    return text
