#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One issue on GitHub for each cause that made a night red: opened, or brought up to date, never doubled.

Usage: deploy/issues.py [NIGHT]        the folder of a night that was reported [night]

Needs the program `gh`, with GH_TOKEN and, outside of a clone, GH_REPO in its environment. An issue is found again by
the first line of its body, a comment with a hash of the signature of one of its mismatches; one that was closed is reopened, because closing
settles nothing: `convict triage` does. All that a database says is foreign text, and is shown as code, where nothing
has a meaning.
Exit codes: 0 all issues are there, 1 gh failed, 2 usage
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

LABEL = 'convict'
MOST_NEW = 20  # in one night: a kernel that is wrong everywhere is one bug
LONGEST_BLOCK = 12_000  # characters; a body may have 65,536, and has five blocks at most
EXPORTS = {'py': ('PyTorch', 'python'), 'benchdnn.txt': ('benchdnn', 'text'), 'cpp': ('C++', 'cpp')}


def fail(code, message):
    print(f'issues: {message}', file=sys.stderr)
    sys.exit(code)


def gh(*arguments, body=None):
    try:
        done = subprocess.run(['gh', *arguments], input=body, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        fail(2, "'gh' is missing; valid: install the package gh")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ['no message']
        fail(1, f'gh {" ".join(arguments[:2])}: {lines[-1]}')
    return done.stdout


def visible(text):
    """Without what moves the cursor or turns the direction of writing."""
    return ''.join(c if c in '\n\t' or unicodedata.category(c) not in ('Cc', 'Cf', 'Cs') else '\ufffd' for c in text)


def block(text, language='text'):
    """A block of code that the text in it cannot end."""
    text = visible(text).rstrip('\n')
    if len(text) > LONGEST_BLOCK:
        text = text[:LONGEST_BLOCK] + f'\n... {len(text) - LONGEST_BLOCK} more characters'
    fence = '`' * max(3, 1 + max(map(len, re.findall('`+', text)), default=0))
    return f'{fence}{language}\n{text}\n{fence}\n'


def marker(row):
    digest = hashlib.sha256(row['signature'].encode('utf-8', 'surrogatepass')).hexdigest()[:16]
    return f'<!-- convict-signature: {digest} -->'


def title(row):
    suspect, verdict, operation = (' '.join(visible(part).split()) for part in row['coarse'].split('|', 2))
    return f'{suspect}: {verdict} in {operation}'[:200]


def folded(summary, text):
    return f'<details><summary>{summary}</summary>\n\n{text}\n</details>\n'


def where_it_ran():
    run = [os.environ.get(name) for name in ('GITHUB_SERVER_URL', 'GITHUB_REPOSITORY', 'GITHUB_RUN_ID')]
    return 'Last seen in {}/{}/actions/runs/{}\n'.format(*run) if all(run) else ''


def by_cause(rows):
    """Lists of rows: those of a cause, or one that belongs to none."""
    causes = {}
    for row in rows:
        causes.setdefault(row.get('cause') or ('row', row['id']), []).append(row)
    return list(causes.values())


def others(rows):
    """The other mismatches of a cause, a line each."""
    lines = [f'{int(row["id"])}: {row["coarse"]}: {row.get("shrunk") or row["case"]}' for row in rows]
    return 'Mismatches of the same cause:\n' + block('\n'.join(lines)) if lines else ''


def body(rows, folder, first_line):
    row = rows[0]
    shrunk = row.get('shrunk')
    facts = {'signature': row['signature'], 'case': shrunk or row['case'], 'fails if': row.get('predicate'),
             'hits': f'{row["hits"]}, from {row["first_seen"]} to {row["last_seen"]}'}
    number = int(row['id'])
    certificate = row.get('shrunk_certificate') if shrunk else None
    parts = [first_line, f'The {"shrunk" if shrunk else "simplest"} case, mismatch {number} of the database:\n',
             block('\n'.join(f'{name}: {value}' for name, value in facts.items() if value)), where_it_ran(),
             'Certificate:\n',
             block(json.dumps(certificate or row['certificate'], indent=1, ensure_ascii=False), 'json'), others(rows[1:])]
    for ending, (name, language) in EXPORTS.items():
        file = folder / f'{number}.{ending}'
        if file.is_file() and file.stat().st_size > 0:
            parts.append(folded(name, block(file.read_text(errors='replace'), language)))
    settled = f'cause {int(row["cause"])}' if row.get('cause') else str(number)
    parts.append(f'Settled by `convict triage {settled} --status known` (or `reported`, `wontfix`, `fixed`), not by '
                 'closing this issue.\n')
    return '\n'.join(part for part in parts if part)


def known_issues():
    """By the first line of their bodies, where nobody's text but ours can be."""
    listed = json.loads(gh('issue', 'list', '--label', LABEL, '--state', 'all', '--limit', '1000', '--json',
                           'number,state,body'))
    return {issue['body'].splitlines()[0].strip(): issue for issue in listed if issue['body'].strip()}


def marker_of(rows, known):
    """That of the issue which one of them has already, or of the first."""
    return next((marker(row) for row in rows if marker(row) in known), marker(rows[0]))


def open_or_refresh(rows, folder, known):
    """True if a new issue was opened."""
    first_line = marker_of(rows, known)
    issue = known.get(first_line)
    text = ['--title=' + title(rows[0]), '--body-file=-']
    if issue is None:
        print(gh('issue', 'create', *text, '--label=' + LABEL, body=body(rows, folder, first_line)).strip())
        return True
    number = str(int(issue['number']))
    gh('issue', 'edit', number, *text, body=body(rows, folder, first_line))
    if issue['state'].upper() == 'CLOSED':
        gh('issue', 'reopen', number)
    print(f'issue {number} brought up to date')
    return False


def main(arguments):
    if any(argument in ('-h', '--help') for argument in arguments):
        print(__doc__.strip())
        return
    if len(arguments) > 1:
        fail(2, f"one folder at most, not '{arguments[1]}'; --help says more")
    night = pathlib.Path(arguments[0] if arguments else 'night')
    try:
        ids = [int(row['id']) for row in json.loads((night / 'new.json').read_text())]
        rows = [json.loads((night / 'new' / f'{number}.json').read_text()) for number in ids]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(2, f"'{night}' is no folder of a night that was reported ({error}); valid: after deploy/night.sh report")
    if not rows:
        return
    gh('label', 'create', LABEL, '--description', 'found by convict', '--force')
    known, opened, left = known_issues(), 0, 0
    for cause in by_cause(rows):
        if marker_of(cause, known) not in known and opened == MOST_NEW:
            left += 1
        else:
            opened += open_or_refresh(cause, night / 'new', known)
    if left:
        print(f'{left} more causes than the {MOST_NEW} new issues of one night: see the report')


main(sys.argv[1:])
