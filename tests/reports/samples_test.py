#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The samples of docs/reports.md are what the program prints about the campaign of the README.

samples_test.py CONVICT SOURCE_DIR [--write]     compares them, or writes them into the page

Exit codes: 0 they are, 1 they are not, 77 jq is not installed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, folder, convict):
    path = f"{convict.parent}:{os.environ['PATH']}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PATH": path, "CPATH": "include"})
    return done.stdout


def campaign(convict, root, folder):
    """Compiles the kernel of the README and runs its first campaign, with time to explain what it finds."""
    readme = (root / "README.md").read_text()
    (folder / "mine.cpp").write_text(re.search(r"```cpp\n(.*?)```", readme, re.S)[1])
    (folder / "include/convict").mkdir(parents=True)
    shutil.copy(root / "src/abi/convict.h", folder / "include/convict")
    for command in re.findall(r"^\$ (c\+\+ .*|convict fuzz .*)$", readme, re.M):
        run(command + (" --shrink 10m" if "fuzz" in command else ""), folder, convict)


def lasting(text):
    """Without what depends on how many causes are known, and on how many cases an explanation was tried."""
    return re.sub(r"cause \d+", "cause N", re.sub(r"but for \d+ of \d+", "but for N of N", text))


def main():
    convict, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if not shutil.which("jq"):
        print("skipped: jq is not installed")
        return 77
    page = root / "docs/reports.md"
    text = written = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        campaign(convict, root, pathlib.Path(folder))
        for block in re.findall(r"```\n(\$ convict .*?)```", text, re.S):
            command = block.split("\n")[0][2:]
            written = written.replace(block, f"$ {command}\n{run(command, folder, convict)}")
    if "--write" in sys.argv:
        page.write_text(written)
        return 0
    if lasting(written) == lasting(text):
        return 0
    print("docs/reports.md shows something else; samples_test.py --write writes:\n" + written)
    return 1


if __name__ == "__main__":
    sys.exit(main())
