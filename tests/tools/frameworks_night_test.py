#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/frameworks_night.py with a played program, whose campaigns take no time, and one short night with the real one:
frameworks_night_test.py CONVICT SOURCE_DIR PLUGIN"""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import types
import unittest

CONVICT, SOURCE, PLUGIN = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
del sys.argv[1:4]
sys.path.insert(0, str(SOURCE / "tools"))
import frameworks_night  # noqa: E402

TOOL = SOURCE / "tools" / "frameworks_night.py"
SCHEMA = re.search(r'R"sql\((.*?)\)sql"', (SOURCE / "src/store/schema.h").read_text(), re.S)[1]

# Each campaign of `finder` finds a cause that is not known, one of `knower` the known one, one of `quiet` nothing;
# `crasher` fails, `sleeper` never ends, and `breaker` interrupts its parent once. Time is a number in a file.
PROGRAM = """#!/usr/bin/env -S python3 -I -S
import json, os, pathlib, signal, sqlite3, sys, time
HERE = pathlib.Path(__file__).parent
command, words = sys.argv[1], sys.argv[2:]
value = {word: words[place + 1] for place, word in enumerate(words[:-1]) if word[0] == "-"}
with open(HERE / "calls", "a") as file:
    print(json.dumps(sys.argv[1:]), file=file)

def spend(seconds):
    clock = HERE / "clock"
    clock.write_text(str(float(clock.read_text()) + seconds))

def add(cursor, table, **row):
    marks = ", ".join("?" * len(row))
    cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    return cursor.lastrowid

def campaign(who, database):
    now = "2026-11-29T00:00:00Z"
    seconds = int(value["--time"][:-1])
    number = add(database, "campaigns", uuid=os.urandom(16).hex(), seed=value["--seed"], profile="all", flags="{}",
                 libraries=json.dumps({f"{who}:a": VERSION}), isa="", convict_version="", started=now, updated=now,
                 counts=json.dumps({"cases": 10, "judged": 7, "seconds": seconds}),
                 judged=json.dumps({f"{who}:a": [7, ""]}))
    if who in ("finder", "knower"):
        name = "the-known-one" if who == "knower" else None
        found = database.execute("SELECT id FROM causes WHERE name = ?", [name]).fetchone()
        status = "known" if name else "new"
        cause = found[0] if found else add(database, "causes", name=name, title="a title", status=status)
        row = add(database, "mismatches", signature=f"{who} {number}", verdict="crash", suspect=f"{who}:a",
                  blame="target", case_text="conv1d in=3", cost=1, certificate="{}", first_seen=now, last_seen=now,
                  first_campaign=number, last_campaign=number, cause=cause)
        add(database, "sightings", mismatch=row, campaign=number, hits=1, first_seen=now, last_seen=now)
    spend(seconds)

def causes(database):
    for number, name, title, status in database.execute("SELECT id, name, title, status FROM causes"):
        own = [one[0] for one in database.execute("SELECT id FROM mismatches WHERE cause = ?", [number])]
        yield dict(id=number, name=name, title=title, status=status, blame="target", verdict="crash", mismatches=own,
                   shows_if="", hits=len(own), repro="convict repro 'conv1d in=3'")

if command == "list" and words[0] != "causes":
    print(json.dumps([{"name": f"{who}:a", "client": who, "lineage": None, "installed": who != "absent",
                       "version": VERSION} for who in NAMES]))
elif command == "list":
    print(json.dumps(list(causes(sqlite3.connect(value["--db"])))))
elif command == "report":
    pathlib.Path(value["-o"]).write_text("a page")
elif command == "check-causes":
    pathlib.Path(value["-o"]).write_text(json.dumps([
        {"cause": name, "why_absent": "not here" if name == "elsewhere" else "",
         "implementations": [] if name == "elsewhere" else [{"shown": [name == "still-there", False]}]}
        for name in words if not name.startswith("-") and words[words.index(name) - 1] == "--cause"]))
    sys.exit(1)
elif value["--target"] == "crasher":
    spend(1)
    print("a line\\nsomething is broken", file=sys.stderr)
    sys.exit(CODE)
elif value["--target"] == "sleeper":
    signal.pause()
