#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client announces what its table says (clients/NAME/client.json), where it is installed: that is what `list` shows, and
what campaigns and known causes go by.

    tests/clients/table_test.py CONVICT NAME

Exit codes: 0 it does, 1 it does not, 77 it is not installed."""
import json
import subprocess
import sys

NOT_HERE = 125  # of convict: it cannot judge


def listed(convict, *options):
    command = [convict, "list", "--format", "json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def offers(rows):
    return {row["name"]: (row["version"], row["description"]) for row in rows}


def main(convict, name):
    one_case = [convict, "repro", "conv2d in=3x3 k=1x1", "--target", name, "--oracle", "none", "-q"]
    tried = subprocess.run(one_case, check=False, stdout=subprocess.DEVNULL)  # `list` takes a second to know it
    if tried.returncode == NOT_HERE:  # and has said why
        return 77
    before = listed(convict)
    known = [row for row in before if row["client"] == name]
    said, announced = offers(known), offers(
        row for row in listed(convict, "--command", known[0]["command"]) if row not in before)
    for one in sorted(said.keys() | announced.keys()):
        if said.get(one) != announced.get(one):
            print(f"{one}: the table says {said.get(one)}, and the client {announced.get(one)}")
    if said != announced:
        print(json.dumps({one: announced[one][1] for one in sorted(announced)}, indent=2))
    return int(said != announced)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
