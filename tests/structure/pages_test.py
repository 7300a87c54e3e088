#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages hold together: links lead somewhere, pages that code names are there, each page for users is short and can
be reached from the README, the pages together stay short, and so do the programs that the findings show.

pages_test.py SOURCE_DIR CHECK [CONVICT], with a CHECK of the functions below. Prints what is wrong, a line each."""
import functools
import re
import subprocess
import sys
from pathlib import Path

LONGEST_PAGE, ALL_PAGES = 1500, 44000  # words
LONGEST_PROGRAM = 25  # lines that are not empty
NOT_FOR_USERS = {"docs/design.md"}  # a map of the whole source tree
HARD_TO_READ = r"\b(nobody|somebody|anybody|everybody|whoever|whose|whom)\b"


def tracked(root):
    """Paths of the repository's text files, from the root."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for path in listed if (root / path).is_file() and not path.endswith((".png", ".onnx", ".pb", ".npz"))]


def pages(root):
    """Documents but for the changelog and the findings, which a command writes."""
    return [path for path in tracked(root) if path in ("README.md", "CONTRIBUTING.md") or
            re.fullmatch(r"docs/(?!findings/).*\.md", path)]


def for_users(root):
    return [path for path in pages(root) if path == "README.md" or
            re.fullmatch(r"docs/[^/]*\.md", path) and path not in NOT_FOR_USERS]


def without_tables(path):
    """The text of a page without tables that commands write."""
    return re.sub(r"<!-- (?:measured|throughput) -->.*?<!-- end -->", "", path.read_text(), flags=re.S)


def prose(text):
    """The text without blocks and spans of code, and without addresses of links."""
    return re.sub(r"```.*?\n```|~~~.*?\n~~~|`[^`]*`|\]\([^)]*\)|<!--.*?-->", " ", text, flags=re.S)


def anchors(text):
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?\n```", "", text, flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root):
    """Each relative link leads to a file, and to a heading of it."""
    for path in [path for path in tracked(root) if path.endswith(".md") and not path.startswith("tests/golden")]:
        text = re.sub(r"```.*?\n```|`[^`\n]*`", "", (root / path).read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            to, _, anchor = link.partition("#")
            target = (root / path).parent / to if to else root / path
            if not target.exists():
                yield f"{path}: {link} leads nowhere"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                yield f"{path}: {link}: there is no such heading"


def check_names(root):
    """A page that a file names by its path is there."""
    for path in tracked(root):
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue
        for name in set(re.findall(r"(?<![\w/.-])docs/[\w/.-]*?\.md\b", text)):
            if not (root / name).exists():
                yield f"{path}: there is no {name}"


def check_length(root):
    """Pages for users are short, and so are all pages together, without tables that commands write."""
    words = {path: len(without_tables(root / path).split()) for path in pages(root)}
    for path in for_users(root):
        if words[path] >= LONGEST_PAGE:
            yield f"{path} has {words[path]} words; a page for users has less than {LONGEST_PAGE}"
    if sum(words.values()) > ALL_PAGES:
        yield f"all pages together have {sum(words.values())} words, more than {ALL_PAGES}"


def check_doors(root):
    """Each page for users can be reached from the first screen of the README."""
    screen = (root / "README.md").read_text().split("\n## ")[0]
    linked = set(re.findall(r"\]\(([^)#\s]+)", screen))
    for path in for_users(root):
        if path != "README.md" and path not in linked:
            yield f"the first screen of the README has no link to {path}"


def check_programs(root):
    """A program that a report of a known cause shows is short enough to be read there."""
    programs = [path for path in sorted((root / "corpus/known/reproducers").iterdir())
                if path.suffix not in (".out", ".diff")]
    for path in programs:
        lines = sum(line.strip() != "" for line in path.read_text().splitlines())
        if lines > LONGEST_PROGRAM:
            yield f"{path.relative_to(root)} has {lines} lines that are not empty, more than {LONGEST_PROGRAM}"
    if len(programs) < 100:
        yield f"there are {len(programs)} programs: this check sees too little"


@functools.lru_cache(None)
def help_of(program, *command):
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def check_commands(root):
    """A command that a page shows has the options that the page gives it."""
    program = sys.argv[3]
    commands = set(re.findall(r"^  ([a-z-]+)  ", help_of(program), re.M))
    for path in pages(root):
        text = re.sub(r"-m convict[^\n]*", "", (root / path).read_text())  # that is Python's
        for command, rest in re.findall(r"(?<![\w/.-])convict ([a-z-]+)((?:[^\n`|;&]|\\\n)*)", text):
            for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"'[^']*'", "", rest)):
                if command in commands and not re.search(rf"(^|[\s,]){option}\b", help_of(program, command), re.M):
                    yield f"{path}: convict {command} has no option {option}"


def check_words(root):
    """Pages for users say who does what."""
    for path in for_users(root):
        for word in re.findall(HARD_TO_READ, prose(without_tables(root / path)), re.I):
            yield f"{path}: '{word}': name the subject"


def main():
    root = Path(sys.argv[1]).resolve()
    wrong = list(globals()["check_" + sys.argv[2]](root))
    print("\n".join(wrong) if wrong else f"{sys.argv[2]}: fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
