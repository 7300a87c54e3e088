#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do the frameworks answer today, where their bugs founded convict?

    tools/seeds.py build/release/convict > table.md
    tools/seeds.py

The first asks what tools/seeds_claims.txt names for each claim, on the case lines there, and prints a table in Markdown.
Both fail if such a line is not in corpus/seeds/; the second, if the table of docs/seeds.md has other lines."""
import collections
import datetime
import fnmatch
import json
import re
import subprocess
import sys
import tempfile

import transfer

PAGE = transfer.ROOT / "docs" / "seeds.md"
CLAIMS = transfer.ROOT / "tools" / "seeds_claims.txt"
FRAMEWORKS = {"tvm": "TVM", "torch": "PyTorch", "tf": "TensorFlow", "paddle": "PaddlePaddle", "jax": "JAX"}
Claim = collections.namedtuple("Claim", "title lines asked causes")


def prefix(name):
    return name.split(":")[0]


def claims():
    """Of blocks of lines, each a word and its text; each block begins with "claim"."""
    found = []
    for word, text in re.findall(r"^(\w+) (.*)$", CLAIMS.read_text(), re.M):
        if word == "claim":
            found.append(Claim(text, [], [], []))
        else:
            {"case": found[-1].lines, "asked": found[-1].asked, "known": found[-1].causes}[word].extend(
                [text] if word == "case" else text.split())
    return found


def answers(convict, file, names):
    """By name and line number: what `replay` says of it, as (outcome, verdict of an accusation or None)."""
    # A batch of a compiler, or of one that shares its cores, is allowed its time.
    options = ["--oracle", "none", "--relations", "none", "--timeout", "10m", "-q", "--format", "json"]
    replay = [convict, "replay", file, "--target", ",".join(sorted(names)), *options]
    done = subprocess.run(replay, capture_output=True, text=True)
    if done.returncode not in (0, 1, 125):
        raise SystemExit(f"{' '.join(replay)}: {done.stderr.strip()}")
    result = {}
    for case in json.loads(done.stdout)["cases"]:
        accused = {one["suspect"]: one["verdict"] for one in case["mismatches"] if one["blame"] != "nobody"}
        for one in case["implementations"]:
            result[one["name"], int(case["origin"].split(":")[-1])] = one["outcome"], accused.get(one["name"])
    return result


def cause_of(claim, name, verdict):
    """A link to the one among those that the claim names."""
    for cause in transfer.causes():
        known = cause["cause"][0]
        if known in claim.causes and fnmatch.fnmatch(name, cause["suspect"][0]) and verdict in cause["verdicts"][0]:
            page, file = f"findings/{known}.md", f"../corpus/known/{known.split('-')[0]}.causes"
            return f"[{known}]({page if (PAGE.parent / page).exists() else file})"
    return "a cause that is not known"


def cell(claim, outcomes, notes):
    """Of one framework, from answers by name: "agrees" if all do. What needs more words is a note."""
    note = (lambda text: f"({notes.setdefault(text, len(notes) + 1)})")
    groups = collections.defaultdict(list)
    for name, (outcome, verdict) in outcomes.items():
        kind, _, reason = outcome.partition(": ")
        if verdict:
            kind = "**wrong** " + note(f"{verdict}: {cause_of(claim, name, verdict)}")
        elif kind == "refused":
            kind += " " + note(reason)
        groups[kind].append(name.partition(":")[2])
    return kind if len(groups) == 1 else "; ".join(f"{', '.join(names)}: {said}" for said, names in groups.items())


def ask(convict, clients, lines):
    """All answers. One client after the other: some take half a minute of a core to start, and have a minute."""
    asked = collections.defaultdict(set)
    for name in {name for claim in claims() for name in claim.asked if name in clients}:
        asked[clients[name]["client"]].add(name)
    with tempfile.NamedTemporaryFile("w", suffix=".cases") as file:
        print("\n".join(lines), file=file, flush=True)
        return collections.ChainMap(*(answers(convict, file.name, names) for names in asked.values()))


def print_table(convict, lines):
    listing = json.loads(subprocess.check_output([convict, "list", "--format", "json"]))
    clients = {entry["name"]: entry for entry in listing if entry["installed"] and "client" in entry}
    versions = {prefix(name): entry["version"] for name, entry in clients.items()}
    said, notes = ask(convict, clients, lines), {}
    heads = [f"{title} {versions.get(key, '')}".strip() for key, title in FRAMEWORKS.items()]
    print(f"Measured on {datetime.date.today()}.\n\n| case | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for claim in claims():
        print(f"| **{claim.title}** |{' |' * len(heads)}")
        for line in claim.lines:
            number = lines.index(line) + 1
            cells = [cell(claim, {name: said[name, number] for name in claim.asked if prefix(name) == key}, notes)
                     if key in versions else "not installed" for key in FRAMEWORKS]
            print(f"| `{line}` | {' | '.join(cells)} |")
    print("\n" + "\n".join(f"{number}. {text}" for text, number in notes.items()))


def main():
    lines = [line for claim in claims() for line in claim.lines]
    files = (transfer.ROOT / "corpus" / "seeds").glob("*.cases")
    seeds = {line.split("#")[0].strip() for file in files for line in file.read_text().splitlines()}
    if strangers := set(lines) - seeds:
        raise SystemExit("\n".join(["not in corpus/seeds:", *strangers]))
    if len(sys.argv) > 1:
        print_table(sys.argv[1], lines)
    elif re.findall(r"^\| `(.*?)` \|", PAGE.read_text(), re.M) != lines:
        raise SystemExit("the table has other lines: `make seeds`")


if __name__ == "__main__":
    main()
