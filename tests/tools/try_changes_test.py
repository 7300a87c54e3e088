#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/try_changes.py on a library that is made up, and changes that repair it or do not: try_changes_test.py
SOURCE_DIR"""
import pathlib
import subprocess
import sys
import tempfile
import venv

TOOL = pathlib.Path(sys.argv[1]) / "tools" / "try_changes.py"
LIBRARY = "def half(number):\n    return number // 3\n"
PROGRAM = "import sys\n\nimport made_up\n\nprint(made_up.half(6))\nsys.exit(0 if made_up.half(6) == 3 else 1)\n"
PATHS = "Not tried.\n--- a/python/made_up/{0}\n+++ b/python/made_up/{0}\n"
REPAIRS = PATHS.format("__init__.py") + "@@ -2 +2 @@\n-    return number // 3\n+    return number // 2\n"
CHANGES = (
    # a diff, the exit code of the tool, a word that it prints
    (REPAIRS, 0, "repaired"),
    (PATHS.format("__init__.py") + "@@ -0,0 +1 @@\n+# a comment\n", 1, "NOT GOOD"),
    (REPAIRS.replace("// 3", "// 4"), 1, "does not fit"),
    (REPAIRS + "@@ -2,0 +3,21 @@\n" + 21 * "+# a comment\n", 1, "more than 20"),
    (REPAIRS.replace(".py", ".cc"), 125, "skipped"),
)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        programs = tree / "corpus" / "known" / "reproducers"
        programs.mkdir(parents=True)
        (programs / "made-up.py").write_text(PROGRAM)
        venv.create(tree / "build" / "venvs" / "made", symlinks=True)
        package = next((tree / "build" / "venvs" / "made").glob("lib/python3.*/site-packages")) / "made_up"
        package.mkdir()
        (package / "__init__.py").write_text(LIBRARY)
        for diff, code, word in CHANGES:
            (programs / "made-up.diff").write_text(diff)
            done = subprocess.run([sys.executable, TOOL, "--tree", tree], capture_output=True, text=True)
            if done.returncode != code or word not in done.stdout:
                sys.exit(f"exit code {done.returncode}, not {code}:\n{done.stdout}{done.stderr}of the change\n{diff}")
        if (package / "__init__.py").read_text() != LIBRARY:
            sys.exit("the installed library is another one now")


if __name__ == "__main__":
    main()
