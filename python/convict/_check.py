# SPDX-License-Identifier: Apache-2.0
"""convict-check: a kernel on trial, as a job of CI does it: a campaign that goes on with the database of the last one,
reports in files, and a red end.

    convict-check mine.py:conv2d --like torch.conv2d      a function in Python
    convict-check mine.so                                 a library with the C ABI
    convict-check mine.so --baseline                      red only for what the database did not have before
    convict-check mine.so -- --oracle torch -j 2          flags of `convict fuzz`

The folder of reports has junit.xml and summary.md. Exit codes are those of `convict fuzz`: 0 clean, 1 a new cause, 125
judged on too little."""
from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from ._errors import Parser, ProgramMissing
from ._program import find_program


def parser() -> argparse.ArgumentParser:
    one = Parser("convict-check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    one.add_argument("target", help="FILE.py:NAME, MODULE:NAME, or a shared library")
    one.add_argument("--like", help="the signature of a function, as of torch.conv2d")
    one.add_argument("--xp", help="module of a function's arrays: numpy, torch [numpy]")
    one.add_argument("--dtypes", help="of a function, comma-separated [f32]")
    one.add_argument("--cases", type=int, default=1000)
    one.add_argument("--db", default="convict.db", help="is kept from run to run")
    one.add_argument("--reports", default="convict-reports", type=Path, help="folder for them")
    one.add_argument("--baseline", action="store_true", help="what the database has is known, and red is what is new")
    return one


def flags_of(target: str, options: argparse.Namespace) -> list[str]:
    """Of `convict fuzz`, for this target."""
    if ":" not in target:
        return ["--plugin", os.path.join(".", target)]  # an absolute path stays one
    given = {"like": options.like, "xp": options.xp, "dtypes": options.dtypes}  # not those of a convict.target
    words = [sys.executable, "-m", "convict", "serve", target, *(f"--{key}={one}" for key, one in given.items() if one)]
    return ["--command", shlex.join(words), "--illegal=0"]  # a function need not check what it is called with


class Convict:
    """The program, and a database."""

    def __init__(self, database: str):
        self.program, self.database = find_program(), database

    def run(self, *words: str) -> int:
        return subprocess.run([self.program, *words, f"--db={self.database}"], check=False).returncode

    def accept_all(self) -> None:
        """What is new in the database is known from now on."""
        question = [self.program, "list", "causes", "--status=new", "--format=json", f"--db={self.database}"]
        listed = subprocess.run(question, check=True, capture_output=True, text=True).stdout
        causes = [str(row["id"]) for row in json.loads(listed)]
        if causes:
            self.run("triage", "cause", *causes, "--status=known", "--note=in the database before this run")


def check(options: argparse.Namespace, flags: list[str]) -> int:
    convict = Convict(options.db)
    options.reports.mkdir(parents=True, exist_ok=True)
    if options.baseline and os.path.exists(options.db):
        convict.accept_all()
    result = options.reports / "fuzz.json"
    result.unlink(missing_ok=True)
    code = convict.run("fuzz", *flags_of(options.target, options), f"--cases={options.cases}", "--format=json",
                       f"--output={result}", *flags)
    if not result.exists():  # it has said why
        return code
    campaign = str(json.loads(result.read_text())["campaign"])
    for form, name in (("junit", "junit.xml"), ("markdown", "summary.md")):
        convict.run("report", f"--campaign={campaign}", f"--format={form}", f"--output={options.reports / name}")
    print((options.reports / "summary.md").read_text())
    return code


def main() -> int:
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    try:
        return check(parser().parse_args(words[:end]), words[end + 1:])
    except (ProgramMissing, OSError) as error:
        print(f"convict-check: {error}", file=sys.stderr)
        return 2
