#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A night over everything: native kernels, and all libraries and frameworks that are installed, are on trial in turn.

    tools/frameworks_night.py build/release/convict --db frameworks.db --time 8h

A third of the time is divided equally. The rest goes, slice by slice, to the one that is most likely to show something
new. At the end, beside the time, known causes that did not show are asked for by their own cases. frameworks.md says
what came of it, and frameworks.html has all that is in the database. A night that was interrupted or killed goes on if
it is called again. Options may be given in the environment; FUZZ_FLAGS there are for each campaign: '--shrink 5m'.

Exit codes: 0 nothing new, 1 something new, 2 usage, 71 the machine failed, 125 somebody could not be put on trial,
130 interrupted
"""
import argparse
import collections
import datetime
import fcntl
import fnmatch
import json
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import transfer

PATIENCE = 300  # seconds that a campaign may take beside its time: clients start, trials end (docs/frameworks.md)
ASKING, TOGETHER = 300, 8  # seconds that so many known causes may take
GRACE = 60  # seconds for an end in order
FIRST_ROUND = 3  # a third of the time is divided equally
LEAST_SLICE = 20  # seconds; a campaign takes some to begin and to end
MOST_FAILURES = 3  # in a row: then it is on trial no more
PRIOR_FINDS, PRIOR_SECONDS = 1, 3600
GIGABYTE = 1 << 30
USUAL_MEMORY, LEAST_MEMORY = 4 * GIGABYTE, GIGABYTE // 2  # of a worker; the former is what `convict fuzz` gives it
VERDICTS = (0, 1, 125)  # exit codes of campaigns that came to an end
UNITS = {"s": 1, "m": 60, "h": 3600, "M": 1 << 20, "G": GIGABYTE}

# `target` and `oracle` as `convict fuzz` wants them, `versions` by the names of its implementations.
Framework = collections.namedtuple("Framework", "name target oracle versions")


def say(text):
    print(f"night: {text}", file=sys.stderr, flush=True)


def counted(number, what):
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def fail(text):
    say(text)
    sys.exit(2)


def amount(text, units, example):
    """Seconds or bytes: 8h, 24G."""
    match = re.fullmatch(f"([1-9][0-9]{{0,5}})([{units}])", text)
    if not match:
        fail(f"'{text}' is not valid; valid: {example}")
    return int(match[1]) * UNITS[match[2]]


# ---- Who is on trial, and with what ----


def told_by(convict, *words):
    """What a command says as JSON."""
    done = subprocess.run([convict, *words, "--format", "json"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def frameworks(convict, only):
    """All that are installed, or those of these names."""
    groups, modules = collections.defaultdict(list), []
    for entry in told_by(convict, "list"):
        if entry["installed"]:
            is_native = entry["lineage"] == "convict"
            groups["native" if is_native else entry["name"].split(":")[0]].append(entry)
            if not is_native and entry["client"] is None:
                modules.append(entry["name"])
    unknown = set(only) - set(groups)
    if unknown:
        fail(f"{', '.join(sorted(unknown))}: not installed; valid: {', '.join(groups)}")
    # ggml has a library for each kind of processor: as a witness, the one for all of them speaks for them.
    witnesses = [name for name in modules if not name.startswith("ggml:") or name.startswith("ggml:x64")]
    result = []
    for name, entries in groups.items():
        names = [entry["name"] for entry in entries]
        # Modules have those of all others as witnesses, clients the usual ones: some take seconds for a case.
        others = [one for one in witnesses if one.split(":")[0] != name]
        is_client = entries[0]["client"] is not None
        oracle = [] if is_client else ["--oracle", ",".join(others) or "none"]
        target = name if is_client or name == "native" else ",".join(names)
        result.append(Framework(name, target, oracle, {entry["name"]: entry["version"] for entry in entries}))
    return [one for one in result if not only or one.name in only]


def available_memory():
    """Three quarters of what this machine has left."""
    kilobytes = re.search(r"^MemAvailable:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.M)[1]
    return int(kilobytes) * 1024 * 3 // 4


def divided(memory, processors):
    """Workers of a campaign, and the bytes of each, its clients included: convict ends what takes more. Beside the
    workers there may be as many for a target that goes its own way (docs/decisions/0051), and two trials (0049).
    There are fewer workers rather than smaller ones: some frameworks have five clients."""
    def of_each(jobs):
        return memory // (2 * jobs + 2)

    jobs = max([1, *(one for one in range(1, processors + 1) if of_each(one) >= USUAL_MEMORY)])
    if of_each(jobs) < LEAST_MEMORY:
        fail(f"{memory // UNITS['M']}M of memory are not enough; valid: 2G or more")
    return jobs, min(of_each(jobs), USUAL_MEMORY)


# ---- What the database knows ----

SINGLETONS = """SELECT count(*) FROM (
  SELECT 1 FROM sightings s JOIN mismatches m ON m.id = s.mismatch LEFT JOIN causes c ON c.id = m.cause
  WHERE c.name IS NULL AND s.campaign IN (SELECT value FROM json_each(:campaigns))
    AND m.suspect IN (SELECT value FROM json_each(:suspects))
  GROUP BY ifnull(m.cause, -m.id) HAVING sum(s.hits) = 1)"""
COUNTED = """SELECT ifnull(sum(json_extract(counts, '$.seconds')), 0), ifnull(sum(json_extract(counts, '$.cases')), 0),
    ifnull(sum(json_extract(counts, '$.judged')), 0)
  FROM campaigns WHERE id IN (SELECT value FROM json_each(?))"""
EARLIER = """SELECT id, libraries, json_extract(counts, '$.seconds'),
    (SELECT json_group_array(key) FROM json_each(judged))
  FROM campaigns WHERE id <= ? AND json_extract(counts, '$.seconds') > 0"""
SEEN = """SELECT m.cause, m.suspect, m.first_campaign, m.first_seen, c.seed
  FROM sightings s JOIN mismatches m ON m.id = s.mismatch JOIN campaigns c ON c.id = s.campaign
  WHERE c.id IN (SELECT value FROM json_each(?))"""


def rows(database, query, values=()):
    """Of a database that may not be there yet, or be empty: convict was killed before it had written to it."""
    if not database.exists():
        return []
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=60)
    try:
        has_tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'campaigns'").fetchone()
        return connection.execute(query, values).fetchall() if has_tables else []
    finally:
        connection.close()


def chance(finds, seconds):
    """Of something new, per second of trial. If each cause shows as a Poisson process does, the number of those that
    were seen exactly once, divided by the time, estimates how often one shows that was never seen (I. J. Good,
    Biometrika 40, 1953; for fuzzers: M. Böhme, TOSEM 27, 2018). As if there had been one such find in an hour before:
    the posterior mean of a rate whose prior is the gamma distribution with shape 1. It falls with each second that
    shows nothing new, so all have their turn again."""
    return (finds + PRIOR_FINDS) / (seconds + PRIOR_SECONDS)


# ---- The night ----


class Night:
    """`plan`, in a file beside the database: settings, slices as they come to an end, answers about known causes. Of a
    slice, `code` is None until it has ended, and `said` is empty if it ended well."""

    def __init__(self, convict, database, clock=time.monotonic, patience=PATIENCE):
        self.convict, self.database = convict, database
        self.clock, self.patience = clock, patience
        self.file = database.with_suffix(".night.json")
        self.plan, self.frameworks, self.earlier = {}, [], []
        self.limits, self.flags = [], []  # of each campaign

    def begin(self, settings):
        """Goes on with a night that is not over, or begins one."""
        self.plan = json.loads(self.file.read_text()) if self.file.exists() else {"closed": True}
        if self.plan["closed"]:
            last = rows(self.database, "SELECT ifnull(max(id), 0) FROM campaigns") or [(0,)]
            self.plan = {"begun": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                         "time": settings.time, "only": settings.only, "seed": settings.seed, "last_before": last[0][0],
                         "slices": [], "asked": {}, "closed": False}
        else:
            say(f"goes on with the night of {self.plan['begun']}, of {self.plan['time']} s")
        self.frameworks = frameworks(self.convict, self.plan["only"])
        if self.share() < LEAST_SLICE:
            least = LEAST_SLICE * FIRST_ROUND * len(self.frameworks)
            fail(f"{self.plan['time']}s are too short for {len(self.frameworks)} on trial; valid: {least}s or more")
        jobs, memory = divided(settings.memory, settings.jobs)
        self.limits, self.flags = ["-j", str(jobs), "--memory", f"{memory // UNITS['M']}M"], settings.flags
        self.plan["memory"] = f"{counted(jobs, 'worker')} of at most {memory / GIGABYTE:.1f} GB"
        earlier = rows(self.database, EARLIER, (self.plan["last_before"],))
        self.earlier = [(number, json.loads(versions), seconds, set(json.loads(judged)))
                        for number, versions, seconds, judged in earlier]
        self.close_cut()
        self.save()

    def save(self):
        text = json.dumps(self.plan, indent=1) + "\n"
        beside = self.file.with_suffix(".new")
        beside.write_text(text)
        beside.replace(self.file)

    def close_cut(self):
        """A slice that has not ended was interrupted, or killed with this program. What it did counts."""
        self.plan["slices"] = [one for one in self.plan["slices"] if one["code"] is not None or self.campaigns([one])]
        for one in self.plan["slices"]:
            if one["code"] is None:
                one.update(code=0, seconds=max(one["seconds"], self.totals([one])[0]))

    def share(self):
        return self.plan["time"] // (FIRST_ROUND * max(len(self.frameworks), 1))

    def left(self):
        return self.plan["time"] - sum(one["seconds"] for one in self.plan["slices"])

    def slices(self, framework):
        return [one for one in self.plan["slices"] if one["framework"] == framework.name]

    def campaigns(self, slices):
        """Their numbers. Each slice has a seed of its own."""
        seeds = json.dumps([str(one["seed"]) for one in slices])
        return [row[0] for row in rows(self.database, "SELECT id FROM campaigns WHERE id > ? AND seed IN "
                                       "(SELECT value FROM json_each(?))", (self.plan["last_before"], seeds))]

    def totals(self, slices):
        """Seconds, cases, judged cases: of their campaigns, as the database has them."""
        return (rows(self.database, COUNTED, (json.dumps(self.campaigns(slices)),)) or [(0, 0, 0)])[0]

    def chance(self, framework):
        """By the campaigns of this night, and those of earlier ones with the same version."""
        def is_same(versions, judged):
            return any(name in judged and versions.get(name) == one for name, one in framework.versions.items())

        before = [(number, seconds) for number, versions, seconds, judged in self.earlier if is_same(versions, judged)]
        own = self.slices(framework)
        values = {"campaigns": json.dumps([number for number, _ in before] + self.campaigns(own)),
                  "suspects": json.dumps(list(framework.versions))}
        finds = (rows(self.database, SINGLETONS, values) or [(0,)])[0][0]
        return chance(finds, sum(seconds for _, seconds in before) + sum(one["seconds"] for one in own))

    def next(self):
        """First everybody once; then who is most likely to show something new. None: nobody can be put on trial."""
        able = [one for one in self.frameworks if not self.has_failed(one)]
        fresh = [one for one in able if not self.slices(one)]
        return fresh[0] if fresh else max(able, key=self.chance, default=None)

    def has_failed(self, framework):
        last = self.slices(framework)[-MOST_FAILURES:]
        return len(last) == MOST_FAILURES and all(one["said"] for one in last)

    def work(self):
        """Slices, until the time is over."""
        while self.left() >= self.share() / 2 and (framework := self.next()):
            self.put_on_trial(framework, min(self.share(), int(self.left()) + 1))

    def put_on_trial(self, framework, length):
        one = {"framework": framework.name, "seed": self.plan["seed"] + len(self.plan["slices"]), "length": length,
               "seconds": 0, "code": None, "said": ""}
        self.plan["slices"].append(one)
        self.save()
        begun = self.clock()
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder, "result.json")
            try:
                one["code"], one["said"] = self.ended(
                    ["fuzz", "--target", framework.target, *framework.oracle, "--profile", "all",
                     "--time", f"{length}s", "--seed", str(one["seed"]), *self.limits, *self.flags,
                     "--db", str(self.database), "-q", "--format", "json", "-o", str(result)], length + self.patience)
                if not one["said"] and not result.exists():
                    one["said"] = "there was no result"
            finally:
                one["seconds"] = round(self.clock() - begun, 1)
                self.save()
            say(f"{framework.name}, {one['seconds']:.0f} s: {outcome(one, result)}; {max(self.left(), 0):.0f} s left")

    def ended(self, words, limit):
        """Runs convict. Returns its exit code, and what it said last if that is no verdict. At its limit it is
        told to end, then killed; it dies with this program, and its workers and clients die with it."""
        late = ""
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", self.convict, *words], stderr=errors,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
            try:
                for patience, then in ((limit, signal.SIGTERM), (GRACE, signal.SIGKILL), (GRACE, signal.SIGKILL)):
                    try:
                        process.wait(patience)
                        break
                    except subprocess.TimeoutExpired:
                        late = "did not end in time, and was stopped"
                        process.send_signal(then)
            except KeyboardInterrupt:
                process.terminate()
                process.wait(GRACE)
                raise
            if process.returncode in VERDICTS and not late:
                return process.returncode, ""
            errors.seek(0)
            said = errors.read().strip().splitlines() or ["it said nothing"]
        return (130, late) if late else (process.returncode, said[-1][:300])

    def ask(self):
        """For known causes that did not show: whether their own cases still show them."""
        for framework in self.frameworks:
            if framework.name in self.plan["asked"] or not self.campaigns(self.slices(framework)):
                continue
            shown = {cause["name"] for cause in self.causes_of(framework)}
            names = [cause["cause"][0] for cause in transfer.causes() if cause["cause"][0] not in shown
                     and any(fnmatch.fnmatchcase(name, cause["suspect"][0]) for name in framework.versions)]
            self.plan["asked"][framework.name] = self.asked(names)
            self.save()
            answer = self.plan["asked"][framework.name]
            say(f"{framework.name}: of {len(answer['here'])} known causes that did not show, {len(answer['gone'])} are "
                f"gone{answer['said'] and '; ' + answer['said']}")

    def asked(self, names):
        """A few at a time, so that one which takes long costs no others."""
        answer = {"here": [], "gone": [], "said": ""}
        for first in range(0, len(names), TOGETHER):
            words = [word for name in names[first:first + TOGETHER] for word in ("--cause", name)]
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "causes.json")
                _, said = self.ended(["check-causes", *words, "--covered", "0", *self.limits, "-q", "--format", "json",
                                      "-o", str(file)], ASKING)
                checks = json.loads(file.read_text()) if file.exists() else []
            here = [one for one in checks if one["implementations"] and not one["why_absent"]]
            answer["here"] += [one["cause"] for one in here]
            answer["gone"] += [one["cause"] for one in here
                               if not any(any(each["shown"]) for each in one["implementations"])]
            answer["said"] = answer["said"] or said
        return answer

    # ---- What came of it ----

    def causes(self):
        """Those that showed, as `convict list causes` says them, with the suspects that they were `seen` in, `during`
        the trials of which frameworks, since when (`first`), and whether first `tonight`."""
        whose = {str(one["seed"]): one["framework"] for one in self.plan["slices"]}
        seen = collections.defaultdict(list)
        for cause, *row in rows(self.database, SEEN, (json.dumps(self.campaigns(self.plan["slices"])),)):
            seen[cause].append(row)
        listed = told_by(self.convict, "list", "causes", "--db", str(self.database)) if seen else []
        for cause in listed:
            if cause["id"] in seen:
                suspects, campaigns, times, seeds = zip(*seen[cause["id"]])
                yield {**cause, "seen": set(suspects), "during": {whose[seed] for seed in seeds}, "first": min(times),
                       "tonight": min(campaigns) > self.plan["last_before"]}

    def causes_of(self, framework):
        return [cause for cause in self.causes() if cause["seen"] & set(framework.versions)]

    def failures(self, framework):
        """In words."""
        slices = self.slices(framework)
        if not slices:
            yield f"{framework.name}: no time was left for it"
        failed = [one for one in slices if one["said"]]
        for (code, said), many in collections.Counter((one["code"], one["said"]) for one in failed).items():
            yield f"{framework.name}: {many} of {counted(len(slices), 'slice')} ended with exit code {code}: {said}"
        if said := self.plan["asked"].get(framework.name, {}).get("said"):
            yield f"{framework.name}: not all known causes were asked for: {said}"

    def close(self):
        """Writes the pages. Returns the exit code."""
        text, code = page(self)
        self.database.with_suffix(".md").write_text(text)
        print(text, end="")
        if self.campaigns(self.plan["slices"]):
            subprocess.run([self.convict, "report", "--db", str(self.database), "--format", "html", "-o",
                            str(self.database.with_suffix(".html"))], check=True)
        self.plan["closed"] = True
        self.save()
        return code


def outcome(one, result):
    """Of a slice, in words."""
    if one["said"]:
        return f"exit code {one['code']}: {one['said']}"
    campaign = json.loads(result.read_text())
    known = sum(cause["novelty"] == "known" for cause in campaign["causes"])
    new = sum(is_new(cause) for cause in campaign["causes"])
    return f"{counted(campaign['cases'], 'case')}, {counted(known, 'known cause')}, {new} new"


def is_new(cause):
    """It is not described yet, or back after a fix: `new` or `again` of a campaign, `new` or `fixed` of a list."""
    return cause.get("status", cause.get("novelty")) in ("new", "again", "fixed") and cause["blame"] != "nobody"


# ---- The page ----

COLUMNS = """Numbers are those of the night's campaigns in the database. *Known*: causes that showed and are in
`corpus/known/`, or were triaged. *New*: all others that showed; they are listed below. *Gone*: `1 of 5` says that 5
more causes of `corpus/known/` can be here and did not show; their own cases were replayed, and show 1 of them no more.
"""


def row(night, framework, causes):
    """Of the table."""
    slices = night.slices(framework)
    seconds, cases, judged = night.totals(slices)
    new = sum(is_new(cause) for cause in causes)
    known = sum(cause["blame"] != "nobody" for cause in causes) - new
    asked = night.plan["asked"].get(framework.name)
    is_answered = asked and (asked["here"] or not asked["said"])
    gone = f"{len(asked['gone'])} of {len(asked['here'])}" if is_answered else "not asked"
    version = ", ".join(sorted(set(framework.versions.values())))
    return (f"| {framework.name} | {version} | {len(slices)} | {seconds:,.0f} | {cases:,} | {judged:,} | {known} "
            f"| {new} | {gone} |")


def told(cause):
    """A cause, for the list of new ones."""
    since = "first seen tonight" if cause["tonight"] else f"known to this database since {cause['first'][:10]}"
    condition = f", if {cause['shows_if']}" if cause["shows_if"] else ""
    suspects = ", ".join(sorted(cause["seen"] - {"unattributed"}))
    who = suspects or f"while {' or '.join(sorted(cause['during']))} was on trial"
    hits = counted(cause["hits"], "hit")
    return f"- {who}: {cause['title']}{condition} ({hits}, {since})\n\n      {cause['repro']}\n"


def section(title, lines):
    return [f"## {title}\n", *lines, ""] if lines else []


def page(night):
    """In Markdown, and the exit code."""
    plan, causes = night.plan, list(night.causes())
    own = {one.name: [cause for cause in causes if cause["seen"] & set(one.versions)] for one in night.frameworks}
    new = [cause for cause in causes if is_new(cause)]
    failures = [line for one in night.frameworks for line in night.failures(one)]
    titles = {cause["cause"][0]: cause["title"][0] for cause in transfer.causes()}
    gone = [f"- `{name}`: {titles.get(name, '')}" for answer in plan["asked"].values() for name in answer["gone"]]
    nobody = [told(cause) for cause in causes if cause["blame"] == "nobody" and cause["status"] == "new"]
    lines = [f"# Night of {plan['begun'][:16].replace('T', ' ')} UTC\n",
             f"{len(night.frameworks)} on trial in {counted(len(plan['slices']), 'slice')}, which took "
             f"{plan['time'] - night.left():,.0f} s of {plan['time']:,} s. A campaign had {plan['memory']} each, its "
             f"clients included.\n",
             "| on trial | version | slices | seconds | cases | judged | known | new | gone |",
             "|---|---|---|---|---|---|---|---|---|", *(row(night, one, own[one.name]) for one in night.frameworks), "",
             COLUMNS]
    lines += section("New", [told(cause) for cause in new]) + section("Gone", gone)
    lines += section("What went wrong", [f"- {line}" for line in failures]) + section("Nobody could be blamed", nobody)
    silent = any(all(one["said"] for one in night.slices(each)) for each in night.frameworks)
    text = re.sub("\n{3,}", "\n\n", "\n".join(lines).rstrip() + "\n")
    return text, 1 if new else 125 if silent else 0


def settings_of(words):
    def given(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convict")
    parser.add_argument("--db", default=given("DB", "frameworks.db"),
                        help="database; the pages have its name [$DB, frameworks.db]")
    parser.add_argument("--time", default=given("TIME", "8h"), help="of the whole night: 30m, 8h [$TIME, 8h]")
    parser.add_argument("--memory", default=given("MEMORY", ""),
                        help="of a campaign, with all its clients: 24G [$MEMORY, three quarters of what is available]")
    parser.add_argument("--only", default=given("ONLY", ""), help="native, libtorch, ncnn, ... [$ONLY, all]")
    parser.add_argument("-j", "--jobs", type=int, default=given("JOBS", os.cpu_count()),
                        help="workers, as far as the memory goes [$JOBS, the processors]")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first slice [the time]")
    settings = parser.parse_args(words)
    settings.time = amount(settings.time, "smh", "30m, 8h")
    settings.memory = amount(settings.memory, "MG", "8G, 24G") if settings.memory else available_memory()
    settings.only = [name for name in settings.only.split(",") if name]
    settings.flags = shlex.split(given("FUZZ_FLAGS", ""))  # of every campaign
    return settings


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    settings = settings_of(None)
    database = pathlib.Path(settings.db)
    signal.signal(signal.SIGTERM, interrupt)
    with open(f"{database}.lock", "w") as lock:  # as deploy/night.sh
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fail(f"another night works on '{database}'; valid: another --db")
        night = Night(settings.convict, database)
        try:
            night.begin(settings)
            night.work()
            night.ask()
            sys.exit(night.close())
        except KeyboardInterrupt:
            say("interrupted; the same command goes on")
            sys.exit(130)
        except (subprocess.SubprocessError, sqlite3.Error, OSError) as error:
            say(f"{error}; the same command goes on")
            sys.exit(71)


if __name__ == "__main__":
    main()
