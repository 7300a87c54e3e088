# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and whose fault it is."""
from __future__ import annotations


class Refused(Exception):
    """Raised by a function that cannot express a problem: nobody's fault, and the case is not judged.

    >>> def conv(x, w, b, stride, padding, dilation, groups):
    ...     if groups > 1:
    ...         raise Refused("no groups")
    """


class Falsified(AssertionError):
    """A function is wrong on a case. `case` is its line, `verdict` what is wrong, `certificate` the evidence."""

    def __init__(self, text: str, case: str, verdict: str, certificate: dict):
        super().__init__(text)
        self.case, self.verdict, self.certificate = case, verdict, certificate


class ProgramMissing(RuntimeError):
    """The program `convict` is not installed, or cannot do what was asked for."""
