#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performs a change of one kind in a copy of the sources, as CONTRIBUTING.md describes it, and sees its effect.

usage: change_test.py KIND SOURCE BUILD

The edits of KIND have to be in exactly the files that its row in the table of CONTRIBUTING.md names. What depends on
them is compiled with the commands of the build directory, and linked with the object files of that directory.
Exit codes: 0 it worked, 1 it did not, 77 the build directory is not Ninja's.
"""
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
NAME = "scratch"  # of what is added


def run(command, folder, code=0):
    """Its output, both streams. Any other exit code than `code` is a failure."""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    shown = " ".join(map(str, command))
    assert done.returncode == code, f"{shown[:300]}: exit code {done.returncode}, not {code}\n{done.stdout}"
    return done.stdout


def expect(text, part):
    assert part in text, f"there is no '{part}' in:\n{text}"


class Copy:
    """A copy of the sources in which edits are made, and programs built from it."""

    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = source, build, folder
        self.tree = folder / "tree"
        self.edited = set()  # paths within the tree
        for part in ("cmake", "docs", "kernels", "lab", "reports", "src", "tests/relations"):
            shutil.copytree(source / part, self.tree / part)
        for part in ("CMakeLists.txt", "CONTRIBUTING.md"):
            shutil.copy(source / part, self.tree / part)
        (folder / "build").mkdir()
        self.commands = {entry["file"]: entry["command"]
                         for entry in json.loads((build / "compile_commands.json").read_text())}

    def insert(self, path, before, text):
        """Puts `text` before the last match of a pattern."""
        old = (self.tree / path).read_text()
        places = list(re.finditer(before, old, re.MULTILINE))
        assert places, f"there is no '{before}' in {path}"
        at = places[-1].start()
        self.write(path, old[:at] + text + old[at:])

    def add_like(self, path, model, words):
        """A new file that is another one with some words replaced."""
        text = (self.tree / model).read_text()
        for word, ours in words.items():
            assert word in text, f"there is no '{word}' in {model}"
            text = text.replace(word, ours)
        self.write(path, text)

    def write(self, path, text):
        self.edited.add(path)
        (self.tree / path).write_text(text)

    def write_tables(self):
        """What CMakeLists.txt lists of the folders, kernels and the like: the files that differ from the build's."""
        text = (self.tree / "CMakeLists.txt").read_text()
        statements = re.findall(r"^(?:file\(GLOB|write_table\()[^)]*\)", text, re.MULTILINE)
        script = "\n".join(["include(cmake/KernelTable.cmake)"] + statements).replace("CONFIGURE_DEPENDS ", "")
        (self.tree / "tables.cmake").write_text(script.replace("${PROJECT_BINARY_DIR}", str(self.folder / "build")))
        run(["cmake", "-P", "tables.cmake"], self.tree)
        return [table for table in (self.folder / "build").glob("*_table.cpp")
                if table.read_text() != (self.build / table.name).read_text()]

    def dependents(self):
        """Object files of the build, by what they are compiled from, that depend on an edited file."""
        edited = {str(self.source / path) for path in self.edited}
        objects, current = {}, ""
        for line in run(["ninja", "-t", "deps"], self.build).splitlines():
            if not line.startswith(" "):
                current = line.partition(":")[0]
            elif os.path.normpath(self.build / line.strip()) in edited:
                objects[current] = None
        return set(objects)

    def compile(self, command, original, replacement, output):
        """`command` with another source, and the headers of the tree before those it had."""
        words = shlex.split(command)
        words[words.index(original)] = str(replacement)
        words[words.index("-o") + 1] = str(output)
        run(words[:1] + [f"-I{self.tree}", f"-I{self.tree}/src"] + words[1:], self.build)

    def in_tree(self, original):
        """The file of the tree that stands for one of the sources, or for a list of them that are compiled together."""
        if not is_list(original):
            return self.tree / original.relative_to(self.source)
        copy = self.folder / "build" / original.name
        copy.write_text(original.read_text().replace(f'"{self.source}/', f'"{self.tree}/'))
        return copy

    def program(self, target):
        """Compiles what the edits change, and links it with the rest of `target`."""
        link = run(["ninja", "-t", "commands", "-s", target], self.build)
        words = shlex.split(next(part for part in link.split(" && ") if f"-o {target} " in part))
        dependents, jobs = self.dependents(), []

        def compile_later(original, replacement, replaces=None):
            output = self.folder / "build" / (replaces or replacement.name).replace("/", "_")
            output = output.with_suffix(".o")
            jobs.append((self.commands[original], original, replacement, output))
            if replaces:
                words[words.index(replaces)] = str(output)
            else:
                words.insert(words.index("-o"), str(output))

        objects = {word: source for source, command in self.commands.items() for word in [output_of(command)]
                   if word in words}
        for name, original in objects.items():
            if name in dependents:
                compile_later(original, self.in_tree(Path(original)), name)
        for table in self.write_tables():
            original = str(self.build / table.name)
            compile_later(original, table, output_of(self.commands[original]))
        for path in sorted(self.edited):
            if path.endswith(".cpp") and not (self.source / path).exists():
                folder = (self.source / path).parent
                sibling = next(one for one in self.commands if folder in folders_of(Path(one)))
                compile_later(sibling, self.tree / path)
        assert jobs, "the edits change nothing"
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda job: self.compile(*job), jobs))
        words[words.index(target, words.index("-o"))] = str(self.folder / target)
        run(words, self.build)
        return self.folder / target


