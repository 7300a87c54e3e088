#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts our own tests on trial: changes src/ at random places, one at a time, and asks which test fails.

    tools/mutation.py prepare --count 200   a copy of the sources with all changes, which a variable of the environment
                                            turns on one by one; compiled once; each test measured without a change
    tools/mutation.py run -j 2              each change: the tests that reach it, cheap ones first, until one fails;
                                            first those of `make test`, then those that only `make test-all` has
    tools/mutation.py report                how many tests of each kind kill, and what survives
    tools/mutation.py show 17               one change

`run` goes on where it was stopped. Needs python3-clang-14 (Debian), 4 GB in build/mutation, and root: a test of changed
code may delete and kill what it likes, so each has a file system of its own that is thrown away, and its own processes.
"""
import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.abspath("build/mutation")
TREE = os.path.join(HERE, "tree")
BUILD = os.path.join(TREE, "build/release")
OUT = os.path.join(HERE, "out")  # what tests may write
CHEAP = 0.3  # seconds of a suite
HEADER = """#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <type_traits>
#include <unistd.h>
namespace convict::mutation {
// Whether change `number` is on; and a line in a file for the first time that it is asked.
inline bool is_on(int number) {
  static const int chosen = std::getenv("MUTATION") ? std::atoi(std::getenv("MUTATION")) : -1;
  static const char* const file = std::getenv("MUTATION_REACHED");
  static bool reached[4096];
  if (file && !reached[number]) {
    reached[number] = true;
    const int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
    const std::string line = std::to_string(number) + "\\n";
    if (fd >= 0 && write(fd, line.data(), line.size()) > 0) close(fd);
  }
  return number == chosen;
}
constexpr bool on(int number) {
  if (std::is_constant_evaluated()) return false;
  return is_on(number);
}
}  // namespace convict::mutation
"""
SANDBOX = f"""
set -e
mount --make-rprivate /
mount -t tmpfs -o size=4G tmpfs /tmp
mkdir /tmp/upper /tmp/work
mount -t overlay overlay -o lowerdir={TREE},upperdir=/tmp/upper,workdir=/tmp/work {TREE}
mount --bind {OUT} {OUT}
mount -o remount,bind,ro /
ulimit -d 8000000
cd "$1"
shift
exec "$@"
"""


@dataclasses.dataclass
class Unit:
    """A test of CTest, or a suite of the shards of `Unit`."""
    name: str
    command: list
    environment: dict
    folder: str
    thorough: bool = False
    is_setup: bool = False  # of others, which find what it leaves
    skip_code: int = -1
    must_say: str = ""
    seconds: float = 0
    reached: list = dataclasses.field(default_factory=list)


# ---- prepare

def prepare(options):
    shutil.rmtree(HERE, ignore_errors=True)
    os.makedirs(OUT)
    subprocess.run(["git", "clone", "-q", os.getcwd(), TREE], check=True)
    os.chdir(TREE)
    import mutation_points
    chosen = mutation_points.choose(options.count, options.seed, counter(f"of {options.count} changes chosen"))
    os.chdir(HERE)
    points = [dataclasses.asdict(point) for point in chosen]
    for number, point in enumerate(points):
        point["number"] = number
    build(points, options.jobs)
    write_json("points.json", points)
    measure(options)


def build(points, jobs):
    """Removes from `points` what the compiler refuses."""
    with open(os.path.join(HERE, "mutation.h"), "w") as file:
        file.write(HEADER)
    flags = f"-O2 -w -I{HERE}"
    subprocess.run(["cmake", "--preset", "release", f"-DCMAKE_CXX_FLAGS={flags}"], cwd=TREE, check=True,
                   stdout=subprocess.DEVNULL)
    files = {point["file"] for point in points}
    while True:
        insert(points, files)
        made = subprocess.run(["cmake", "--build", BUILD, "--", "-k", "0", "-j", str(jobs)], stdout=subprocess.PIPE,
                              text=True)
        if made.returncode == 0:
            return
        refused = {(file, int(line)) for file, line in re.findall(r"(src/[\w/]+\.cpp):(\d+):\d+: error", made.stdout)}
        before = len(points)
        points[:] = [point for point in points if (point["file"], point["line"]) not in refused]
        print(f"{before - len(points)} changes do not compile")
        if len(points) == before:
            sys.exit(made.stdout[-5000:])


def insert(points, files):
    """Line numbers stay: the first line, a comment, becomes an #include. A file may have lost its last change."""
    for file in files:
        changes = [point for point in points if point["file"] == file]
        text = subprocess.run(["git", "show", f"HEAD:{file}"], cwd=TREE, stdout=subprocess.PIPE, check=True).stdout
        for point in sorted(changes, key=lambda point: -point["begin"]):
            new = point["text"].replace("@", f"convict::mutation::on({point['number']})", 1)
            text = text[:point["begin"]] + new.encode() + text[point["end"]:]
        text = b'#include "mutation.h"' + text[text.index(b"\n"):]
        path = pathlib.Path(TREE, file)
        if path.read_bytes() != text:  # or all would be compiled again
            path.write_bytes(text)