else:
    is_new = not pathlib.Path(value["--db"]).exists()
    with sqlite3.connect(value["--db"]) as database:
        if is_new:
            database.executescript(SCHEMA)
        campaign(value["--target"], database.cursor())
    if value["--target"] == "breaker" and not (HERE / "broken").exists():
        (HERE / "broken").touch()
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    pathlib.Path(value["-o"]).write_text(json.dumps({"cases": 10, "causes": []}))
"""


def cause_of(name, suspect):
    return {"cause": [name], "title": [f"title of {name}"], "suspect": [suspect]}


class Played(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.database, self.clock, self.program = (self.folder / name for name in ("some.db", "clock", "program.py"))
        self.clock.write_text("0")
        known = frameworks_night.transfer.causes
        self.addCleanup(setattr, frameworks_night.transfer, "causes", known)
        frameworks_night.transfer.causes = lambda: []

    def install(self, names, version="1", code=70):
        head, rest = PROGRAM.split("\n", 1)
        given = f"NAMES, VERSION, SCHEMA, CODE = {names.split()!r}, {version!r}, {SCHEMA!r}, {code}\n"
        self.program.write_text(head + "\n" + given + rest)
        self.program.chmod(0o755)

    def settings(self, **others):
        usual = {"time": 3600, "memory": 24 << 30, "only": [], "jobs": 2, "seed": 100, "flags": []}
        return types.SimpleNamespace(**{**usual, **others})

    def night(self, patience=300, **settings):
        """One that is over, with its page and its exit code."""
        night = frameworks_night.Night(str(self.program), self.database, lambda: float(self.clock.read_text()),
                                       patience)
        with contextlib.redirect_stderr(io.StringIO()) as self.told, contextlib.redirect_stdout(io.StringIO()) as page:
            night.begin(self.settings(**settings))
            night.work()
            night.ask()
            code = night.close()
        return night, page.getvalue(), code

    def calls(self, command="fuzz"):
        calls = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
        return [call for call in calls if call[0] == command]

    def seconds(self, night):
        return {one.name: sum(each["seconds"] for each in night.slices(one)) for one in night.frameworks}


class Time(Played):
    def test_goes_to_the_one_that_finds(self):
        self.install("quiet finder knower absent")
        night, _, code = self.night()
        seconds = self.seconds(night)
        share = 3600 // 9
        self.assertEqual([one["framework"] for one in night.plan["slices"][:3]], ["quiet", "finder", "knower"])
        self.assertEqual(seconds, {"quiet": share, "finder": 3600 - 2 * share, "knower": share})
        self.assertEqual(code, 1)
        self.assertEqual(len({one["seed"] for one in night.plan["slices"]}), len(night.plan["slices"]))

    def test_is_divided_equally_among_those_that_find_nothing(self):
        self.install("quiet knower third")
        night, _, code = self.night()
        self.assertEqual(self.seconds(night), dict.fromkeys(("quiet", "knower", "third"), 1200))
        self.assertEqual(code, 0)

    def test_remembers_earlier_nights_of_the_same_version(self):
        self.install("quiet finder")
        self.night()
        for version, expected in (("1", "finder"), ("2", "quiet")):
            self.install("quiet finder", version)
            night = frameworks_night.Night(str(self.program), self.database, lambda: 0)
            with contextlib.redirect_stderr(io.StringIO()):
                night.begin(self.settings())
            self.assertEqual(max(night.frameworks, key=night.chance).name, expected)
            night.file.unlink()

    def test_chance(self):
        chance = frameworks_night.chance
        self.assertGreater(chance(1, 1000), chance(0, 1000))
        self.assertGreater(chance(0, 0), chance(0, 1000))
        self.assertLess(chance(1, 100000), chance(0, 0))


class Failures(Played):
    def test_one_that_crashes_costs_nobody_else(self):
        self.install("crasher finder quiet")
        night, page, code = self.night()
        seconds = self.seconds(night)
        self.assertEqual(seconds, {"crasher": 1, "finder": 3600 - 400, "quiet": 400})
        self.assertIn("- crasher: 1 of 1 slice ended with exit code 70: something is broken\n", page)
        self.assertEqual(code, 1)

    def test_one_that_never_ends_costs_its_slice(self):
        self.install("sleeper")
        _, page, code = self.night(patience=-10**6)  # the time of each campaign is over at once
        self.assertIn("- sleeper: 3 of 3 slices ended with exit code 130: did not end in time, and was stopped", page)
        self.assertEqual(code, 125)

    def test_nobody_can_be_put_on_trial(self):
        for code, said in ((70, "something is broken"), (1, "there was no result")):
            self.install("crasher", code=code)
            self.database.touch()
            _, page, night_code = self.night()
            self.assertEqual((night_code, self.database.with_suffix(".html").exists()), (125, False))
            self.assertIn("| crasher | 1 | 3 | 0 | 0 | 0 | 0 | 0 | not asked |", page)
            self.assertIn(f"exit code {code}: {said}", page)


class Resumed(Played):
    def test_goes_on_where_it_was_interrupted(self):
        self.install("quiet breaker finder")
        with self.assertRaises(KeyboardInterrupt):
            self.night()
        begun = json.loads((self.folder / "some.night.json").read_text())
        self.assertEqual([one["framework"] for one in begun["slices"]], ["quiet", "breaker"])
        night, page, _ = self.night(time=60, seed=7)  # the plan holds
        self.assertEqual(night.plan["slices"][0], begun["slices"][0])
        self.assertEqual([one["framework"] for one in night.plan["slices"][:3]], ["quiet", "breaker", "finder"])
        self.assertEqual(sum(self.seconds(night).values()), 3600)
        self.assertEqual([call[call.index("--seed") + 1] for call in self.calls()], [str(100 + i) for i in range(9)])
        self.assertNotIn("went wrong", page)

    def test_a_slice_that_was_killed_counts(self):
        self.install("quiet finder")
        with self.assertRaises(KeyboardInterrupt):
            self.install("quiet breaker finder")
            self.night()
        plan = json.loads((self.folder / "some.night.json").read_text())
        plan["slices"][1].update(code=None, seconds=0)
        plan["slices"].append({**plan["slices"][1], "framework": "finder", "seed": 102})  # without a campaign yet
        (self.folder / "some.night.json").write_text(json.dumps(plan))
        night, _, _ = self.night()
        self.assertEqual([one["framework"] for one in night.plan["slices"][:3]], ["quiet", "breaker", "finder"])
        self.assertEqual([(one["seconds"], one["code"]) for one in night.plan["slices"][1:3]], [(400, 0), (400, 0)])
        self.assertEqual(sum(self.seconds(night).values()), 3600)

    def test_a_night_that_is_over_is_not_resumed(self):
        self.install("finder")
        first, page, _ = self.night()
        second, again, _ = self.night(seed=500)
        self.assertEqual((len(first.plan["slices"]), len(second.plan["slices"]), len(self.calls())), (3, 3, 6))
        self.assertEqual(again.splitlines()[6], page.splitlines()[6])  # the row has this night alone


class Settings(Played):
    def test_memory_is_divided(self):
        for gigabytes in (3, 8, 24, 1000):
            for processors in (1, 4, 64):
                jobs, each = frameworks_night.divided(gigabytes << 30, processors)
                self.assertLessEqual((2 * jobs + 2) * each, gigabytes << 30)
                self.assertTrue(1 <= jobs <= processors and each <= 4 << 30)
        self.install("quiet")
        self.night(memory=8 << 30, flags=["--shrink", "5m"])
        for call in self.calls():
            self.assertIn("-j 1 --memory 2048M --shrink 5m", " ".join(call))

    def test_modules_have_witnesses_of_other_libraries(self):
        entries = [("direct", None, "convict"), ("a", None, "a"), ("a:b", None, "a"), ("ggml:x64", None, "g"),
                   ("ggml:haswell", None, "g"), ("far:x", "far", None)]
        keys = ("name", "client", "lineage")
        listing = [{**dict(zip(keys, one)), "installed": True, "version": "1"} for one in entries]
        self.program.write_text(f"#!/bin/sh\ncat << 'END'\n{json.dumps(listing)}\nEND\n")
        self.program.chmod(0o755)
        found = {one.name: (one.target, one.oracle) for one in frameworks_night.frameworks(str(self.program), [])}
        self.assertEqual(found, {"native": ("native", ["--oracle", "a,a:b,ggml:x64"]), "far": ("far", []),
                                 "a": ("a,a:b", ["--oracle", "ggml:x64"]),
                                 "ggml": ("ggml:x64,ggml:haswell", ["--oracle", "a,a:b"])})

    def test_mistakes(self):
        self.install("quiet")
        others = ("TIME", "DB", "ONLY", "MEMORY", "JOBS", "FUZZ_FLAGS")
        environment = {name: value for name, value in os.environ.items() if name not in others}
        for words, said in ((["--time", "5"], "'5' is not valid; valid: 30m, 8h"),
                            (["--time", "50s"], "valid: 60s or more"),
                            (["--memory", "10M"], "valid: 2G or more"),
                            (["--only", "x"], "not installed; valid: quiet")):
            done = subprocess.run([TOOL, self.program, "--db", self.database, *words], capture_output=True, text=True,
                                  env=environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)


class Page(Played):
    def test_gone_causes_are_those_that_were_asked_for(self):
        self.install("knower quiet")
        frameworks_night.transfer.causes = lambda: [
            cause_of("the-known-one", "knower:*"), cause_of("still-there", "knower:a"),
            cause_of("gone-one", "knower:*"), cause_of("elsewhere", "knower:*"), cause_of("of-another", "other:*")]
        night, page, code = self.night()
        self.assertEqual(night.plan["asked"]["knower"]["gone"], ["gone-one"])
        asked = [call[call.index("--cause"):call.index("--covered")] for call in self.calls("check-causes")]
        self.assertEqual(asked, [["--cause", "still-there", "--cause", "gone-one", "--cause", "elsewhere"]])
        self.assertIn("| knower | 1 | 3 | 1,800 | 30 | 21 | 1 | 0 | 1 of 2 |", page)
        self.assertIn("| quiet | 1 | 3 | 1,800 | 30 | 21 | 0 | 0 | 0 of 0 |", page)
        self.assertIn("## Gone\n\n- `gone-one`: title of gone-one\n", page)
        self.assertEqual(code, 0)

    def test_the_numbers_are_those_of_the_database(self):
        """With the real program: its native kernels, and a plugin with a fault, as a library."""
        self.program.write_text(f"""#!/bin/sh
