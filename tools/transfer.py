#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who has whose bug? Known bugs of one implementation, as cases, on all that are installed.

    tools/transfer.py --cases > corpus/transfer/findings.cases
    tools/transfer.py build/release/convict > table.md
    tools/transfer.py build/release/convict --only torch,tvm > table.md
    tools/transfer.py build/release/convict --missing > table.md

The first prints the causes in corpus/known/ as cases. The second replays corpus/transfer/ on one library after the other,
and prints a table in Markdown: a row for each bug that somebody has. docs/transfer.json has all rows. Columns of libraries
that are not installed, or not among those of --only, stay as they are there; what they were not asked is empty. With
--missing, libraries are asked for their empty cells alone."""
import argparse
import collections
import datetime
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "corpus" / "transfer"
TABLE = ROOT / "docs" / "transfer.json"
# Of libraries with many variants, those that stand for them: of ggml, the one for all processors; of frameworks, such as
# compile nothing, or little.
SOME_OF_MANY = {
    "ggml": ("ggml:x64", "ggml:x64:direct"),
    "torch": ("torch:eager", "torch:native", "torch:channels-last", "torch:grad", "torch:vmap-filters", "torch:fused",
              "torch:x86", "torch:qnnpack"),
    "paddle": ("paddle:eager", "paddle:auto-pad", "paddle:onednn", "paddle:onednn:old:test", "paddle:onednn:nhwc"),
    "tf": ("tf:eager", "tf:nchw", "tf:depthwise", "tf:f16", "tf:bf16", "tf:eager:eigen"),
    "jax": ("jax:jit:nhwc", "jax:transpose:nhwc"),
    "tvm": ("tvm:relax", "tvm:topi"),
    "openvino": ("openvino:constant", "openvino:bf16", "openvino:onnx:output-shape"),
    "executorch": ("executorch:portable", "executorch:portable:f16", "executorch:exported:channels-last",
                   "executorch:xnnpack", "executorch:xnnpack:int8"),
    "keras": ("keras:torch", "keras:openvino", "keras:tensorflow"),
    "mnn": ("mnn:plain", "mnn:auto-pad", "mnn:functions", "mnn:int8", "mnn:output-shape", "mnn:inputs", "mnn:groups",
            "mnn:resized"),
    "ncnn": ("ncnn:sgemm", "ncnn:plain", "ncnn:auto-pad", "ncnn:int8", "ncnn:bf16"),
    "ort": ("ort:plain", "ort:all", "ort:auto-pad", "ort:qlinear", "ort:integer"),
}


def causes():
    """Blocks of all files: a list of values for each key."""
    for path in sorted((ROOT / "corpus" / "known").glob("*.causes")):
        block = None
        for line in path.read_text().splitlines():
            key, _, value = line.strip().partition(" ")
            if key == "cause":
                if block:
                    yield block
                block = collections.defaultdict(list)
            if block is not None and key and not key.startswith("#"):
                block[key].append(value)
        if block:
            yield block


def findings():
    """The text of findings.cases."""
    text = "# What convict has found (corpus/known/), each as one case. Written by tools/transfer.py.\n\n"
    for cause in causes():
        verdicts = cause["verdicts"][0].split()
        if verdicts == ["hang"]:
            continue  # takes hours
        expected = " => refused" if "accepts-invalid" in verdicts else ""
        text += f"# {cause['cause'][0]}: {cause['title'][0]}\n{cause['case'][0]}{expected}\n"
    return text


def name_of(bug):
    """A title may change, the name stays."""
    return bug.split(":")[0]


def beyond_this_processor():
    """Names of causes that need another processor: "avx512bw without amx_tile" (docs/causes.md). As `check-causes` decides,
    which would take minutes to say it."""
    flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[1].split())
    result = set()
    for cause in causes():
        needed, _, unwanted = cause["processor"][0].partition("without") if cause["processor"] else ("", "", "")
        if not set(needed.split()) <= flags or flags & set(unwanted.split()):
            result.add(cause["cause"][0])
    return result


def columns_before():
    """Of the last run: by library, the cells by the name of the bug."""
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def origins():
    """The bug of each case, by file and line: the comment before it."""
    result = {}
    for path in sorted(FOLDER.glob("*.cases")):
        bug = ""
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if line.startswith("# "):
                bug = line[2:]
            elif line:
                result[f"{path}:{number}"] = bug
    return result


def libraries(convict):
    """Implementations by library; native kernels together."""
    listing = subprocess.run([convict, "list", "--format", "json"], check=True, capture_output=True, text=True)
    result = collections.defaultdict(list)
    for entry in json.loads(listing.stdout):
        if not entry["installed"]:
            continue
        library = "convict" if entry["lineage"] == "convict" else entry["name"].split(":")[0]
        if entry["name"] in SOME_OF_MANY.get(library, (entry["name"],)):
            result[library].append(entry["name"])
    return result


def text_of(origin):
    """A line of a file of cases, by file and number."""
    path, _, number = origin.rpartition(":")
    return pathlib.Path(path).read_text().splitlines()[int(number) - 1]


def outcomes(convict, names, asked):
    """Of these origins: "wrong", "right", or "-" where all refuse."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "asked.cases")
        file.write_text("".join(f"{text_of(origin)}\n" for origin in asked))
        replay = [convict, "replay", str(file), "--target", ",".join(names), "--oracle", "none", "-q",
                  "--relations", "none", "--timeout", "60s", "--format", "json"]
        done = subprocess.run(replay, capture_output=True, text=True)
    if done.returncode not in (0, 1, 125):
        raise SystemExit(f"{' '.join(replay)}: {done.stderr.strip()}")
    result = {}
    for case in json.loads(done.stdout)["cases"]:
        agrees = any(one["outcome"] == "agrees" for one in case["implementations"])
        accused = any(mismatch["blame"] != "nobody" for mismatch in case["mismatches"])
        number = int(case["origin"].rpartition(":")[2])
        result[asked[number - 1]] = "wrong" if accused else "right" if agrees else "-"
    return result


