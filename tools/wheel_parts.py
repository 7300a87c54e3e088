#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says in a wheel what is inside: the licences of the packages whose libraries auditwheel has put there and of those that
were compiled into the program; and an SBOM of those that are not in auditwheel's.

    wheel_parts.py WHEEL BUILD_FOLDER    changes the wheel

What was compiled in is what ninja knows: headers and archives of Debian packages. Needs the packages `wheel` and
`cyclonedx-python-lib`."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def packages_of(files):
    """Names of the Debian packages that have these files, with their versions."""
    paths = {str(pathlib.Path(file).resolve()) for file in files}
    paths |= {path.removeprefix("/usr") for path in paths}  # some packages have files in /lib, which is a link to /usr/lib
    known = subprocess.run(["dpkg-query", "--search", *paths], capture_output=True, text=True, check=False).stdout
    names = {name.split(":")[0] for line in known.splitlines() for name in line.rpartition(": ")[0].split(", ")}
    return {name: output_of("dpkg-query", "--show", "--showformat=${Version}\n", name).split("\n")[0] for name in names}


def compiled_in(build):
    """Files of the distribution that became parts of the program."""
    headers = re.findall(r"^ +(/usr/\S+)$", output_of("ninja", "-C", build, "-t", "deps"), re.MULTILINE)
    link = output_of("ninja", "-C", build, "-t", "commands", "convict")
    chart = re.search(r"^CHART_JS:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    return {*headers, *re.findall(r"/usr/\S+\.a\b", link), chart}


def carried(root, build):
    """Files of the distribution that auditwheel has copied, which has put a hash behind their names."""
    names = {file.name.split("-")[0] for file in root.glob("*.libs/*")}
    needed = re.findall(r" => (/\S+)", output_of("ldd", build / "convict"))
    files = {file for file in needed if pathlib.Path(file).name.split(".so")[0] in names}
    if len(files) != len(names):
        raise SystemExit(f"the wheel carries {sorted(names)}, and the program needs {sorted(files)} of them")
    return files


def sbom_of(packages):
    bom = Bom()
    for name, version in sorted(packages.items()):
        url = PackageURL("deb", "debian", name, version)
        bom.components.add(Component(name=name, version=version, type=ComponentType.LIBRARY, purl=url, bom_ref=str(url)))
    return JsonV1Dot6(bom).output_as_string(indent=1)


def add_licences(info, packages):
    """Copies them, and names them in the metadata."""
    lines = []
    for name in sorted(packages):
        shutil.copy(f"/usr/share/doc/{name}/copyright", info / "licenses" / f"{name}.txt")
        lines.append(f"License-File: {name}.txt\n")
    metadata = info / "METADATA"
    own = "License-File: LICENSE\n"
    text = metadata.read_text()
    if own not in text:
        raise SystemExit(f"{metadata.name} names no licence")
    metadata.write_text(text.replace(own, own + "".join(lines), 1))


def main(wheel, build):
    wheel, build = pathlib.Path(wheel).resolve(), pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        output_of(sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel)
        (root,) = pathlib.Path(folder).iterdir()
        (info,) = root.glob("*.dist-info")
        inside = packages_of(compiled_in(build) | carried(root, build))
        told = {one["name"] for one in json.loads((info / "sboms/auditwheel.cdx.json").read_text())["components"]}
        others = {name: version for name, version in inside.items() if name not in told}
        (info / "sboms/program.cdx.json").write_text(sbom_of(others))
        add_licences(info, inside)
        wheel.unlink()
        output_of(sys.executable, "-m", "wheel", "pack", "--dest-dir", wheel.parent, root)


main(*sys.argv[1:])
