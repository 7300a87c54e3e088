#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A framework through its client computes ordinary problems as the exact reference does, by each way that takes them.

    tests/clients/framework_test.py CONVICT tests/clients/frameworks/torch.cases

A comment `# targets NAME...`, which may go on in the next lines, begins the cases of these implementations; with
`where FEATURE` at its end, those for processors that have it. What an implementation refuses is passed over, but not all of it.

Exit codes: 0 they do, 1 one does not, 77 the framework is not installed."""
import json
import pathlib
import subprocess
import sys
import tempfile

NOT_HERE = 125  # of convict: it cannot judge


def lists_of(file):
    """Pairs of implementations and the text of their cases."""
    for part in file.read_text().split("\n# targets ")[1:]:
        lines = part.splitlines()
        cases = [line for line in lines[1:] if not line.startswith("#")]
        head = " ".join([lines[0], *(line[1:] for line in lines if line.startswith("#"))])
        names, _, feature = head.partition(" where ")
        if not feature or f" {feature}" in pathlib.Path("/proc/cpuinfo").read_text():
            yield names.split(), "\n".join(cases)


def replay(convict, names, cases):
    """The exit code, and how often each implementation was judged."""
    with tempfile.NamedTemporaryFile("w", suffix=".cases") as file:
        file.write(cases)
        file.flush()
        command = [convict, "replay", file.name, "--target", ",".join(names), "--oracle", "none", "--relations", "none",
                   "--timeout", "120s", "--format", "json", "-q"]
        done = subprocess.run(command, capture_output=True, text=True)
    judged = {}
    for case in json.loads(done.stdout)["cases"] if done.stdout else []:
        for one in case["implementations"]:
            judged[one["name"]] = judged.get(one["name"], 0) + (not one["outcome"].startswith("refused"))
        if case["outcome"] != "passed":
            print(case["case"], json.dumps(case["mismatches"], indent=1))
    print(done.stderr, end="")
    return done.returncode, judged


def main(convict, file):
    failed = False
    for names, cases in lists_of(pathlib.Path(file)):
        code, judged = replay(convict, names, cases)
        if code == NOT_HERE:
            print("skipped: it is not installed")
            return 77
        print(", ".join(f"{name} {count}" for name, count in judged.items()))
        failed |= code != 0 or not all(judged.values())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
