# SPDX-License-Identifier: Apache-2.0
"""python -m convict fuzz|repro|grade|serve FILE:NAME: functions of a file on trial.

    python -m convict fuzz mine.py:conv2d --like torch.conv2d --cases 1000
    python -m convict repro mine.py:conv2d --like torch.conv2d 'conv2d in=5 k=3'
    python -m convict grade mine.py:conv2d --like torch.conv2d
    python -m convict grade solution.py                     a file with Model and ModelNew (KernelBench)
    convict fuzz --command 'python -m convict serve mine.py:conv2d --like torch.conv2d'"""
from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
from typing import Any

from ._errors import Falsified, ProgramMissing, Refused
from ._grade import grade, grade_module
from ._serve import serve
from ._session import run_convict
from ._target import Target
from ._trial import trial


def named(text: str, options: argparse.Namespace) -> Target:
    """The function FILE:NAME or MODULE:NAME."""
    place, _, name = text.rpartition(":")
    if not place:
        raise ValueError(f"'{text}' is not valid; valid: FILE.py:NAME or MODULE:NAME")
    sys.path.insert(0, os.getcwd())
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
        if spec is None or spec.loader is None or not os.path.exists(place):
            raise ValueError(f"'{place}' does not exist")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    if not hasattr(module, name):
        raise ValueError(f"'{place}' has no '{name}'")
    found = getattr(module, name)
    if isinstance(found, Target):
        return found
    return Target(found, options.like, dtypes=options.dtypes.split(","), xp=options.xp)


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser("python -m convict", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(dest="command", required=True)
    for name, text in (("fuzz", "judge it on sampled problems"), ("repro", "judge it on one case"),
                       ("grade", "a verdict in JSON"), ("serve", "be a client of `convict --command`")):
        one = commands.add_parser(name, help=text)
        one.add_argument("target", help="FILE.py:NAME or MODULE:NAME")
        one.add_argument("--like", help="the signature; `convict.presets()` has all")
        one.add_argument("--dtypes", default="f32", help="comma-separated")
        one.add_argument("--xp", default="numpy", help="module of the arrays: numpy, torch")
        if name in ("fuzz", "grade"):
            one.add_argument("--cases", type=int, default=500)
            one.add_argument("--seed", type=int, default=1)
            one.add_argument("--where", default="", help="narrows the problems: 'g=1 k<=7'")
        if name == "repro":
            one.add_argument("case", nargs="+")
    return whole


def run(options: argparse.Namespace) -> int:
    if options.command == "grade" and ":" not in options.target:
        return show(grade_module(options.target, cases=options.cases, seed=options.seed, where=options.where))
    target = named(options.target, options)
    if options.command == "serve":
        serve([target])
        return 0
    if options.command == "grade":
        return show(grade(target, cases=options.cases, seed=options.seed, where=options.where))
    if options.command == "repro":
        output = run_convict(["repro", "--oracle=none", " ".join(options.case)], [target], isolate=True)
        print(output.out, end="")
        print(output.err, end="", file=sys.stderr)
        return output.exit_code
    trial(target, cases=options.cases, seed=options.seed, where=options.where, isolate=True)
    print(f"{target.name}: right in {options.cases} cases")
    return 0


def show(verdict: dict) -> int:
    print(json.dumps(verdict, indent=1))
    return {"right": 0, "wrong": 1, "unjudged": 125}[verdict["verdict"]]


def main() -> int:
    try:
        return run(parser().parse_args())
    except Falsified as wrong:
        print(wrong)
        return 1
    except Refused as why:
        print(why)
        return 125
    except (ProgramMissing, ValueError, ImportError, OSError) as error:
        print(f"convict: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
