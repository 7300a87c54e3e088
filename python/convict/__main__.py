# SPDX-License-Identifier: Apache-2.0
"""python -m convict fuzz|repro|grade|serve FILE:NAME: functions of a file on trial.

    python -m convict fuzz mine.py:conv2d --cases 1000
    python -m convict repro mine.py:conv2d 'conv2d in=5 k=3'
    python -m convict grade mine.py:conv2d
    python -m convict grade solution.py                     a file with Model and ModelNew (KernelBench)
    convict fuzz --command 'python -m convict serve mine.py:conv2d'

--like and the other options of a function need not be given for one that @convict.target has them for."""
from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import json
import os
import sys
import traceback
from typing import Any, Optional

from ._errors import Falsified, Parser, ProgramMissing, Refused, WrongUse
from ._grade import grade, grade_module
from ._serve import serve
from ._session import in_a_copy, run_convict
from ._target import Target, target_of
from ._trial import Run, Settings
from ._use import functions_in


def named(text: str, options: argparse.Namespace) -> Target:
    """The function FILE:NAME or MODULE:NAME."""
    place, _, name = text.rpartition(":")
    if not place:
        file = name if name.endswith(".py") else f"{name}.py"
        names = functions_in(file)
        raise WrongUse(f"'{text}' is not valid; valid: " + (f"{file}:NAME, with NAME one of {', '.join(names)}" if names
                                                           else "FILE.py:NAME or MODULE:NAME"))
    module = imported(place)
    if not hasattr(module, name):
        names = functions_in(module.__file__ or "") or [one for one in vars(module) if callable(getattr(module, one))]
        near = difflib.get_close_matches(name, names, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise WrongUse(f"'{place}' has no '{name}'{hint}; valid: {', '.join(names) or 'a function that it defines'}")
    function = getattr(module, name)
    given: dict[str, Any] = {} if isinstance(function, Target) else {"name": name}
    if options.dtypes:
        given["dtypes"] = options.dtypes.split(",")
    if options.xp:
        given["xp"] = options.xp
    if options.device:
        given["device"] = options.device
    target = target_of(function, options.like, given)
    target.place = (module.__file__ or place, name)
    return target


def imported(place: str) -> Any:
    """The module of a file, or of its name."""
    sys.path.insert(0, os.getcwd())
    if not place.endswith(".py"):
        hint = f"; valid: {place}.py:NAME for the file" if os.path.exists(f"{place}.py") else ""
        return _run(place, lambda: importlib.import_module(place), hint)
    if not os.path.isfile(place):
        raise WrongUse(f"'{place}' does not exist; valid: a file with Python code")
    spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
    assert spec is not None and spec.loader is not None  # its name ends in .py
    module = importlib.util.module_from_spec(spec)
    _run(place, lambda: spec.loader.exec_module(module))
    return module


def _run(place: str, load: Any, hint: str = "") -> Any:
    try:
        return load()
    except (Exception, SystemExit) as error:
        at = error.lineno if isinstance(error, SyntaxError) else traceback.extract_tb(error.__traceback__)[-1].lineno
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise WrongUse(f"'{place}' cannot be imported: {text} (line {at}){hint}") from error


def parser() -> argparse.ArgumentParser:
    whole = Parser("python -m convict", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(dest="command", required=True)
    for name, text in (("fuzz", "judge it on sampled problems"), ("repro", "judge it on one case"),
                       ("grade", "a verdict in JSON"), ("serve", "be a client of `convict --command`")):
        one = commands.add_parser(name, help=text)
        one.add_argument("target", help="FILE.py:NAME or MODULE:NAME")
        one.add_argument("--like", help="the signature, such as torch.conv2d; parameters of the usual names need none")
        one.add_argument("--dtypes", help="comma-separated [f32]")
        one.add_argument("--xp", help="module of the arrays: numpy, torch [numpy]")
        one.add_argument("--device", help="where its arrays are copied to: cuda [nowhere]")
        if name in ("fuzz", "grade"):
            one.add_argument("--cases", type=int, default=500)
            one.add_argument("--seed", type=int, default=1)
            one.add_argument("--where", default="", help="narrows the problems: 'g=1 k<=7'")
            one.add_argument("--shrink", default="10s", help="time to simplify and explain what is found [10s]")
        if name == "repro":
            one.add_argument("case", nargs="+")
    return whole


def run(options: argparse.Namespace) -> int:
    sampling = {key: getattr(options, key) for key in ("cases", "seed", "where", "shrink") if hasattr(options, key)}
    if options.command == "grade" and ":" not in options.target:
        return show(grade_module(options.target, **sampling))
    target = named(options.target, options)
    if options.command == "serve":
        missing = in_a_copy(Target.why_no_device, target)  # this process is copied, and must not have initialized it
        if missing:
            raise WrongUse(missing)
        serve([target])
        return 0
    if options.command == "grade":
        return show(grade(target, **sampling))
    judge = Run(target, isolate=True, timeout="60s" if target.device else "10s")  # its first call compiles
    if options.command == "repro":
        output = run_convict(["repro", "--oracle=none", " ".join(options.case)], [target], isolate=True)
        print(output.out, end="")
        print(output.err, end="", file=sys.stderr)
        return output.exit_code
    judge.judge_known(options.where)
    judged = judge.campaign(**sampling)
    print("\n".join([f"{target.name}: right in {judged.cases} cases", *(f"note: {one}" for one in judged.notes)]))
    return 0


def show(verdict: dict) -> int:
    print(json.dumps(verdict, indent=1))
    return {"right": 0, "wrong": 1, "unjudged": 125}[verdict["verdict"]]


def main(words: Optional[list[str]] = None) -> int:
    Settings.elsewhere = 2
    try:
        return run(parser().parse_args(words))
    except Falsified as wrong:
        print(wrong)
        return 1
    except Refused as why:
        print(why)
        return 125
    except (ProgramMissing, WrongUse) as error:
        print(f"convict: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
