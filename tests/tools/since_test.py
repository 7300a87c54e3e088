#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/since.py on releases that are made up: since_test.py SOURCE_DIR"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "tools"))
import since  # noqa: E402


class Releases:
    """0.0 to 0.39, of which those before `able`, and `holes`, cannot be asked, and those from `begin` to `end` - 1 have
    the bug. `installed` counts those that were looked at."""

    def __init__(self, able=0, begin=0, end=99, holes=()):
        self.able, self.begin, self.end, self.holes = able, begin, end, holes
        self.versions = [f"0.{number}" for number in range(40)]
        self.installed = set()

    def answer(self, version):
        self.installed.add(version)
        number = int(version[2:])
        if number < self.able or number in self.holes:
            return "not installed"
        return since.HAS if self.begin <= number < self.end else since.RIGHT


class Since(unittest.TestCase):
    def test_the_first_and_the_last_that_can_be_asked(self):
        for able in (0, 1, 11, 38):
            releases = Releases(able, holes=(39,))
            self.assertEqual(since.ends(releases.versions, releases.answer), (f"0.{able}", "0.38"))
            self.assertLessEqual(len(releases.installed), 14)

    def test_none_can_be_asked(self):
        releases = Releases(able=40)
        with self.assertRaises(SystemExit):
            since.ends(releases.versions, releases.answer)

    def test_where_a_bug_comes_and_goes(self):
        for begin in range(1, 39):
            for hole in {0, 20, begin - 1, begin, begin + 1} - {39}:
                releases = Releases(begin=begin, holes=(hole,))
                able = [one for one in range(40) if one != hole]
                if able[0] >= begin:
                    continue
                came, right = since.boundary(releases.versions[able[0]:], releases.answer, since.RIGHT)
                self.assertEqual(int(came[2:]), min(one for one in able if one >= begin))
                self.assertEqual(int(right[2:]), max(one for one in able if one < begin))
                self.assertLessEqual(len(releases.installed), 8)
        releases = Releases(end=31)
        self.assertEqual(since.boundary(releases.versions, releases.answer, since.HAS), ("0.31", "0.30"))
        self.assertEqual(since.boundary(Releases().versions, Releases().answer, since.HAS), (None, "0.39"))


if __name__ == "__main__":
    unittest.main()