command=$1
shift
case "$command $1" in
  "list --format") '{CONVICT}' list "$@" --plugin '{PLUGIN}' |
    python3 -c 'import json, sys; print(json.dumps([one for one in json.load(sys.stdin)
      if one["lineage"] == "convict" or one["name"] == "one-fault"]))' ;;
  report*) for file; do :; done; touch "$file" ;;
  fuzz*) exec '{CONVICT}' fuzz "$@" --plugin '{PLUGIN}' ;;
  *) exec '{CONVICT}' "$command" "$@" ;;
esac
""")
        self.program.chmod(0o755)
        ticks = iter(range(0, 10**6, 600))
        real, night = frameworks_night.Night, None
        frameworks_night.Night = lambda convict, database, *_: real(convict, database, lambda: next(ticks))
        self.addCleanup(setattr, frameworks_night, "Night", real)
        night, page, code = self.night(time=1200, jobs=1, flags=["--cases", "200", "--shrink", "none"])
        self.assertEqual(code, 1)
        database = sqlite3.connect(self.database)
        table = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
        rows = {cells[0]: cells for cells in table}
        for name, judged in (("native", "direct"), ("one-fault", "one-fault")):
            seconds, *counts, slices = database.execute(
                "SELECT sum(counts ->> 'seconds'), sum(counts ->> 'cases'), sum(counts ->> 'judged'), count(*) "
                "FROM campaigns WHERE EXISTS (SELECT 1 FROM json_each(judged) WHERE key = ?)", [judged]).fetchone()
            self.assertEqual(rows[name][2:6], [str(slices), f"{seconds:,.0f}", *(f"{one:,}" for one in counts)])
        new, = database.execute("SELECT count(DISTINCT cause) FROM mismatches WHERE suspect = 'one-fault'").fetchone()
        self.assertEqual((rows["native"][6:8], rows["one-fault"][6:8]), (["0", "0"], ["0", str(new)]))
        case, = database.execute("SELECT case_text FROM mismatches WHERE suspect = 'one-fault' "
                                 "ORDER BY cost").fetchone()
        self.assertIn(case, page)
        self.assertIn("first seen tonight", page)
        self.assertTrue(self.database.with_suffix(".html").exists())


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, frameworks_night.interrupt)  # as the tool does
    unittest.main()
