# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and whose fault it is."""
from __future__ import annotations

import argparse
from typing import NoReturn


class Refused(Exception):
    """Raised by a function that cannot express a problem: nobody's fault, and the case is not judged.

    >>> def conv(x, w, b, stride, padding, dilation, groups):
    ...     if groups > 1:
    ...         raise Refused("no groups")
    """


class Falsified(AssertionError):
    """A function is wrong on a case. `case` is its line, `verdict` what is wrong, `certificate` the evidence, all
    of the most telling one of `causes`."""

    def __init__(self, text: str, causes: list):
        super().__init__(text)
        self.causes = causes
        self.case, self.verdict, self.certificate = causes[0].case, causes[0].verdict, causes[0].certificate


class WrongUse(ValueError):
    """What was asked for makes no sense, in one line that says what would. Nobody is judged."""


class DeviceLost(BaseException):
    """The device answers no more, because of an error that stays with the process. An isolated function loses one case
    to it, and goes on in a new process."""


class Note(UserWarning):
    """What a trial has seen, and does not convict the function of."""


class Parser(argparse.ArgumentParser):
    """Of a command line; wrong use of it is told in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"convict: {message}; `{self.prog} --help` shows what is valid\n")


class ProgramMissing(RuntimeError):
    """The program `convict` is not installed, or cannot do what was asked for."""
