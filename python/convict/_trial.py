# SPDX-License-Identifier: Apache-2.0
"""A function on trial: known examples first, then a campaign."""
from __future__ import annotations

import contextvars
import functools
import json
import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._errors import Falsified, Note, Refused, WrongUse
from ._findings import Cause, causes_in, told
from ._kept import KeptCases
from ._session import Output, in_a_copy, run_convict
from ._target import Target, target_of

_NO_LIMIT = "24h"  # for a call in this process, where a debugger may stop it


class Settings:
    """What the pytest plugin sets for all trials."""

    cases: Optional[int] = None
    seed: Optional[int] = None
    repro: Optional[str] = None
    folder = ".convict"  # where falsifying cases are kept
    terminal = 2  # the descriptor where progress is shown, if it is a terminal
    elsewhere: Optional[int] = None  # where it is shown if not


_examples: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("examples", default=())


def example(line: str) -> Callable:
    """Of a test: its trials judge this case first.

    >>> @example("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0")
    ... def test_mine():
    ...     convict.trial(mine, like="torch.conv_transpose2d")
    """
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
          profile: str = "", shrink: str = "10s", illegal: float = 0, **options: Any) -> None:
    """Judges a function on sampled problems. Raises Falsified if it is wrong on one, with all causes that were found,
    each with its simplest case; warns (convict.Note) of what it is not convicted of.

    `like` names the signature (`convict.presets()`); without it, parameters such as `stride` are passed by name; a
    function without such is called as f(problem, tensors), and writes the outputs. What it takes is found out by
    asking: it raises Refused for the rest, and an `example` of a test tells where to look. `where` and `profile` narrow
    the problems: "g=1 k<=7", "grouped". `isolate` calls the function in a copy of this process, which may crash or take
    longer than `timeout`. Other options are those of `Target`.

    >>> trial(my_conv2d, like="torch.conv2d", cases=500)
    >>> trial(my_conv2d, like="torch.conv2d", dtypes=["f16"], xp="torch", where="g=1", isolate=True)
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not ours
    put = target_of(function, like, options, ("cases", "seed", "where", "isolate", "timeout", "profile", "shrink",
                                              "illegal"))
    run = Run(put, isolate, timeout or ("10s" if isolate else _NO_LIMIT))
    if Settings.repro:
        return run.judge([Settings.repro])
    run.judge_known(where)
    chosen = Settings.seed if Settings.seed is not None else seed
    if chosen is None:
        chosen = 1 if os.environ.get("CI") else random.randrange(1 << 32)
    for note in run.campaign(Settings.cases or cases, chosen, where, shrink, profile, illegal).notes:
        warnings.warn(f"{put.name}: {note}", Note, stacklevel=2)
    return None


class Judged:
    """What a campaign that convicts nobody has seen."""

    def __init__(self, cases: int, notes: list[str]):
        self.cases, self.notes = cases, notes


class Run:
    """A target, and how it is called. Raises WrongUse if it cannot be called like this, Refused if not on this
    machine."""

    def __init__(self, target: Target, isolate: bool, timeout: str):
        self.target, self.isolate, self.timeout = target, isolate, timeout
        self.kept = KeptCases(Settings.folder, target.place)
        kind, _, why_not = (in_a_copy(_wrong_use_of, target) if isolate else _wrong_use_of(target)).partition(" ")
        if why_not:
            raise Refused(why_not) if kind == Refused.__name__ else WrongUse(why_not)

    def convict(self, words: list[str]) -> Output:
        output = run_convict([*words, "--oracle=none", "--format=json", f"--timeout={self.timeout}"], [self.target],
                             self.isolate, (Settings.terminal, Settings.elsewhere))
        if output.exit_code not in (0, 1, 125):
            raise WrongUse(output.trouble() or f"convict ended with code {output.exit_code}")
        return output

    # ---- Given cases ----

    def judge_known(self, where: str) -> None:
        """Examples of the test, and cases that were kept, as far as they are asked for. What is right by now is
        dropped."""
        __tracebackhide__ = True
        self.judge([*_examples.get()])
        right = self.judge(self.kept.lines(), self.narrowed(where))
        self.kept.remove(right)

    def judge(self, lines: list[str], where: str = "") -> list[str]:
        """Judges these cases, without those that are not `where`. Returns those that are right."""
        __tracebackhide__ = True
        if not lines:
            return []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "given.cases"
            file.write_text("".join(line + "\n" for line in lines))
            output = self.convict(["replay", str(file), "--relations=all", *([f"--where={where}"] if where else [])])
        judged = json.loads(output.out)["cases"]
        wrong = [Cause.of_row(row) for one in judged for row in one["mismatches"] if row["blame"] == "target"]
        if wrong:
            raise self.falsified(wrong, [], output)
        right = {one["case"] for one in judged if one["outcome"] == "passed"}
        return [line for line in lines if line in right]

    # ---- Sampled cases ----

    def campaign(self, cases: int, seed: int, where: str, shrink: str, profile: str = "",
                 illegal: float = 0) -> Judged:
        __tracebackhide__ = True
        output, causes, notes = self.sampled(cases, seed, where, shrink, profile, illegal)
        report = json.loads(output.out)
        examples = [one for one in report["notes"] if one.startswith("--example ")]  # that it refused
        if causes:
            self.kept.add(one.case for one in causes)
            raise self.falsified(causes, notes + examples, output, f"found with seed {seed}")
        if not notes and (report["judged"] == 0 or report["targets"][0]["inconclusive"]):
            raise Refused("; ".join([self.hardly_judged(report), *examples]))
        return Judged(report["targets"][0]["judged"], notes + examples)

    def sampled(self, cases: int, seed: int, where: str, shrink: str, profile: str = "", illegal: float = 0,
                database: str = "") -> tuple[Output, list[Cause], list[str]]:
        """What the program says of sampled cases, and what it has found."""
        with tempfile.TemporaryDirectory() as folder:
            output = self.convict(["fuzz", f"--cases={cases}", f"--seed={seed}", f"--shrink={shrink}",
                                   *([f"--profile={profile}"] if profile else []),
                                   *(f"--example={line}" for line in _examples.get()), f"--illegal={illegal}",
                                   f"--db={database or folder + '/trial.db'}", f"--where={self.narrowed(where)}"])
        causes, notes = causes_in(json.loads(output.out), self.target.is_like_torch())
        if causes and not causes[0].fails_if and shrink != "none":
            causes[0] = self.simplified(causes[0], where, shrink)
        return output, causes, notes

    def simplified(self, cause: Cause, where: str, time_limit: str) -> Cause:
        """The simplest case so far: what the campaign had no time to explain, it leaves as it was. It keeps away from what
        is a note."""
        elements = "n>=1 ic>=1" if self.target.is_like_torch() and not cause.has_no_elements() else ""
        output = self.convict(["explain", cause.case, f"--time={time_limit}",
                               f"--where={self.narrowed(f'{where} {elements}')}"])
        found = json.loads(output.out)["shrunk"] if output.exit_code == 1 else None
        return Cause.of_row(found, hits=cause.hits) if found else cause

    def narrowed(self, where: str) -> str:
        """With what the function cannot take anyway, so that fewer problems are drawn in vain."""
        operations = self.target.signature.operations if self.target.signature else []
        words = [f"{operations[0]}.forward"] if len(operations) == 1 else []
        if len(self.target.dtypes) == 1 and self.target.dtypes[0] in ("f32", "f64", "f16", "bf16"):
            words.append(f"dt={self.target.dtypes[0]}")
        return " ".join([*words, where]).strip()

    def hardly_judged(self, report: dict) -> str:
        blocks = report["targets"][0]["blocked_by"]
        most = sorted(report["refusals"], key=lambda one: -one["count"])[:3]
        reasons = [f"{one['reason']} ({one['count']} times)" for one in most]
        if blocks and blocks not in {one["reason"] for one in most}:
            reasons.append(blocks)
        reasons = ", ".join(reasons) or "no reason was given"
        some = "all" if report["judged"] == 0 else f"all but {report['judged']}"
        return f"{self.target.name}: it refused {some} of {report['cases']} problems: {reasons}"

    def falsified(self, causes: list[Cause], notes: list[str], output: Output, how: str = "") -> Falsified:
        rest = [*output.deaths[-1:], *([how] if how else [])]
        error = Falsified(told(self.target.name, causes, notes, rest), causes)
        error.__cause__ = self.cause(json.dumps(causes[0].certificate))
        return error

    def cause(self, certificate: str) -> Optional[BaseException]:
        """What the function raised, if that is the finding: with its traceback."""
        for text, error in reversed(self.target.errors.items()):
            if json.dumps(text)[1:-1] in certificate:
                return error
        return None


def _wrong_use_of(target: Target) -> str:
    """The name of the error, and what it says; a copy of this process can return no more than a text."""
    try:
        target.check()
    except (Refused, WrongUse) as why:
        return f"{type(why).__name__} {why}"
    return ""
