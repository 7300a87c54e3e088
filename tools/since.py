#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Since which release has a framework a known bug, and has it gone?

    tools/since.py build/release/convict torch-fused-one-output tvm-spatial-letters
    tools/since.py build/release/convict --target torch:x86 torch-quantized-conv-groups

For each cause of corpus/known/, releases of the framework's package are installed into build/since/, as few as a binary
search needs, and asked for the cause's first case. What they answer is kept in build/since/answers.json, so that a search
goes on where it was interrupted. Releases that cannot be installed on this Python, or not be asked, are left out, and
named. The last line of a search is a note for the cause's file.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

import transfer

CLIENTS = transfer.ROOT / "clients"
FOLDER = transfer.ROOT / "build" / "since"
HAS, RIGHT = "has it", "right"


def version_key(version):
    return [int(number) for number in re.findall(r"\d+", version)]


class Releases:
    """Of one package: those that are no trial versions, the oldest first, each with the day it was published."""

    def __init__(self, package):
        from pip._internal.models.index import PyPI  # whichever index this pip asks
        from pip._vendor.packaging.specifiers import SpecifierSet
        from pip._vendor.packaging.utils import parse_wheel_filename

        question = urllib.request.Request(f"{PyPI.simple_url}/{package.split('[')[0]}/",
                                          headers={"Accept": "application/vnd.pypi.simple.v1+json"})
        with urllib.request.urlopen(question, timeout=60) as answer:
            files = json.load(answer)["files"]
        python = ".".join(map(str, sys.version_info[:3]))
        self.days = {}
        for file in files:
            if not file["filename"].endswith(".whl") or file.get("yanked"):
                continue
            if not SpecifierSet(file.get("requires-python") or "").contains(python):
                continue
            version = str(parse_wheel_filename(file["filename"])[1])
            if re.fullmatch(r"[\d.]+(\.post\d+)?", version):
                self.days[version] = min(self.days.get(version, "9"), file.get("upload-time", "")[:10])
        self.versions = sorted(self.days, key=version_key)
        self.package = package

    def beside(self, version, day):
        """As pip is asked for it, beside that version of another package, of that day: the one of the same number, as
        jaxlib beside jax, or none that is newer than that day. Any, if the first one is later."""
        if version in self.days:
            return f"{self.package}=={version}"
        versions = [one for one in self.versions if self.days[one] <= day]
        return f"{self.package}<={versions[-1]}" if versions else self.package


class Framework:
    """A client's folder, and releases of its package in environments of their own."""

    def __init__(self, convict, folder):
        self.convict, self.folder = convict, folder
        lines = (CLIENTS / folder / "requirements.txt").read_text().splitlines()
        pins = [line.split("==") for line in lines if "==" in line]
        self.package, self.pinned = pins[0]
        self.releases, *self.others = [Releases(package) for package, _ in pins]
        self.file = FOLDER / "answers.json"
        self.answers = json.loads(self.file.read_text()) if self.file.exists() else {}

    def python(self, version):
        """That of an environment with this release, and with the other required packages of its day. Raises
        CalledProcessError."""
        place = FOLDER / self.folder / version
        if not (place / "installed").exists():
            shutil.rmtree(place, ignore_errors=True)
            day = self.releases.days[version]
            subprocess.run([sys.executable, "-m", "venv", place], check=True)
            subprocess.run([place / "bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:",
                            f"{self.package}=={version}", *(one.beside(version, day) for one in self.others)],
                           check=True, capture_output=True, text=True)
            (place / "installed").touch()
        return str(place / "bin/python")

    def asked(self, version, target, line, verdicts):
        """What a release answers: HAS, RIGHT, or why neither can be said."""
        try:
            python = self.python(version)
        except subprocess.CalledProcessError as error:
            return f"not installed: {(error.stderr or '?').strip().splitlines()[-1][:200]}"
        repro = [self.convict, "repro", "--target", target, "--oracle", "none", "--timeout", "60s", "--format", "json", line]
        done = subprocess.run(repro, capture_output=True, text=True, env={**os.environ, "CONVICT_PYTHON": python})
        if done.returncode == 0:
            return RIGHT
        try:
            seen = {one["verdict"] for one in json.loads(done.stdout)["mismatches"] if one["suspect"] == target}
        except (ValueError, KeyError):
            seen = set()
        if done.returncode == 1 and seen & set(verdicts):
            return HAS
        return f"another answer: {', '.join(sorted(seen)) or done.stderr.strip()[-200:] or 'refused'}"

    def answer(self, version, target, line, verdicts):
        known = self.answers.setdefault(self.package, {}).setdefault(version, {})
        key = f"{target} {line}"
        if key not in known:
            print(f"  {self.package} {version} ({self.releases.days.get(version, '?')}): ", end="", flush=True)
            known[key] = self.asked(version, target, line, verdicts)
            print(known[key], flush=True)
            FOLDER.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.answers, indent=1))
        return known[key]


