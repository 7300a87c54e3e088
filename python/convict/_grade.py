# SPDX-License-Identifier: Apache-2.0
"""A verdict in JSON, for pipelines that write kernels automatically: is the function right, and does it only look so?

Known tricks are named: results that are constant; results of earlier calls; changed inputs; a look at the frames of the
caller; and right results for the shape that was shown only."""
from __future__ import annotations

import inspect
import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._findings import Cause
from ._observer import Observer
from ._target import Target, target_of
from ._trial import Run

_PROBES = ("n=2 ic=4 oc=4 in=7 k=3", "ic=3 oc=5 in=9 k=2 s=2", "n=3 ic=2 oc=3 in=6 k=3 p=1 bias", "ic=2 oc=2 in=5 k=1")
_SEEDS = (11, 12, 13)  # the same shapes with other data
_RIGHT_ELSEWHERE = 0.2  # who is right on a smaller share of other shapes is right for what was shown only


def grade(function: Union[Callable[..., Any], Target], like: Optional[str] = None, *, shown: Optional[list[str]] = None,
          cases: int = 500, seed: int = 1, where: str = "", isolate: bool = True, timeout: str = "10s",
          shrink: str = "10s", source: Optional[str] = None, **options: Any) -> dict:
    """Grades a function. `shown` are the cases that its author has seen; what it does on these alone counts nothing.
    `shrink` is how long simplifying the falsifying case may take.

    The result has `verdict` ("right", "wrong" or "unjudged"; never "right" with a trick), `cases` judged, `right` (their
    share), `worst_error` (in units of the proven bound, a power of 2 that it does not exceed; None above it or where all
    were exact), `falsifying` (a case line, or None) with `why` and `fails_if`, all `causes` like that, the most telling
    first, `notes` on what counts for nothing, and `tricks`, each with `name` and `evidence`.

    >>> grade(my_conv2d, like="torch.conv2d", cases=1000)["verdict"]
    'right'
    """
    put = target_of(function, like, options,
                    ("shown", "cases", "seed", "where", "isolate", "timeout", "shrink", "source"))
    run = Run(put, isolate, timeout)
    with tempfile.TemporaryDirectory() as folder:
        grader = _Grader(run, Path(folder), shown or [], source or _source_of(put.function), shrink)
        return grader.grade(cases, seed, where)


def _source_of(function: Any) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code:
        return code.co_filename
    try:
        return inspect.getfile(function if inspect.isclass(function) else type(function))
    except TypeError:
        return ""


class _Grader:
    def __init__(self, run: Run, folder: Path, shown: list[str], source: str, shrink: str):
        self.run, self.folder, self.shown, self.source, self.shrink = run, folder, shown, source, shrink

    def grade(self, cases: int, seed: int, where: str) -> dict:
        right_probes, tricks = self.probe()
        target, causes, notes, worst = self.campaign(cases, seed, where)
        judged, hits = target["judged"], sum(one.hits for one in causes)
        right = (judged - min(hits, judged)) / judged if judged else 0.0
        if right_probes == 1 and right <= _RIGHT_ELSEWHERE:
            evidence = f"right for one shape that was tried, and for {right:.0%} of {judged} other cases"
            tricks.append({"name": "right for one shape only", "evidence": evidence})
        shown = [{"falsifying": one.case, "why": one.verdict, "fails_if": one.fails_if, "cases": one.hits}
                 for one in causes]
        return {
            "verdict": "wrong" if causes or tricks else "right" if judged else "unjudged",
            "name": self.run.target.name,
            "cases": judged,
            "right": round(right, 4),
            "worst_error": worst,
            **{key: shown[0][key] if shown else None for key in ("falsifying", "why", "fails_if")},
            "causes": shown,
            "notes": notes,
            "tricks": tricks,
        }

    # ---- Probes ----

    def lines(self) -> list[str]:
        signature = self.run.target.signature
        operations = signature.operations if signature else ["conv2d", "conv_transpose2d"]
        dtype = self.run.target.dtypes[0]
        problems = [f"{operation} {fields} dt={dtype}" for operation in operations[:2] for fields in _PROBES]
        return [*self.shown, *problems]

    def probe(self) -> tuple[int, list[dict]]:
        """How many of the problems it is right for, whatever the data; and the tricks that show."""
        lines = self.lines()
        file, notes = self.folder / "probes.cases", self.folder / "notes"
        file.write_text("".join(f"{line} fill=normal seed={seed}\n" for line in lines for seed in _SEEDS))
        notes.touch()
        self.run.target.observer = Observer(self.source, str(notes))
        output = self.run.convict(["replay", str(file), "--relations=none"])
        self.run.target.observer = None
        results = json.loads(output.out)["cases"]
        right = sum(all(one["outcome"] == "passed" for one in results[i : i + len(_SEEDS)])
                    for i in range(0, len(results), len(_SEEDS)))
        calls = [json.loads(line) for line in notes.read_text().splitlines()]
        return right, _tricks_in(calls)

    # ---- Sampled cases ----

    def campaign(self, cases: int, seed: int, where: str) -> tuple[dict, list[Cause], list[str], Optional[float]]:
        database = str(self.folder / "grade.db")
        output, causes, notes = self.run.sampled(cases, seed, where, self.shrink, database=database)
        with sqlite3.connect(database) as connection:
            ratios = json.loads(connection.execute("SELECT ratios FROM campaigns").fetchone()[0] or "{}")
        bins = [i for counts in ratios.values() for i, count in enumerate(counts) if count]
        worst = None if not bins else 2.0 ** (max(bins) - 31)  # store-format.md: bins by powers of 2
        return json.loads(output.out)["targets"][0], causes, notes, worst


def _tricks_in(calls: list[dict]) -> list[dict]:
    tricks = []

    def note(name: str, count: int, what: str) -> None:
        if count:
            tricks.append({"name": name, "evidence": f"{count} of {len(calls)} probes: {what}"})

    if calls and all(call["constant"] for call in calls):
        note("constant result", len(calls), "every element of the result is the same number")
    first: dict[str, str] = {}
    repeated = 0
    for call in calls:
        before = first.setdefault(call["result"], call["inputs"])
        repeated += before != call["inputs"] and not call["constant"]
    note("earlier result", repeated, "the bits of the result of an earlier call with other inputs")
    note("inputs changed", sum(call["changed"] for call in calls), "an input was not the same after the call")
    note("looks at frames", sum(call["frames"] for call in calls), "it asked for the frames of its callers")
    return tricks


def grade_module(path: str, **options: Any) -> dict:
    """Grades a file with the interface of KernelBench's convolutions: `Model`, which is right, `ModelNew`, which is on
    trial, `get_inputs` and `get_init_inputs`. ModelNew is made with other arguments of the same names.

    >>> grade_module("solution.py", cases=1000)["verdict"]
    'wrong'
    """
    from ._kernelbench import target_of

    target, shown = target_of(path)
    return grade(target, shown=shown, source=path, **options)
