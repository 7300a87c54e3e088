# SPDX-License-Identifier: Apache-2.0
"""Puts convolution kernels on trial: hundreds of sampled problems, each compared element by element with an exact
reference by the program `convict`.

    import convict

    def test_mine():
        convict.trial(my_conv_transpose2d, like="torch.conv_transpose2d", cases=500)

A function that is wrong raises `Falsified`, with the simplest case that shows it as one line."""
from ._errors import DeviceLost, Falsified, Note, ProgramMissing, Refused, WrongUse
from ._grade import grade, grade_module
from ._presets import presets
from ._problem import Problem
from ._serve import serve
from ._target import Target, target
from ._tool import ToolFailed, run_tool
from ._trial import example, trial

__all__ = ["DeviceLost", "Falsified", "Note", "Problem", "ProgramMissing", "Refused", "Target", "ToolFailed", "WrongUse",
           "example", "grade", "grade_module", "presets", "run_tool", "serve", "target", "trial"]
__version__ = "0.1.0"