def columns_now(convict, bugs, only, missing):
    """As columns_before(), with those of this machine asked again, or for the first time."""
    before, columns = columns_before(), {}
    installed = {library: names for library, names in libraries(convict).items() if not only or library in only}
    beyond = beyond_this_processor()
    for library in [*before, *(one for one in installed if one not in before)]:
        cells = dict(before.get(library, {}))
        asked = [origin for origin, bug in bugs.items() if not (missing and cells.get(name_of(bug)))]
        if library in installed and asked:
            seen = outcomes(convict, installed[library], asked)
            for origin in asked:
                name = name_of(bugs[origin])
                if not (name in beyond and cells.get(name) == "wrong"):  # which only another processor can tell
                    cells[name] = seen.get(origin, "-")
        columns[library] = cells
    return columns


def print_table(convict, only, missing):
    bugs, beyond = origins(), beyond_this_processor()
    columns = columns_now(convict, bugs, only, missing)
    names = {name_of(bug) for bug in bugs.values()}
    now = {library: {name: cell for name, cell in cells.items() if name in names} for library, cells in columns.items()}
    TABLE.write_text(json.dumps(now, indent=1) + "\n")
    doctor = subprocess.run([convict, "doctor", "--format", "json"], capture_output=True, text=True)
    isa = json.loads(doctor.stdout)["isa"]
    again = f"; asked again: {', '.join(only)}" if only else "; asked what was missing" if missing else ""
    print(f"Measured on {datetime.date.today()}, with vector instructions {isa}{again}.\n")
    print(f"| bug | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    nowhere, kept = 0, 0
    for bug in bugs.values():
        cells = [column.get(name_of(bug), "") for column in columns.values()]
        if "wrong" not in cells:
            nowhere += 1
            continue
        star = " \\*" if name_of(bug) in beyond else ""
        kept += bool(star)
        shown = ["**wrong**" if cell == "wrong" else cell for cell in cells]
        print(f"| {bug}{star} | {' | '.join(shown)} |")
    print(f"\n{len(bugs)} bugs; {nowhere} of them nobody has here.")
    if kept:
        print(f"\n\\* {kept} bugs need another processor; what is wrong in their rows is of earlier runs.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("convict", nargs="?")
    parser.add_argument("--cases", action="store_true", help="print the known causes as cases")
    parser.add_argument("--only", metavar="LIBRARY,...", help="the libraries that are asked [all that are installed]")
    parser.add_argument("--missing", action="store_true", help="ask for empty cells alone")
    arguments = parser.parse_args()
    if arguments.cases:
        print(findings(), end="")
    elif arguments.convict:
        only = arguments.only.split(",") if arguments.only else []
        print_table(arguments.convict, only, arguments.missing)
    else:
        parser.error("names neither a program nor --cases")


if __name__ == "__main__":
    main()
