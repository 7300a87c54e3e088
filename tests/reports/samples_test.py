#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples on pages are what the program prints: of docs/reports.md about the campaign of the README, of docs/plugins.md
about the plugin there and the same with its mistake, and of docs/case-format.md.

samples_test.py CONVICT SOURCE_DIR [--write]     compares them, or writes them into the pages

Exit codes: 0 they are, 1 they are not, 77 jq, LibTorch or oneDNN is not installed."""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, folder, convict):
    path = f"{convict.parent}:{os.environ['PATH']}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, "PATH": path, "CPATH": "include"})
    return done.stdout


def prepare_reports(root, folder, convict):
    """Compiles the kernel of the README and runs its first campaign, with time to explain what it finds."""
    readme = (root / "README.md").read_text()
    (folder / "mine.cpp").write_text(re.search(r"```cpp\n(.*?)```", readme, re.S)[1])
    for command in re.findall(r"^\$ (c\+\+ .*|convict fuzz .*)$", readme, re.M):
        run(command + (" --shrink 10m" if "fuzz" in command else ""), folder, convict)


def prepare_plugins(root, folder, convict):
    code = re.search(r"```c\n(.*?)```", (root / "docs/plugins.md").read_text(), re.S)[1]
    (folder / "mine.c").write_text(code)
    bad = code.replace("k / (p->oc / p->groups) * channels", "k / channels * channels").replace('"mine"', '"bad"')
    (folder / "bad.c").write_text(bad)
    run("gcc -std=c99 -O2 -shared -fPIC -o bad.so bad.c", folder, convict)


def prepare_nothing(root, folder, convict):
    """The page needs nothing."""


PAGES = {"reports": prepare_reports, "plugins": prepare_plugins, "case-format": prepare_nothing}


def lasting(text):
    """Without what depends on how many causes are known, and on how many cases an explanation was tried."""
    return re.sub(r"cause \d+", "cause N", re.sub(r"but for \d+ of \d+", "but for N of N", text))


def session(block, folder, convict):
    """The block with what its commands print now; campaigns without a limit are shown only."""
    commands = re.findall(r"^\$ (.*)$", block, re.M)
    return "".join(f"$ {one}\n" + ("" if "--time 10m" in one or " replay " in one else run(one, folder, convict))
                   for one in commands)


def written(page, root, convict):
    text = (root / f"docs/{page}.md").read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for header in (folder / "include/convict/convict.h", folder / "src/abi/convict.h"):
            header.parent.mkdir(parents=True)
            shutil.copy(root / "src/abi/convict.h", header)
        PAGES[page](root, folder, convict)
        for block in re.findall(r"```\n(\$ .*?)```", text, re.S):
            text = text.replace(block, session(block, folder, convict))
    return text


def main():
    convict, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    installed = run("convict list implementations", root, convict)
    if not shutil.which("jq") or not all(name in installed for name in ("libtorch:native", "onednn:channels_first")):
        print("skipped: jq, LibTorch or oneDNN is not installed")
        return 77
    wrong = False
    for page in PAGES:
        path, now = root / f"docs/{page}.md", written(page, root, convict)
        if "--write" in sys.argv:
            path.write_text(now)
        elif lasting(now) != lasting(path.read_text()):
            wrong = True
            print(f"{path} shows something else; samples_test.py --write writes what is printed now:")
            print("\n".join(difflib.unified_diff(path.read_text().splitlines(), now.splitlines(), lineterm="", n=1)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