def all_units():
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    units, shard = [], None
    for test in json.loads(listed.stdout)["tests"]:
        properties = {one["name"]: one["value"] for one in test["properties"]}
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        unit = Unit(test["name"], test["command"], environment, properties["WORKING_DIRECTORY"],
                    "thorough" in properties.get("LABELS", []), "FIXTURES_SETUP" in properties,
                    properties.get("SKIP_RETURN_CODE", -1), "".join(properties.get("PASS_REGULAR_EXPRESSION", [])))
        if test["name"].startswith("Unit."):
            shard = unit
        else:
            units.append(unit)
    program, but = shard.command[0], shard.command[1].removeprefix("--gtest_filter=-")
    shard.environment = {name: value for name, value in shard.environment.items() if not name.startswith("GTEST")}
    said = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter=-{but}"], stdout=subprocess.PIPE, text=True)
    for suite in re.findall(r"^(\S+\.)", said.stdout, re.MULTILINE):
        units.append(dataclasses.replace(shard, name=suite, command=[program, "--gtest_brief=1", "--gtest_fail_fast",
                                                                     f"--gtest_filter={suite}*:-{but}"]))
    return units


def measure(options):
    units = all_units()
    for unit in units:
        if unit.is_setup:
            subprocess.run(unit.command, check=True, stdout=subprocess.DEVNULL)
    tell = counter(f"of {len(units)} tests measured")
    kept = []

    def one(number, unit):
        file = os.path.join(OUT, f"{number}.reached")
        open(file, "w").close()
        passed, unit.seconds, _ = attempt(unit, {"MUTATION_REACHED": file}, 1800)
        with open(file) as lines:
            unit.reached = sorted({int(line) for line in lines})
        os.remove(file)
        return unit, passed

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (unit, passed) in enumerate(pool.map(one, itertools.count(), units)):
            tell(number + 1)
            if passed:
                kept.append(dataclasses.asdict(unit))
            else:
                print(f"left out, since it fails without a change: {unit.name}")
    write_json("units.json", kept)


