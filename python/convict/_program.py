# SPDX-License-Identifier: Apache-2.0
"""Finds the program `convict`, which samples problems and judges results."""
from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._errors import ProgramMissing


def find_program() -> str:
    """The file named by the environment variable CONVICT; or `convict` on the PATH, or beside this package."""
    named = os.environ.get("CONVICT")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramMissing(f"CONVICT={named} is not a program; name the file `convict`, or unset the variable")
        return os.path.abspath(named)
    found = shutil.which("convict")
    if found:
        return found
    for folder in Path(__file__).resolve().parents:  # of `cmake --install --prefix folder`
        if os.access(folder / "bin/convict", os.X_OK):
            return str(folder / "bin/convict")
    raise ProgramMissing("the program convict is not on the PATH; build it with `make build` in a checkout and set "
                         "CONVICT=build/release/convict, or install it with `cmake --install build/release`")
