#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A `gh` that keeps its issues in a file, GH_STATE, and notes its calls in another, GH_CALLS: for issues_test.sh."""
import json
import os
import pathlib
import sys

state = pathlib.Path(os.environ['GH_STATE'])
issues = json.loads(state.read_text()) if state.exists() else []
command = sys.argv[1:]
with open(os.environ['GH_CALLS'], 'a') as calls:
    calls.write(json.dumps(command) + '\n')
options = dict(word[2:].split('=', 1) for word in command if word.startswith('--') and '=' in word)
if os.environ.get('GH_FAILS') == ' '.join(command[:2]):
    sys.exit('HTTP 403: Resource not accessible by integration')
if command[:2] == ['issue', 'list']:
    print(json.dumps(issues))
elif command[:2] == ['issue', 'create']:
    assert options['body-file'] == '-' and options['label'] == 'convict'
    issues.append({'number': len(issues) + 1, 'state': 'OPEN', 'title': options['title'], 'body': sys.stdin.read()})
    print(f'https://example.org/issues/{len(issues)}')
elif command[:2] == ['issue', 'edit']:
    issues[int(command[2]) - 1].update(title=options['title'], body=sys.stdin.read())
elif command[:2] == ['issue', 'reopen']:
    issues[int(command[2]) - 1]['state'] = 'OPEN'
elif command[:2] != ['label', 'create']:
    sys.exit(f'unexpected: {command}')
state.write_text(json.dumps(issues))