def boundary(versions, answer, before):
    """The first release that does not answer `before`, if the first one of `versions` does, or None; and the last one
    that does. Releases that cannot say are passed over."""
    able = list(versions)
    low, high = 0, len(able)  # able[low] answers `before`, able[high] does not
    while high - low > 1:
        middle = (low + high) // 2
        said = answer(able[middle])
        if said == before:
            low = middle
        elif said in (HAS, RIGHT):
            high = middle
        else:
            del able[middle]
            high -= 1
    return (able[high] if high < len(able) else None), able[low]


def ends(versions, answer):
    """The first and the last release that say either: before the first, two in a row cannot be asked. Raises SystemExit
    if there is none."""
    def says(version):
        return answer(version) in (HAS, RIGHT)

    last = next((version for version in reversed(versions) if says(version)), None)
    if last is None:
        raise SystemExit("no release can be asked")
    silent, able = -1, versions.index(last)
    while able - silent > 1:
        middle = (silent + able) // 2
        spoke = next((place for place in (middle, middle + 1) if place < able and says(versions[place])), None)
        if spoke is None:
            silent = middle
        else:
            able = spoke
            silent = max(silent, middle) if spoke > middle else silent
    return versions[able], last


def search(framework, cause, target):
    line, verdicts = cause["case"][0], cause["verdicts"][0].split()
    days = framework.releases.days

    def answer(version):
        return framework.answer(version, target, line, verdicts)

    def dated(version):
        return f"{version} ({days[version]})"

    versions = framework.releases.versions
    first, last = ends(versions, answer)
    has = next((one for one in (last, framework.pinned) if answer(one) == HAS), None)
    if not has:
        return f"Neither {dated(last)} nor {dated(framework.pinned)} has it"
    since, before = first, None
    if answer(first) == RIGHT:
        since, before = boundary(versions[versions.index(first):versions.index(has) + 1], answer, RIGHT)
    told = f"Since {dated(since)}; {dated(before)} is right" if before else f"In {dated(since)}, the first that can be asked"
    if has == last:
        told += f"; still there in {dated(last)}"
    else:
        gone, still = boundary(versions[versions.index(has):versions.index(last) + 1], answer, HAS)
        told += f"; last seen in {dated(still)}, gone in {dated(gone)}"
    return told


def client_of(convict, pattern):
    """The first implementation of a client that the suspect of a cause stands for, and the client's folder."""
    for table in sorted(CLIENTS.glob("*/client.json")):
        for program in json.loads(table.read_text()):
            for name in program["implementations"]:
                if fnmatch.fnmatchcase(name, pattern):
                    return name, table.parent.name
    raise SystemExit(f"{pattern} is no implementation of a client")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convict")
    parser.add_argument("causes", nargs="+", metavar="CAUSE", help="a name, in which * stands for any text")
    parser.add_argument("--target", help="the implementation that is asked; default: the first of the cause's suspects")
    parser.add_argument("--keep", action="store_true", help="keep the environments, of up to 1.6 GB each")
    options = parser.parse_args()
    known = {cause["cause"][0]: cause for cause in transfer.causes()}
    wanted = [name for pattern in options.causes for name in fnmatch.filter(known, pattern)]
    if not wanted:
        raise SystemExit(f"no cause is called {options.causes[0]}; `grep ^cause corpus/known/*` has all")
    frameworks = {}
    for name in wanted:
        target, folder = client_of(options.convict, options.target or known[name]["suspect"][0])
        framework = frameworks.setdefault(folder, Framework(options.convict, folder))
        print(f"{name}, asked of {target}:")
        print(f"note {search(framework, known[name], target)}.", flush=True)
    left_out = {version: said for framework in frameworks.values()
                for version, answers in framework.answers.get(framework.package, {}).items()
                for said in answers.values() if said not in (HAS, RIGHT)}
    for version, said in left_out.items():
        print(f"left out: {version}: {said}")
    if not options.keep:
        for folder in frameworks:
            shutil.rmtree(FOLDER / folder, ignore_errors=True)


if __name__ == "__main__":
    main()
