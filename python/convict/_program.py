# SPDX-License-Identifier: Apache-2.0
"""Finds the program `convict`, which samples problems and judges results; and starts it, as its command."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional

from ._errors import ProgramMissing


def own_program() -> Optional[str]:
    """Of the wheel that this package is from; or of `cmake --install --prefix FOLDER`, which has both."""
    package = Path(__file__).resolve().parent
    for folder in (package / "program", *package.parents):
        if os.access(folder / "bin/convict", os.X_OK) and not is_script(folder / "bin/convict"):
            return str(folder / "bin/convict")
    return None


def is_script(file: Path) -> bool:
    """pip's, which would start this package again."""
    with open(file, "rb") as stream:
        return stream.read(2) == b"#!"


def find_program() -> str:
    """The file named by the environment variable CONVICT; or what belongs to this package; or `convict` on the PATH."""
    named = os.environ.get("CONVICT")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramMissing(f"CONVICT={named} is not a program; name the file `convict`, or unset the variable")
        return os.path.abspath(named)
    found = own_program() or shutil.which("convict")
    if not found:
        raise ProgramMissing("the program convict is not on the PATH; `make wheel` in a checkout makes a file for pip "
                             "that has it, or set CONVICT=build/release/convict after `make build`")
    return found


def main() -> None:
    """The command `convict` of a wheel. Clients run in this Python, unless the user names another one."""
    program = own_program()
    if not program:
        sys.exit("convict: this installation lacks the program; install it again")
    os.execve(program, ["convict", *sys.argv[1:]], {"CONVICT_PYTHON": sys.executable, **os.environ})
