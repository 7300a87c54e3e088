#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who has whose bug? Known bugs of one implementation, as cases, on all that are installed.

    tools/transfer.py build/release/convict [COMMAND...] > table.md

First writes corpus/transfer/findings.cases from the causes in corpus/known/. Then replays corpus/transfer/ on one
library after the other, and prints a table in Markdown: a row for each bug that somebody has here."""
import argparse
import collections
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "corpus" / "transfer"
# Variants of one library for other processors; the one for all of them stands for them.
ONE_OF_MANY = {"ggml": ("ggml:x64", "ggml:x64:direct")}


def causes():
    """Blocks of all files: a list of values for each key."""
    for path in sorted((ROOT / "corpus" / "known").glob("*.causes")):
        block = None
        for line in path.read_text().splitlines():
            key, _, value = line.strip().partition(" ")
            if key == "cause":
                if block:
                    yield block
                block = collections.defaultdict(list)
            if block is not None and key and not key.startswith("#"):
                block[key].append(value)
        if block:
            yield block


def write_findings():
    text = "# What convict has found (corpus/known/), each as one case. Written by tools/transfer.py.\n\n"
    for cause in causes():
        verdicts = cause["verdicts"][0].split()
        if verdicts == ["hang"]:
            continue  # takes hours
        expected = " => refused" if "accepts-invalid" in verdicts else ""
        text += f"# {cause['cause'][0]}: {cause['title'][0]}\n{cause['case'][0]}{expected}\n"
    (FOLDER / "findings.cases").write_text(text)


def origins():
    """The bug of each case, by file and line: the comment before it."""
    result = {}
    for path in sorted(FOLDER.glob("*.cases")):
        bug = ""
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if line.startswith("# "):
                bug = line[2:]
            elif line:
                result[f"{path}:{number}"] = bug
    return result


def libraries(convict, commands):
    """Implementations by library; native kernels together."""
    options = [word for command in commands for word in ("--command", command)]
    listing = subprocess.run([convict, "list", *options, "--format", "json"], check=True, capture_output=True, text=True)
    result = collections.defaultdict(list)
    for entry in json.loads(listing.stdout):
        library = "convict" if entry["lineage"] == "convict" else entry["name"].split(":")[0]
        if entry["name"] in ONE_OF_MANY.get(library, (entry["name"],)):
            result[library].append(entry["name"])
    return result


def outcomes(convict, names, commands):
    """By origin: "wrong", "right", or "-" where all refuse."""
    options = [word for command in commands for word in ("--command", command)]
    replay = [convict, "replay", str(FOLDER), "--target", ",".join(names), *options, "--oracle", "none", "-q"]
    done = subprocess.run([*replay, "--relations", "none", "--timeout", "5s", "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 125):
        raise SystemExit(f"{' '.join(replay)}: {done.stderr.strip()}")
    result = {}
    for case in json.loads(done.stdout)["cases"]:
        agrees = any(one["outcome"] == "agrees" for one in case["implementations"])
        result[case["origin"]] = "wrong" if case["mismatches"] else "right" if agrees else "-"
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("convict")
    parser.add_argument("commands", nargs="*", help="process targets, as for convict fuzz --command")
    arguments = parser.parse_args()
    write_findings()
    bugs = origins()
    by_library = {}
    for library, names in libraries(arguments.convict, arguments.commands).items():
        by_library[library] = outcomes(arguments.convict, names, arguments.commands)
    print(f"| bug | {' | '.join(by_library)} |\n|---|{'---|' * len(by_library)}")
    nowhere = 0
    for origin, bug in bugs.items():
        cells = [seen.get(origin, "-") for seen in by_library.values()]
        if "wrong" not in cells:
            nowhere += 1
            continue
        print(f"| {bug} | {' | '.join('**wrong**' if cell == 'wrong' else cell for cell in cells)} |")
    print(f"\n{len(bugs)} bugs; {nowhere} of them nobody has here.")


if __name__ == "__main__":
    main()
