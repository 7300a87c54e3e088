#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/transfer.py on a program that is made up: transfer_test.py SOURCE_DIR"""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "tools"))
import transfer  # noqa: E402

# Finds `conv2d` wrong, refuses what it should, and notes what it was asked.
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
if sys.argv[1] == "list":
    print(json.dumps([{"name": f"{one}:a", "lineage": "", "installed": True} for one in ("new", "old")]))
else:
    lines = pathlib.Path(sys.argv[2]).read_text().splitlines()
    with open(FILE, "a") as file:
        print(sys.argv[4], *lines, sep=";", file=file)
    print(json.dumps({"cases": [
        {"origin": f"{sys.argv[2]}:{place + 1}", "implementations": [{"outcome": "agrees"}],
         "mismatches": [{"blame": "target"}] if line.startswith("conv2d") else []}
        for place, line in reversed(list(enumerate(lines)))]}))
"""


class Transfer(unittest.TestCase):
    def asked(self, missing):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cases, program, notes = folder / "some.cases", folder / "program.py", folder / "asked"
            cases.write_text("# first: a title\nconv1d in=1\n\n# second: a title\nconv2d in=1x1\n")
            program.write_text(PROGRAM.replace("FILE", repr(str(notes))))
            program.chmod(0o755)
            transfer.TABLE = folder / "table.json"
            transfer.TABLE.write_text(json.dumps({"old": {"first": "-"}, "gone": {"first": "wrong"}}))
            bugs = {f"{cases}:2": "first: a title", f"{cases}:5": "second: a title"}
            columns = transfer.columns_now(str(program), bugs, [], missing)
            return columns, sorted(notes.read_text().splitlines())

    def test_all(self):
        columns, asked = self.asked(missing=False)
        both = {"first": "right", "second": "wrong"}
        self.assertEqual(columns, {"old": both, "gone": {"first": "wrong"}, "new": both})
        self.assertEqual(asked, ["new:a;conv1d in=1;conv2d in=1x1", "old:a;conv1d in=1;conv2d in=1x1"])

    def test_empty_cells_alone(self):
        columns, asked = self.asked(missing=True)
        self.assertEqual(columns["old"], {"first": "-", "second": "wrong"})
        self.assertEqual(asked, ["new:a;conv1d in=1;conv2d in=1x1", "old:a;conv2d in=1x1"])


if __name__ == "__main__":
    unittest.main()