def attempt(unit, environment, limit):
    """Whether it passes, its seconds and what it says."""
    began = time.monotonic()
    env = {**os.environ, **unit.environment, **environment}
    if unit.thorough:
        env["CONVICT_THOROUGH"] = "1"
    alone = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c", SANDBOX, "sandbox"]
    process = subprocess.Popen([*alone, unit.folder, *unit.command], env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = process.communicate(timeout=limit)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False, time.monotonic() - began, "time is over"
    passed = (re.search(unit.must_say, said) is not None if unit.must_say
              else process.returncode in (0, unit.skip_code))
    return passed, time.monotonic() - began, said


# ---- run

class Kills:
    """Which tests notice a change."""

    def __init__(self, units, most_seconds):
        self.units, self.most_seconds = units, most_seconds

    def asked(self, number, thorough):
        """Suites that take no time as one; then what reaches few changes, and takes little time."""
        reaching = [unit for unit in self.units if number in unit.reached and unit.thorough == thorough]
        cheap = [unit for unit in reaching if unit.name.endswith(".") and unit.seconds < CHEAP]
        if cheap:
            yield together(cheap)
        yield from sorted((unit for unit in reaching if unit not in cheap),
                          key=lambda unit: unit.seconds * (20 + len(unit.reached)))

    def of(self, number, thorough):
        """Which test fails, or None; and the seconds."""
        seconds = 0
        for unit in self.asked(number, thorough):
            if seconds > self.most_seconds:
                break
            passed, took, said = attempt(unit, {"MUTATION": str(number)}, 30 + 6 * unit.seconds)
            seconds += took
            if not passed:
                failed = re.findall(r"\[  FAILED  \] ([\w/.]+)", said)
                return failed[0] if failed else unit.name, seconds
        return None, seconds


def together(units):
    """Suites as one process: a start of each takes longer than most of them."""
    but = units[0].command[-1].split(":-", 1)[1]
    command = [*units[0].command[:-1], f"--gtest_filter={':'.join(unit.name + '*' for unit in units)}:-{but}"]
    return dataclasses.replace(units[0], command=command, seconds=sum(unit.seconds for unit in units))


def run(options):
    points = read_json("points.json")
    kills = Kills([Unit(**unit) for unit in read_json("units.json")], options.most_seconds)
    done = {(result["number"], result["thorough"]) for result in results()}
    killed = {result["number"] for result in results() if result["by"]}
    deadline = time.monotonic() + 60 * options.minutes
    tell = counter("changes tried")
    for thorough in (False, True):
        todo = [point["number"] for point in points
                if (point["number"], thorough) not in done and point["number"] not in killed]

        def one(number, thorough=thorough):
            if time.monotonic() > deadline:
                return
            by, seconds = kills.of(number, thorough)
            result = {"number": number, "thorough": thorough, "by": by, "seconds": round(seconds, 2)}
            with open(os.path.join(HERE, "results.jsonl"), "a") as file:
                file.write(json.dumps(result) + "\n")
            if by:
                killed.add(number)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for number, _ in enumerate(pool.map(one, todo)):
                tell(number + 1)


def results():
    path = os.path.join(HERE, "results.jsonl")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


# ---- report

def report(_):
    points = {point["number"]: point for point in read_json("points.json")}
    units = {unit["name"]: unit for unit in read_json("units.json")}
    reached = {number for unit in units.values() for number in unit["reached"]}
    kinds = {(result["thorough"], kind(result["by"], units)): [] for result in results() if result["by"]}
    for result in results():
        if result["by"]:
            kinds[result["thorough"], kind(result["by"], units)].append(result["number"])
    asked, killed = {result["number"] for result in results()}, {number for all_of in kinds.values() for number in all_of}
    print(f"{len(asked)} of {len(points)} changes tried, {len(killed)} killed, by")
    for (thorough, name), numbers in sorted(kinds.items()):
        print(f"{len(numbers):5}  {'make test-all' if thorough else 'make test'}: {name}")
    for number in sorted(asked - killed):
        point = points[number]
        print(f"{'survives' if number in reached else 'not reached'}: {number} {point['file']}:{point['line']} "
              f"{point['change']}")


def kind(by, units):
    unit = units.get(by)
    if not unit or by.endswith("."):
        return "suites without campaigns"
    return f"tests of {'less than 1 s' if unit['seconds'] < 1 else '1 to 3 s' if unit['seconds'] < 3 else 'more'}"


def show(options):
    point = read_json("points.json")[options.number]
    with open(os.path.join(os.getcwd(), point["file"]), "rb") as file:
        text = file.read()
    lines = text[:point["begin"]].count(b"\n")
    print(f"{point['file']}:{lines + 1}: {point['change']}\n  {text[point['begin']:point['end']].decode()}")


# ---- files and progress

def write_json(name, value):
    with open(os.path.join(HERE, name), "w") as file:
        json.dump(value, file, indent=0)


def read_json(name):
    with open(os.path.join(HERE, name)) as file:
        return json.load(file)


def counter(what):
    """Prints how far something is, on a line that is written again."""
    def tell(number):
        if sys.stderr.isatty():
            print(f"\r{number:,} {what}", end="", file=sys.stderr, flush=True)
        elif number % 50 == 0:
            print(f"{number:,} {what}", file=sys.stderr, flush=True)
    return tell


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--count", type=int, default=200)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    command.set_defaults(do=prepare)
    command = commands.add_parser("run")
    command.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    command.add_argument("--minutes", type=float, default=1e9, help="and then stop")
    command.add_argument("--most-seconds", type=float, default=200, help="of tests; what is left then survives")
    command.set_defaults(do=run)
    commands.add_parser("report").set_defaults(do=report)
    command = commands.add_parser("show")
    command.add_argument("number", type=int)
    command.set_defaults(do=show)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # of what runs behind a shell, too: tests send it
    options.do(options)


if __name__ == "__main__":
    main()
