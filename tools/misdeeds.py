#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a bad neighbour costs two good kernels: each misbehaving implementation of the test plugins and clients
is put on trial beside two native kernels.

    tools/misdeeds.py build/release/convict                       a table of all, some minutes
    tools/misdeeds.py build/release/convict --only crashes,hangs
    tools/misdeeds.py A/convict --plugins B/tests                 an older program with these plugins

Columns: cases a second on which the good ones were judged, as a share of what they reach alone; cases on which the
neighbour was judged; seconds until its first row; seconds of the whole campaign with --time. Nothing else should run on
the machine.
"""
import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

GOOD = ("direct", "im2col")
PLUGINS = ("faulty", "meddlers", "rude", "stateful", "heap_overrun", "crashes_later")
MISDEEDS_OF_CLIENTS = ("dies", "exits", "hangs", "stops_itself", "leaves_children_and_exits", "shrinks_the_file")
POLL = 0.05  # seconds between two looks at the database
PATIENCE = 120  # seconds for one campaign


def names(convict, words):
    out = subprocess.run([convict, "list", "implementations", "--format", "json"] + words,
                         capture_output=True, text=True, check=True).stdout
    return [one["name"] for one in json.loads(out)]


def implementations(convict, words):
    """Those of a plugin or of a client."""
    installed = set(names(convict, []))
    return [one for one in names(convict, words) if one not in installed]


def first_row(database, suspect):
    """Whether the database has a row of the suspect, or of nobody."""
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0) as db:
            query = "SELECT count(*) FROM mismatches WHERE suspect IN (?, 'unattributed')"
            return db.execute(query, (suspect,)).fetchone()[0] > 0
    except sqlite3.Error:
        return False


def campaign(convict, folder, neighbour, options):
    """Cases a second of the good ones, cases of the neighbour, seconds to its row, seconds in all."""
    database = os.path.join(folder, "convict.db")
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    targets = GOOD + ((neighbour[0],) if neighbour else ())
    command = [convict, "fuzz", "--oracle", "none", "--profile", "smoke", "--shrink", "none", "--illegal", "0", "-q", "-j", "1",
               "--timeout", options.timeout, "--time", f"{options.time}s", "--db", database, "--format", "json"]
    command += [word for target in targets for word in ("--target", target)]
    command += neighbour[1] if neighbour else []
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    killer = threading.Timer(PATIENCE, process.kill)
    killer.start()
    row = None
    said = []
    reader = threading.Thread(target=lambda: said.append(process.stdout.read()))
    reader.start()
    while process.poll() is None:
        if neighbour and row is None and first_row(database, neighbour[0]):
            row = time.monotonic() - start
        time.sleep(POLL)
    seconds = time.monotonic() - start
    killer.cancel()
    reader.join()
    try:
        computed = {one["name"]: one["computed"] for one in json.loads(said[0])["implementations"]}
    except (ValueError, KeyError):
        return None
    good = statistics.mean(computed.get(name, 0) for name in GOOD)
    return good / max(options.time, 1), computed.get(targets[-1], 0) if neighbour else 0, row, seconds


def neighbours(options):
    """A label, the name, and the words that load it."""
    for name in PLUGINS:
        plugin = os.path.join(options.plugins, name + ".so")
        if os.path.exists(plugin):
            for one in implementations(options.convict, ["--plugin", plugin]):
                yield one, one, ["--plugin", plugin]
    client = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/clients/misbehaving.py")
    for deed in MISDEEDS_OF_CLIENTS:
        words = ["--command", f"python3 {os.path.normpath(client)} {deed}"]
        for one in implementations(options.convict, words):
            yield f"client {deed}", one, words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convict")
    parser.add_argument("--plugins", help="folder of the test plugins [tests, beside the program]")
    parser.add_argument("--time", type=int, default=5, help="seconds of a campaign")
    parser.add_argument("--timeout", default="1s", help="of one call")
    parser.add_argument("--only", default="", help="these misdeeds, separated by commas")
    options = parser.parse_args()
    options.convict = os.path.abspath(options.convict)
    options.plugins = options.plugins or os.path.join(os.path.dirname(options.convict), "tests")
    only = set(filter(None, options.only.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        alone = campaign(options.convict, folder, None, options)
        if not alone:
            sys.exit(f"misdeeds: {options.convict} does not run")
        print(f"alone: {alone[0]:,.0f} cases/s\n")
        print("| neighbour | good ones | judged on | first row | campaign |\n|---|---|---|---|---|")
        for label, name, words in neighbours(options):
            if only and label not in only:
                continue
            found = campaign(options.convict, folder, (name, words), options)
            if not found:
                print(f"| {label} | no result in {PATIENCE} s | | | |", flush=True)
                continue
            rate, judged, row, seconds = found
            row_text = f"{row:.1f} s" if row else "none"
            print(f"| {label} | {100 * rate / alone[0]:.0f} % | {judged:,} | {row_text} | {seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
