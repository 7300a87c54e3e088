#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts each mutant on trial, and prints how many causes it is shown as and how often its explanation is right.

    tools/mutant_causes.py build/release [--time 20s] [--fresh 2000] [MUTANT...]

A mutant has one fault, so that one cause is right. An explanation is tried on fresh cases of its operation
(`convict explain --check`). The plugins are those of the build tree: `ninja -C build/release mutants_p mutants_b`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

MODULES = {
    'mutants_p.so': [f'P{i:02}' for i in range(1, 35)],
    'mutants_b.so': [f'B{i:02}' for i in range(1, 30)] + [f'D{i:02}' for i in range(1, 13)],
}


def convict(program, *words, also=()):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, *also):  # 1: mismatches, which mutants have
        raise SystemExit(f"'convict {' '.join(words)}' ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def causes_of(program, plugin, mutant, options, database):
    convict(program, 'fuzz', '--plugin', plugin, '--target', mutant, '--oracle', 'none', '--time', options.time, '-j',
            '1', '-q', '--db', database)
    return json.loads(convict(program, 'list', 'causes', '--db', database, '--format', 'json'))


def share_right(program, plugin, mutant, cause, options, database):
    """Of the mismatch that explains the cause; None if nothing does."""
    for row in cause['mismatches']:
        # 2: the explanation of an earlier row has covered this one, too, and taken it in.
        text = convict(program, 'explain', str(row), '--db', database, '--plugin', plugin, '--target', mutant, '--oracle',
                       'none', '-q', '--check', str(options.fresh), '--format', 'json', also=(2,))
        found = json.loads(text or '{}')
        if 'fresh' in found:
            return found['fresh']['share_right']
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', help='build tree with convict and tests/mutants_*.so')
    parser.add_argument('mutants', nargs='*', help='only these')
    parser.add_argument('--time', default='20s', help='of each campaign')
    parser.add_argument('--fresh', type=int, default=2000, help='cases that an explanation is tried on')
    options = parser.parse_args()
    program = os.path.join(options.build, 'convict')
    counts, shares = [], []
    for module, mutants in MODULES.items():
        plugin = os.path.join(options.build, 'tests', module)
        for mutant in mutants:
            if options.mutants and mutant not in options.mutants:
                continue
            with tempfile.TemporaryDirectory() as folder:
                database = os.path.join(folder, 'mutant.db')
                causes = causes_of(program, plugin, mutant, options, database)
                most = max(causes, key=lambda cause: cause['hits'], default=None)
                right = share_right(program, plugin, mutant, most, options, database) if most else None
            counts.append(len(causes))
            shares.extend([] if right is None else [right])
            print(f'{mutant}  {len(causes)} causes' + ('' if right is None else f'  right for {100 * right:.1f} %'))
            sys.stdout.flush()
    print(f'{len(counts)} mutants: {counts.count(1)} with one cause, at most {max(counts, default=0)}')
    if shares:
        print(f'explanations are right for {100 * statistics.median(shares):.1f} % (median of {len(shares)})')


if __name__ == '__main__':
    main()