def is_list(source):
    """Whether CMake has written it to include several files of a folder (CONVICT_UNITY)."""
    return source.parent.name == "Unity"


def folders_of(source):
    """Where the file that the compiler gets, or the files that it includes, stand."""
    if not is_list(source):
        return {source.parent}
    return {Path(included).parent for included in re.findall(r'#include "(.*)"', source.read_text())}


def output_of(command):
    words = command.split()
    return words[words.index("-o") + 1]


def kernel(copy):
    copy.add_like(f"kernels/{NAME}.cpp", "kernels/direct.cpp",
                  {"kernel_direct": f"kernel_{NAME}", '"direct"': f'"{NAME}"'})
    copy.insert("docs/background/kernels.md", r"^\| `auto` \|", f"| `{NAME}` | the loops once more | everything |\n")
    convict = copy.program("convict")
    expect(run([convict, "list"], copy.folder), NAME)
    fuzz(convict, copy.folder, "--target", NAME)


def relation(copy):
    copy.add_like(f"src/relations/{NAME}.cpp", "src/relations/batch_split.cpp",
                  {"relation_batch_split": f"relation_{NAME}", '"batch-split"': f'"{NAME}"'})
    copy.insert("tests/relations/relations_fire_test.cpp", r'^ *\{"stride-stuffing"',
                f'{{"{NAME}", "mutants_b", "B10", "conv2d n=2 in=3 k=2", "image", {{1, 0, 0, 0}}}},\n')
    copy.insert("docs/background/relations.md", r"^\| `sign-flip` \|",
                f"| `{NAME}` | batch-split once more | two images | nothing |\n")
    tests = copy.program("convict_tests")
    wanted = ["Relations.AreListedByName", f"Relations/Fires.*/{NAME}_B10", f"Relations/Silence.*/{NAME}_direct"]
    expect(run([tests, "--gtest_filter=" + ":".join(wanted)], copy.folder), "[  PASSED  ] 4 tests")


def report_format(copy):
    copy.add_like(f"reports/{NAME}.cpp", "reports/jsonl.cpp",
                  {"report_jsonl": f"report_{NAME}", '"jsonl"': f'"{NAME}"'})
    copy.insert("docs/reports.md", r"^\| `jsonl` \|", f"| `{NAME}` | the same once more | nobody | yes |\n")
    convict = copy.program("convict")
    fuzz(convict, copy.folder, "--target", "direct")
    expect(run([convict, "report", "--format", NAME], copy.folder), '"type":"campaign"')
    expect(run([convict, "report", "--help"], copy.folder), NAME)


def flag_of_fuzz(copy):
    copy.insert("src/cli/fuzz_options.h", r"^  int jobs = 1;", f"  uint64_t {NAME} = 0;\n")
    copy.insert("src/cli/fuzz_options.cpp", r"^    flag<&FuzzOptions::resume>",
                f'    flag<&FuzzOptions::{NAME}>("--{NAME}", Resumed::kFixed, "{NAME}", "Cases to leave out", '
                "unsigned_only),\n")
    copy.insert("src/cli/fuzz.cpp", r"^  return settings;", f"  settings.start += options.{NAME};\n")
    convict = copy.program("convict")
    expect(run([convict, "fuzz", "--help"], copy.folder), f"--{NAME}")
    fuzz(convict, copy.folder, "--target", "direct", f"--{NAME}", "7")
    with sqlite3.connect(copy.folder / "convict.db") as database:
        assert database.execute(f"SELECT flags ->> '{NAME}' FROM campaigns").fetchone() == (7,)
        database.execute("UPDATE campaigns SET state = 'interrupted'")
    resume = [convict, "fuzz", "--resume", "-q"]
    expect(run(resume + [f"--{NAME}", "8"], copy.folder, code=2), f"--{NAME}: campaign 1 was started with 7, not 8")
    expect(run(resume, copy.folder), "resumed campaign 1 after 3 cases")


def fuzz(convict, folder, *flags):
    run([convict, "fuzz", "--oracle", "none", "--cases", "3", "--shrink", "none", "-q", *flags], folder)


KINDS = {"kernel": kernel, "relation": relation, "report format": report_format, "flag of `fuzz`": flag_of_fuzz}


def named_files(contributing, kind):
    """The files in the second column of the row "a KIND"."""
    row = re.search(rf"^\| a {re.escape(kind)} \|([^|]*)\|", contributing, re.MULTILINE)
    assert row, f"CONTRIBUTING.md has no row for a {kind}"
    return {path.replace("<name>", NAME) for path in re.findall(r"`([^`]*/[^`]*)`", row[1])}


def main(name, source, build):
    kind = next(one for one in KINDS if re.sub(r"\W+", "_", one).strip("_") == name)
    if not (build / "build.ninja").exists() or not shutil.which("ninja"):
        print("needs a build directory of Ninja's")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(source, build, Path(folder))
        KINDS[kind](copy)
        named = named_files((copy.tree / "CONTRIBUTING.md").read_text(), kind)
        assert copy.edited == named, f"CONTRIBUTING.md names {sorted(named)}, but edited were {sorted(copy.edited)}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
