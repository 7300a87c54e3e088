#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast convict judges, in CPU time, and prints the tables of docs/background/performance.md.

    tools/throughput.py build/release/convict > table.md
    BENCHDNN=path/to/benchdnn tools/throughput.py build/release/convict > table.md

All commands run once in turn, then again, so that a change of the machine's speed meets all of them. The table shows
the median of the rounds. CPU time is that of the program and of all its workers, their start included.
"""
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
PROBLEMS = 1000


class Row:
    """A command, what it is called in the table, and how many cases it judges."""

    def __init__(self, name, command, cases, shown, baseline=None):
        self.name, self.command, self.cases, self.shown, self.baseline = name, command, cases, shown, baseline
        self.cpu, self.wall = [], []

    def run(self, folder):
        begin = time.monotonic()
        process = subprocess.Popen(self.command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):  # 1: mismatches, which libraries have
            raise SystemExit(f"'{self.shown}' ended with {process.returncode}")
        self.wall.append(time.monotonic() - begin)
        self.cpu.append(usage.ru_utime + usage.ru_stime)

    def cpu_seconds(self):
        return statistics.median(self.cpu)


def problems(seed, is_deconvolution):
    """Random problems in benchdnn's language: sizes of layers, small enough for a reference."""
    draw = random.Random(seed)
    lines = []
    while len(lines) < PROBLEMS:
        groups = draw.choice([1, 1, 1, 2, 4])
        channels = [groups * draw.randint(1, 32) for _ in range(2)]
        size, kernel, stride, dilation = draw.randint(3, 28), draw.randint(1, 7), draw.randint(1, 3), draw.choice([0, 0, 1])
        reach, pad = (kernel - 1) * (dilation + 1) + 1, draw.randint(0, kernel // 2)
        if is_deconvolution:
            out = (size - 1) * stride + reach - 2 * pad
        else:
            out = (size + 2 * pad - reach) // stride + 1
        if out < 1 or size + 2 * pad < reach:
            continue
        lines.append(f"g{groups}mb{draw.randint(1, 2)}ic{channels[0]}ih{size}oc{channels[1]}oh{out}kh{kernel}"
                     f"sh{stride}ph{pad}dh{dilation}")
    return lines


def campaigns(convict):
    """Rows of `convict fuzz`."""
    rows = []
    for target in ("direct", "native"):
        for oracle, shown in (("none", " --oracle none"), ("", "")):
            cases = 40000 if target == "direct" else 20000
            flags = ["--target", target, "--cases", str(cases), "--seed", "1", "-j", "1", "--shrink", "none"]
            with_oracle = ["--oracle", oracle] if oracle else []
            name = ("one native kernel" if target == "direct" else "all native kernels") + (
                ", no oracle" if oracle else ", LibTorch and oneDNN")
            rows.append(Row(name, [convict, "fuzz", "-q", *flags, *with_oracle], cases,
                            f"convict fuzz --target {target}{shown} --cases {cases}"))
    return rows


def replays(convict, benchdnn, folder):
    """Rows of `convict replay` on problems written for benchdnn, and of benchdnn itself."""
    rows = []
    for kind in ("conv", "deconv"):
        batch, typed, corpus = (os.path.join(folder, kind + end) for end in (".batch", ".typed", ".cases"))
        lines = "\n".join(problems(7, kind == "deconv")) + "\n"
        for name, text in ((batch, lines), (typed, "--" + kind + "\n" + lines)):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run([convict, "import", "benchdnn", typed, "-o", corpus], check=True, capture_output=True)
        base = None
        if benchdnn:
            base = Row(f"{kind}: benchdnn", [benchdnn, "--" + kind, "--mode=C", "--batch=" + batch], PROBLEMS,
                       f"benchdnn --{kind} --mode=C --batch={kind}.batch")
            rows.append(base)
        for target, oracle in (("onednn:any", ["--oracle", "none"]), ("direct", [])):
            shown = f"convict replay {kind}.cases --target {target}" + (" --oracle none" if oracle else "")
            rows.append(Row(f"{kind}: {target}" + ("" if oracle else ", LibTorch and oneDNN"),
                            [convict, "replay", corpus, "-q", "--target", target, *oracle], PROBLEMS, shown, base))
    return rows


def guided(convict, program):
    """The row of the guided engine, if its program is built."""
    if not os.path.exists(program):
        return []
    os.environ["CONVICT_GUIDED"] = program
    cases = 20000
    return [Row("guided, all native kernels, LibTorch and oneDNN",
                [convict, "fuzz", "-q", "--engine", "libfuzzer", "--cases", str(cases), "--seed", "1", "-j", "1",
                 "--shrink", "none"], cases, f"convict fuzz --engine libfuzzer --cases {cases}")]


def clear(folder):
    for name in os.listdir(folder):
        if name.startswith("convict."):
            subprocess.run(["rm", "-rf", os.path.join(folder, name)], check=True)


def table(rows):
    lines = ["| | command | cases/s of CPU time | beside benchdnn |", "|---|---|---|---|"]
    for row in rows:
        times = f"{row.baseline.cpu_seconds() / row.cpu_seconds():.2f} times as fast" if row.baseline else ""
        lines.append(f"| {row.name} | `{row.shown}` | {row.cases / row.cpu_seconds():,.0f} | {times} |")
    return "\n".join(lines)


def stages(convict, folder):
    """Where the time of a worker goes, as convict tells it."""
    clear(folder)
    flags = ["--target", "direct", "--cases", "40000", "--seed", "1", "-j", "1", "--shrink", "none"]
    text = subprocess.run([convict, "fuzz", "-q", "--format", "json", *flags], cwd=folder, capture_output=True,
                          check=False).stdout
    report = json.loads(text)
    cases = report["cases"]
    lines = ["| stage | us a case |", "|---|---|"]
    for stage, seconds in report["stages"].items():
        lines.append(f"| {stage} | {1e6 * seconds / cases:.1f} |")
    for one in report["implementations"]:
        if one["computed"]:
            lines.append(f"| a call of {one['name']} ({one['computed']:,}) | {1e6 * one['call_seconds'] / one['computed']:.1f} |")
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    convict = os.path.abspath(sys.argv[1])
    os.environ["OMP_NUM_THREADS"] = "1"  # otherwise threads of benchdnn that wait spin, and count
    with tempfile.TemporaryDirectory() as folder:
        program = os.environ.get("CONVICT_GUIDED", os.path.join(os.path.dirname(convict), "../fuzz/convict-guided"))
        rows = campaigns(convict) + guided(convict, os.path.abspath(program))
        rows += replays(convict, os.environ.get("BENCHDNN"), folder)
        for number in range(ROUNDS):
            for row in rows:
                print(f"round {number + 1} of {ROUNDS}: {row.shown}", file=sys.stderr)
                clear(folder)
                row.run(folder)
        print(f"Measured on {datetime.date.today()}, {os.cpu_count()} CPUs, {platform.machine()}; "
              f"median of {ROUNDS} rounds, one worker.\n")
        print(table(rows) + "\n\nWall time of the worker of `convict fuzz --target direct --cases 40000`:\n")
        print(stages(convict, folder))


if __name__ == "__main__":
    main()
