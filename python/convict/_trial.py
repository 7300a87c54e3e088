# SPDX-License-Identifier: Apache-2.0
"""A function on trial: known examples first, then a campaign."""
from __future__ import annotations

import contextvars
import json
import os
import random
import re
import tempfile
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._errors import Falsified, ProgramMissing, Refused
from ._session import Output, run_convict
from ._target import Target

_NO_LIMIT = "24h"  # for a call in this process, where a debugger may stop it


class Settings:
    """What the pytest plugin sets for all trials."""

    cases: Optional[int] = None
    seed: Optional[int] = None
    repro: Optional[str] = None
    folder = ".convict"  # where falsifying cases are kept


_examples: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("examples", default=())


def example(line: str) -> Callable:
    """Of a test: its trials judge this case first.

    >>> @example("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0")
    ... def test_mine():
    ...     convict.trial(mine, like="torch.conv_transpose2d")
    """
    import functools

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def with_example(*args: Any, **named: Any) -> Any:
            __tracebackhide__ = True
            token = _examples.set((line, *_examples.get()))
            try:
                return test(*args, **named)
            finally:
                _examples.reset(token)

        return with_example

    return decorate


def trial(function: Union[Callable[..., Any], Target], like: Optional[str] = None, *, cases: int = 200,
          seed: Optional[int] = None, where: str = "", isolate: bool = False, timeout: Optional[str] = None,
          profile: str = "", shrink: str = "5s", illegal: float = 0, **options: Any) -> None:
    """Judges a function on sampled problems. Raises Falsified if it is wrong on one, with the simplest case found.

    `like` names the signature (`convict.presets()`); without it the function is called as f(problem, tensors), and
    writes the outputs. What it takes is found out by asking: it raises Refused for the rest, and an `example` of a test
    tells where to look. `where` and `profile` narrow the problems: "g=1 k<=7", "grouped". `isolate` calls the function in
    a copy of this process, which may crash or take longer than `timeout`. Other options are those of `Target`.

    >>> trial(my_conv2d, like="torch.conv2d", cases=500)
    >>> trial(my_conv2d, like="torch.conv2d", dtypes=["f16"], xp="torch", where="g=1", isolate=True)
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not ours
    put = function if isinstance(function, Target) else Target(function, like, **options)
    limit = timeout or ("10s" if isolate else _NO_LIMIT)
    run = _Run(put, isolate, limit)
    if Settings.repro:
        return run.judge([Settings.repro], remember=False)
    known = [*_examples.get(), *run.remembered()]
    if known:
        run.judge(known)
    chosen = Settings.seed if Settings.seed is not None else seed
    if chosen is None:
        chosen = 1 if os.environ.get("CI") else random.randrange(1 << 32)
    run.campaign(Settings.cases or cases, chosen, where, profile, shrink, illegal)


class _Run:
    def __init__(self, target: Target, isolate: bool, timeout: str):
        self.target, self.isolate, self.timeout = target, isolate, timeout

    def convict(self, words: list[str]) -> Output:
        output = run_convict([*words, "--oracle=none", "--format=json", f"--timeout={self.timeout}"], [self.target],
                             self.isolate)
        if output.exit_code not in (0, 1, 125):
            raise ProgramMissing(output.err.strip() or f"convict ended with code {output.exit_code}")
        return output

    # ---- Known cases ----

    def file(self) -> Path:
        return Path(Settings.folder) / (re.sub(r"[^\w.-]", "_", self.target.name) + ".cases")

    def remembered(self) -> list[str]:
        return self.file().read_text().splitlines() if self.file().exists() else []

    def remember(self, lines: list[str]) -> None:
        if lines:
            self.file().parent.mkdir(exist_ok=True)
            (self.file().parent / ".gitignore").write_text("*\n")
            self.file().write_text("".join(line + "\n" for line in lines))
        elif self.file().exists():
            self.file().unlink()

    def judge(self, lines: list[str], remember: bool = True) -> None:
        """Judges these cases one by one. What was remembered and is right by now is forgotten."""
        __tracebackhide__ = True
        for line in dict.fromkeys(lines):
            output = self.convict(["repro", line])
            wrong = json.loads(output.out)["mismatches"]
            if wrong:
                raise self.falsified(wrong[0], output)
            if remember:
                self.remember([one for one in self.remembered() if one != line])

    # ---- Sampled cases ----

    def campaign(self, cases: int, seed: int, where: str, profile: str, shrink: str, illegal: float) -> dict:
        __tracebackhide__ = True
        with tempfile.TemporaryDirectory() as folder:
            output = self.convict(["fuzz", "-q", f"--cases={cases}", f"--seed={seed}",
                                   *([f"--profile={profile}"] if profile else []),
                                   *(f"--example={line}" for line in _examples.get()), "--shrink=none",
                                   f"--illegal={illegal}", f"--db={folder}/trial.db",
                                   f"--where={self.narrowed(where)}"])
        report = json.loads(output.out)
        wrong = [one for one in report["mismatches"] if one["blame"] == "target"]
        if wrong:
            simplest = self.simplified(min(wrong, key=lambda one: len(one["case"])), shrink)
            self.remember([simplest["case"], *(one for one in self.remembered() if one != simplest["case"])])
            raise self.falsified(simplest, output, f"found with seed {seed}")
        if report["judged"] == 0 or report["targets"][0]["inconclusive"]:
            raise Refused(self.hardly_judged(report))
        return report

    def simplified(self, mismatch: dict, time: str) -> dict:
        """The simplest case that shows it, and when it fails, as far as that can be told in this time."""
        output = self.convict(["explain", mismatch["case"], f"--time={time}", "-q"])
        if output.exit_code != 1:  # it does not fail any more
            return mismatch
        diagnosis = json.loads(output.out)
        return {**diagnosis["shrunk"], "predicate": diagnosis["predicate"] if diagnosis["complete"] else ""}

    def narrowed(self, where: str) -> str:
        """With what the function cannot take anyway, so that fewer problems are drawn in vain."""
        operations = self.target.signature.operations if self.target.signature else []
        words = [f"{operations[0]}.forward"] if len(operations) == 1 else []
        if len(self.target.dtypes) == 1 and self.target.dtypes[0] in ("f32", "f64", "f16", "bf16"):
            words.append(f"dt={self.target.dtypes[0]}")
        return " ".join([*words, where]).strip()

    @staticmethod
    def hardly_judged(report: dict) -> str:
        blocks = report["targets"][0]["blocked_by"]
        reasons = [one["reason"] for one in report["refusals"][:3]] + ([blocks] if blocks else [])
        reasons = ", ".join(dict.fromkeys(reasons)) or "no reason was given"
        some = "all" if report["judged"] == 0 else f"all but {report['judged']}"
        return f"it refused {some} of {report['cases']} problems: {reasons}"

    def falsified(self, mismatch: dict, output: Output, how: str = "") -> Falsified:
        certificate, verdict, case = mismatch["certificate"], mismatch["verdict"], mismatch["case"]
        lines = [f"{self.target.name}: {verdict}", f'Falsifying example: @convict.example("{case}")']
        if mismatch.get("predicate"):
            lines.append(f"It fails if {mismatch['predicate']}.")
        if "at" in certificate and "got" in certificate:
            at = ",".join(map(str, certificate["at"]))
            lines.append(f"{certificate['role']}[{at}] is {certificate['got']}, exact is {certificate['exact']}, "
                         f"allowed error {certificate['bound']} ({certificate['bound_name']})")
        for key in ("geography", "text", "error", "signal", "exit_code", "operand", "overrun"):
            if key in certificate:
                lines.append(f"{key}: {certificate[key]}")
        lines += [*output.deaths[-1:], *([how] if how else [])]
        error = Falsified("\n  ".join(lines), case, verdict, certificate)
        error.__cause__ = self.cause(json.dumps(certificate))
        return error

    def cause(self, certificate: str) -> Optional[BaseException]:
        """What the function raised, if that is the finding: with its traceback."""
        for text, error in reversed(self.target.errors.items()):
            if json.dumps(text)[1:-1] in certificate:
                return error
        return None
