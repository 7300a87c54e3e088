#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds workflow files to what this repository has: every command in them is one that exists.

Usage: check_workflows.py ROOT FILE.yml...     prints what is wrong, and exits with 1 if anything is

A make target is one `make -n` knows; a script is there, and its words are in its --help; so are the words and flags of
convict (named by CONVICT in the environment); any other program is on the list below, or here. In workflows for other
repositories (deploy/ci) this one is a clone, `convict`, and a file of GitLab is one job. Actions are pinned to a
version, jobs have a time limit and run in Debian 12, permissions are least, expressions stay out of commands, and the
shards of a matrix are as many as SHARDS says.
"""
import os
import pathlib
import re
import subprocess
import sys

import yaml

INSTALLED = {'apt-get': r'apt-get (update|install -y --no-install-recommends [a-z -]+)$'}
SHELL = {'for', 'do', 'done', 'tar', 'cat', 'test', 'mkdir'}
CLONE = {'git': r'git clone --depth 1 --branch "\$CONVICT_REF" "\$CONVICT_URL" convict',
         'cp': r'cp convict/src/abi/convict\.h include/convict/',
         'cc': r'cc -O2 -shared -fPIC -Iinclude -o mine\.so mine\.c'}


def words_known_to(command, line):
    """Words and flags of a command line that the --help of the command does not have."""
    asked = subprocess.run([*command, '--help'], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return [f'{" ".join(command)} --help fails']
    words = re.findall(r'(?<![\w-])(--?[a-z][a-z-]*)', line)
    return [f'{word}: unknown to {" ".join(command)}' for word in words
            if not re.search(rf'(^|[\s,]){word}\b', asked.stdout, re.MULTILINE)]


def check_script(root, line):
    script, *words = line.split()
    if not os.access(root / script, os.X_OK):
        return [f'{script} is no program']
    usage = subprocess.run([root / script, '--help'], capture_output=True, text=True, check=True).stdout
    names = [word for word in words if re.fullmatch(r'-*[a-z]+', word)]
    return [f'{script}: {word} is not in its help' for word in names if not re.search(rf'(?<![\w-]){word}\b', usage)]


def check_convict(line):
    return words_known_to([os.environ['CONVICT'], line.split()[1]], line)


def check_command(root, line):
    program = line.split()[0]
    if program in CLONE:
        return [] if re.fullmatch(CLONE[program], line) else [f'not as everywhere else: {line}']
    if program in SHELL:
        return []
    for file in re.findall(r'(?<!\S)convict/(?!build/)\S+', line):
        if not (root / file.removeprefix('convict/')).exists():
            return [f'there is no {file}']
    line = line.replace('make -C convict ', 'make ').removeprefix('convict/')
    program = line.split()[0]
    if program == 'make':
        done = subprocess.run(['make', '-n', '-C', root, *line.split()[1:]],
                              capture_output=True, text=True, check=False)
        return [] if done.returncode == 0 else [done.stderr.strip().splitlines()[0]]
    if program.startswith('deploy/'):
        return check_script(root, line)
    if program == 'build/release/convict':
        return check_convict(line)
    if program in INSTALLED:
        return [] if re.fullmatch(INSTALLED[program], line) else [f'not as everywhere else: {line}']
    return [f'unknown program: {program}']


def check_step(root, step):
    uses, run = step.get('uses'), step.get('run')
    if uses and not re.fullmatch(r'[\w-]+(/[\w-]+)+@v\d+(\.\d+)*', uses):
        yield f'{uses} is not pinned'
    if run and '${{' in run:
        yield f'an expression in a command: {run}'
    for line in filter(None, (part.strip() for part in re.split(r'&&|\|\||;|\n', run or ''))):
        yield from check_command(root, line.removeprefix('do '))


def check_job(root, workflow, job):
    if 'timeout-minutes' not in job:
        yield 'no timeout-minutes'
    if job.get('container') not in ('debian:12', 'debian:13'):
        yield 'container is not debian:12 or debian:13'
    if any(value == 'write' and name != 'issues' for name, value in (job.get('permissions') or {}).items()):
        yield 'more permissions than to write issues'
    shards = job.get('strategy', {}).get('matrix', {}).get('shard')
    if shards is not None and shards != list(range(1, int(workflow['env']['SHARDS']) + 1)):
        yield f'the matrix has {shards}, and SHARDS is {workflow["env"]["SHARDS"]}'
    for step in job['steps']:
        yield from check_step(root, step)


def check_gitlab(root, job):
    for name in {'image', 'timeout', 'rules', 'cache', 'before_script', 'script', 'artifacts'} - job.keys():
        yield f'{name} is missing'
    for part in ('before_script', 'script', 'after_script'):
        for line in job.get(part, []):
            yield from check_step(root, {'run': line})


def check_workflow(root, file):
    try:
        workflow = yaml.safe_load(file.read_text())
    except yaml.YAMLError as error:
        yield f'is no YAML: {error}'
        return
    if 'gitlab' in file.name:
        yield from check_gitlab(root, workflow['trial'])
        return
    if workflow.get('permissions') != {'contents': 'read'}:
        yield 'permissions of the workflow are not contents: read'
    for name in {'name', 'concurrency', 'jobs'} - workflow.keys():
        yield f'{name} is missing'
    for name, job in workflow.get('jobs', {}).items():
        for problem in check_job(root, workflow, job):
            yield f'{name}: {problem}'


problems = [f'{name}: {problem}' for name in sys.argv[2:]
            for problem in check_workflow(pathlib.Path(sys.argv[1]), pathlib.Path(name))]
print('\n'.join(problems))
sys.exit(1 if problems else 0)
