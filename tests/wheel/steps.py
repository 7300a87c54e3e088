#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py FOLDER: the commands of action.yml and deploy/ci/wheel, each as a script that leaves what they leave and ends with the exit
code of the trial. Prints what is wrong with the files and exits with 1 if anything is: they are held to the schemas of their
services, and the extras of the wheel to the versions that clients are tested with."""
import pathlib
import subprocess
import sys
import tomllib

import ruamel.yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(name):
    return ruamel.yaml.YAML(typ="safe").load(ROOT / name)


def trial_and_then(commands, trial):
    """A script in which what comes after the trial runs whatever came of it."""
    lines = [f"{line} || code=$?" if trial in line else line for line in commands]
    return "\n".join(["code=0", *lines, "exit $code", ""])


def scripts():
    yield "action", [step["run"] for step in load("action.yml")["runs"]["steps"] if "run" in step]
    yield "gitlab", load("deploy/ci/wheel/gitlab.yml")[".convict"]["script"]
    (hook,) = load("deploy/ci/wheel/pre-commit.yaml")["repos"][0]["hooks"]
    yield "pre-commit", [hook["entry"].replace("mine.py", "plain.py") + ' $BASELINE']
    line = (ROOT / "deploy/ci/wheel/crontab").read_text().splitlines()[-1]
    command = line.split(maxsplit=5)[5].replace("/kernels", "").replace("mine.py", "plain.py")
    yield "cron", [command + ' $BASELINE']


def schema_problems():
    checks = [("check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
              ("check_jsonschema", "--builtin-schema", "vendor.github-workflows", "deploy/ci/wheel/workflow.yml"),
              ("check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", "deploy/ci/wheel/gitlab.yml"),
              ("pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"),
              ("pre_commit", "validate-config", "deploy/ci/wheel/pre-commit.yaml")]
    for check in checks:
        done = subprocess.run([sys.executable, "-m", *check], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            yield f"{check[-1]}: {done.stdout}{done.stderr}"


def version_problems():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for file in ROOT.glob("clients/*/requirements.txt"):
        tested = {line for line in file.read_text().splitlines() if line and not line.startswith("#")}
        if set(project["optional-dependencies"].get(file.parent.name, [])) != tested:
            yield f"pyproject.toml: the extra '{file.parent.name}' is not what {file.relative_to(ROOT)} says"


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, commands in scripts():
    (folder / name).write_text(trial_and_then(commands, "convict-check"))
problems = [*schema_problems(), *version_problems()]
print("\n".join(problems))
sys.exit(1 if problems else 0)
