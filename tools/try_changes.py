#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the changes that we propose to libraries repair what they are for?

    tools/try_changes.py                        all that can be tried here
    tools/try_changes.py tvm-gradient-dilation  that of one known cause

A change is corpus/known/reproducers/CAUSE.diff, beside the program that shows the cause. It can be tried where it
changes Python files of a library that is installed in build/venvs: the program is run with the library as it is, and
with a copy of the package in which these files are changed. A line says for each what came of it. Exit code 0: each
program is wrong without its change (exit code 1, or a signal), and right with it. 1: one is not. 125: none is tried.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES = 20
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


class DoesNotFit(Exception):
    """A change that is not of the installed version."""


def files_of(diff):
    """The path of each file that a unified diff changes, and the lines of its hunks."""
    files = {}
    for line in diff.splitlines():
        if line.startswith("+++ "):
            hunks = files.setdefault(line.split()[1].removeprefix("b/"), [])
        elif files and not line.startswith("--- "):
            hunks.append(line)
    return files


def changed_lines(files):
    """How many lines a reader of the diff has to compare: those added, or those removed if they are more."""
    return sum(max(sum(line.startswith(sign) for line in hunks) for sign in "+-") for hunks in files.values())


def changed(text, hunks):
    """The text of a file with these hunks. Raises DoesNotFit."""
    before, after, at = text.splitlines(), [], 0
    for line in hunks:
        if start := HUNK.match(line):
            # Of a hunk without old lines, the number is that of the line before it.
            first = int(start[1]) - (0 if start[2] == "0" else 1)
            after += before[at:first]
            at = first
        elif line.startswith("+"):
            after.append(line[1:])
        elif at < len(before) and line[1:] == before[at]:
            after += [before[at]] if line.startswith(" ") else []
            at += 1
        else:
            raise DoesNotFit(f"line {at + 1} is another one")
    return "\n".join(after + before[at:]) + "\n"


def installed(packages, path):
    """Where a Python file of the project's repository lies in site-packages, from there; None if it does not."""
    parts = pathlib.PurePosixPath(path).parts if path.endswith(".py") else ()
    for place in (pathlib.Path(*parts[start:]) for start in range(len(parts) - 1)):
        if (packages / place).is_file():
            return place
    return None


def copy_with(packages, files, folder):
    """Copies the packages of these files into a folder, by links, and changes the files there. Raises DoesNotFit."""
    for place, hunks in files.items():
        package = place.parts[0]
        if not (folder / package).exists():
            shutil.copytree(packages / package, folder / package, copy_function=os.link, symlinks=True)
        text = changed((packages / place).read_text(), hunks)
        (folder / place).unlink()  # the link: what it leads to stays as it is
        (folder / place).write_text(text)


def ran(python, program, path=None):
    """The exit code of the program, and the last line that it printed; with packages from this path, if any."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1"}
    if path:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run([python, "-W", "ignore", program], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, (done.stdout.strip().splitlines() or [""])[-1]


def tried(tree, diff):
    """What came of a change: whether it is a good one, or None if it cannot be tried here; and in words."""
    files = files_of(diff.read_text())
    if changed_lines(files) > MOST_LINES:
        return False, f"changes {changed_lines(files)} lines, more than {MOST_LINES}"
    program = diff.with_suffix(".py")
    environment = tree / "build" / "venvs" / diff.name.split("-")[0]
    packages = next(environment.glob("lib/python3.*/site-packages"), None)
    if not program.exists() or packages is None:
        return None, "its library is not here, or is not called from Python"
    places = {installed(packages, path): hunks for path, hunks in files.items()}
    if None in places or not places:
        return None, "it changes what the package has no source of"
    python = environment / "bin" / "python"
    with tempfile.TemporaryDirectory(dir=tree / "build", prefix="changed-") as folder:
        try:
            copy_with(packages, places, pathlib.Path(folder))
        except DoesNotFit as error:
            return False, f"does not fit the installed version: {error}"
        without, _ = ran(python, program)
        with_it, last = ran(python, program, folder)
    is_good = (without == 1 or without < 0) and with_it == 0
    return is_good, f"exit code {without} without it, {with_it} with it: {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("causes", nargs="*", metavar="CAUSE")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help="default: the one that this script is in")
    options = parser.parse_args()
    folder = options.tree / "corpus" / "known" / "reproducers"
    diffs = [folder / f"{cause}.diff" for cause in options.causes] or sorted(folder.glob("*.diff"))
    results = []
    for diff in diffs:
        if not diff.exists():
            raise SystemExit(f"no change is proposed for {diff.stem}")
        is_good, words = tried(options.tree, diff)
        results.append(is_good)
        print(f"{ {True: 'repaired', False: 'NOT GOOD', None: 'skipped'}[is_good]:<9} {diff.stem}: {words}", flush=True)
    if False in results:
        sys.exit(1)
    sys.exit(0 if True in results else 125)


if __name__ == "__main__":
    main()
