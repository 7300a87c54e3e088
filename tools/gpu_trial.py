#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of tools/gpu_trial.sh, which installs the program. Each has a limit of its own inside the total; one that
fails is told in a line, and the others go on."""
import argparse
import collections
import concurrent.futures
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import seeds

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRANSFER = [ROOT / "corpus/transfer/issues.cases", ROOT / "corpus/transfer/findings.cases"]
PACKAGES = ("torch", "triton", "jax", "jaxlib", "cupy-cuda13x", "cupy", "nvidia-cudnn-cu13", "numpy")
ASK_DRIVER = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
ASK_TORCH = ("import torch; print(torch.cuda.get_device_name(), '; CUDA', torch.version.cuda, '; cuDNN', "
             "torch.backends.cudnn.version())")
SLOW = ("torch:compile",)  # compiles for seconds a case: it keeps no others waiting
WRONG, RIGHT = "channel[:, None] * OC + group * oc + o", "(group * oc + o) * ic + channel[:, None]"  # triton_conv.py
# A first call compiles, and a driver reserves much.
PATIENCE = ["--timeout", "60s", "--memory", "16G", "--oracle", "none", "-q", "--format", "json"]
REPLAYING, REPORTING = 0.3, 0.05  # of the whole time
LEAST = 30  # seconds of a campaign: with less for each implementation, those of a client share one
DEATHS = ("crash", "hang", "oom")

Group = collections.namedtuple("Group", "name options implementations")  # what one client offers, and how it is named


def said(text):
    print(text, flush=True)


class Trial:
    def __init__(self, convict, minutes, folder, began, dry):
        self.convict, self.folder, self.dry = convict, folder, dry
        self.total, self.end = minutes * 60, began + minutes * 60
        self.failed, self.device, self.deaths, self.campaigns = [], [], [], []
        self.counts = collections.defaultdict(collections.Counter)  # of replayed cases, by implementation and file
        self.least, self.grace = 1 if dry else LEAST, 2 if dry else 10  # seconds

    def left(self):
        return self.end - time.time()

    def run(self, step, command, limit, fine=(0,)):
        """Runs a command of a step, whose errors are kept in the folder. At its limit it is interrupted, and says what
        it has; then it is ended. Returns what it printed, or None."""
        log = self.folder / f"{re.sub('[^a-z0-9]+', '-', step.lower())}.log"
        with open(log, "w") as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                       text=True, cwd=self.folder, start_new_session=True)
            out = None
            for patience, then in ((max(limit, 1), signal.SIGINT), (self.grace, signal.SIGKILL), (5, signal.SIGKILL)):
                try:
                    out, _ = process.communicate(timeout=patience)
                    break
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, then) if then == signal.SIGKILL else process.send_signal(then)
        if process.returncode in (*fine, 130) and out:
            return out
        if process.returncode in fine and fine == (0,):
            return ""
        lines = log.read_text().replace(" before it had answered: ", "\n").strip().splitlines()
        is_killed = process.returncode == -signal.SIGKILL
        self.failure(step, f"ended after {limit:.0f} s" if is_killed else [f"exit code {process.returncode}", *lines][-1])
        return None

    def failure(self, step, why):
        self.failed.append(step)
        said(f"{step}: failed: {why[:200]}")

    # ---- The device ----

    def check_device(self):
        """In at most 20 seconds."""
        if self.dry:
            self.device = ["played by the memory of the host"]
        else:
            until = time.time() + 20
            self.device = [self.asked("GPU, driver", ASK_DRIVER, 8),
                           self.asked("PyTorch on it", [sys.executable, "-c", ASK_TORCH], until - time.time())]
            self.device += [f"{name} {version_of(name)}" for name in PACKAGES if version_of(name)]
            missing = [name for name in ("torch", "triton", "jax") if not version_of(name)]
            self.device += [f"missing: {', '.join(missing)}"] if missing else []
        self.device = [one for one in self.device if one]
        said("device: " + "; ".join(self.device))

    def asked(self, what, command, limit):
        if shutil.which(command[0]) is None:
            return f"missing: {command[0]}"
        out = self.run(f"device: {what}", command, limit)
        return f"{what}: {' '.join(out.split())}" if out else f"missing: {what}"

    # ---- Who is on trial ----

    def groups(self):
        if self.dry:
            player = shlex.join([sys.executable, str(ROOT / "tests/tools/played_device.py")])
            return self.announced([("fake", player, ["--command", player])])
        listed = self.listed([])
        known = {row["client"]: row for row in listed if row["installed"] and row["client"]}
        asked = []
        for table in sorted((ROOT / "clients").glob("*/client.json")):
            for program in json.loads(table.read_text()):
                name = program["name"]
                if name in known and "cuda" in program.get("devices", []):
                    asked.append((f"{name}@cuda", known[name]["command"] + " cuda", []))
                elif name in known and name.startswith("cudnn"):
                    command = known[name]["command"]  # announces engines, which no table has
                    asked.append((name, command, ["--command", command]))
        return self.announced(asked + self.triton())

    def triton(self):
        """The example with its bug, and without."""
        if not (importlib.util.find_spec("triton") and importlib.util.find_spec("torch")):
            return []
        text, asked = (ROOT / "examples/python/triton_conv.py").read_text(), []
        for name, row in (("wrong", WRONG), ("right", RIGHT)):
            file = self.folder / f"triton_{name}.py"
            file.write_text(text.replace(WRONG, row, 1).replace("built_on=[]", f'built_on=[], name="triton:{name}"'))
            command = shlex.join(["env", "DEVICE=cuda", sys.executable, "-m", "convict", "serve", f"{file}:conv2d"])
            asked.append((f"triton-{name}", command, ["--command", command]))
        return asked

    def listed(self, options):
        out = self.run(" ".join(["list", *options[:1]]), [self.convict, "list", "--format", "json", *options], 60)
        return json.loads(out) if out else []

    def announced(self, asked):
        """Groups of clients that start here, by what they announce; all are asked at once."""
        before = {row["name"] for row in self.listed([])}

        def group(name, command, options):
            out = self.run(f"start {name}", [self.convict, "list", "--format", "json", "--command", command], 90)
            names = [row["name"] for row in json.loads(out or "[]")]
            return Group(name, options, [one for one in names if one not in before])

        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = list(pool.map(lambda one: group(*one), asked))
        return [part for one in found for part in parts(one)]

    # ---- Known cases ----

    def replay(self, groups):
        """Seeds, public issues, and what is known of other libraries, in this order."""
        founding = self.folder / "seeds.cases"
        founding.write_text("".join(f"{line}\n" for claim in seeds.claims() for line in claim.lines))
        files = [founding, *TRANSFER]
        for place, group in enumerate(groups):
            share = (self.end - self.total * (1 - REPLAYING) - time.time()) / (len(groups) - place)
            command = [self.convict, "replay", *map(str, files), *group.options, "--target",
                       ",".join(group.implementations), "--relations", "none", *PATIENCE]
            out = self.run(f"replay {group.name}", command, share, fine=(0, 1, 125))
            if out:
                (self.folder / f"replay-{re.sub('[^a-z0-9]+', '-', group.name)}.json").write_text(out)
                self.count(json.loads(out)["cases"])
                for name in group.implementations:
                    counts = [f"{file.stem} {told(self.counts[name, file.stem])}" for file in files]
                    said(f"replay {name}: {'; '.join(counts)}")

    def count(self, cases):
        for case in cases:
            file = pathlib.Path(case["origin"].rpartition(":")[0]).stem
            # An interrupted replay has suspicions only of what ended a process, without evidence.
            accused = {one["suspect"] for one in case["mismatches"]
                       if one["blame"] != "nobody" and (one["verdict"] not in DEATHS or one["certificate"].get("evidence"))}
            for one in case["implementations"]:
                wrong, right = one["name"] in accused, one["outcome"] == "agrees"
                self.counts[one["name"], file]["wrong" if wrong else "right" if right else "refused"] += 1
            for one in case["mismatches"]:
                if one["verdict"] in DEATHS:
                    self.deaths.append(f"`{case['case']}`: {one['suspect']}, {one['verdict']}")

    # ---- Campaigns ----

    def fuzz(self, groups):
        """One for each implementation, or for each client where there are too many for the time; what one leaves, the
        others get."""
        time_of_all = self.left() - self.total * REPORTING
        each = [(name, group, [name]) for group in groups for name in group.implementations]
        if each and time_of_all / len(each) < self.least:
            each = [(group.name, group, group.implementations) for group in groups]
        jobs = 1 if self.dry else max(1, min(4, (os.cpu_count() or 1) // 2))
        for place, (name, group, targets) in enumerate(each):
            share = (self.left() - self.total * REPORTING) / (len(each) - place)
            database = self.folder / f"{re.sub('[^a-z0-9]+', '-', name)}.db"
            out = self.run(f"fuzz {name}", [self.convict, "fuzz", *group.options, "--target", ",".join(targets), "--time",
                                            f"{math.ceil(max(share * 0.8, 1))}s", "-j", str(jobs), "--min-judged", "1",
                                            "--db", str(database), *(["--cases", "80"] if self.dry else []),
                                            *PATIENCE], share, fine=(0, 1, 125))
            if out:
                report = json.loads(out)
                self.campaigns.append((database, report))
                for row in rows_of(report):
                    said(f"fuzz {row[0]}: cases {row[1]}, a second {row[2]}, judged {row[3]}, known {row[4]}, new {row[5]}")

    # ---- What is left behind ----

    def report(self):
        databases = [str(database) for database, _ in self.campaigns if database.exists()]
        whole = self.folder / "gpu.db"
        whole.unlink(missing_ok=True)
        if databases and self.run("merge", [self.convict, "merge", str(whole), *databases], 60) is not None:
            self.run("page", [self.convict, "report", "--db", str(whole), "--format", "html", "-o",
                              str(self.folder / "gpu.html")], 60)
        (self.folder / "gpu.md").write_text(self.table())
        said(f"table: {self.folder / 'gpu.md'}")

    def table(self):
        lines = ["; ".join(self.device) + ".", "", "| implementation | cases | a second | judged | known causes | new rows | "
                 "processes that died | seeds | issues | findings |", "|---" * 10 + "|"]
        for _, report in self.campaigns:
            for row in rows_of(report):
                replayed = [told(self.counts[row[0], file]) for file in ("seeds", "issues", "findings")]
                lines.append("| " + " | ".join(map(str, [*row, *replayed])) + " |")
        found = [f"- `{one['case']}`: {one['suspect']}, {one['verdict']}" for _, report in self.campaigns
                 for one in report["mismatches"]]
        lines += ["", "What campaigns have found:", "", *found] if found else []
        if self.deaths:
            lines += ["", "What ended a process in a replay, and cost its case only:", "", *(f"- {one}" for one in self.deaths)]
        if self.failed:
            lines += ["", "Steps that failed: " + ", ".join(self.failed) + "."]
        return "\n".join(lines) + "\n"


def parts(group):
    """Those that are slow by themselves."""
    slow = [name for name in group.implementations if name.partition("@")[0] in SLOW]
    others = [name for name in group.implementations if name not in slow]
    names = [(group.name, others), *((one, [one]) for one in slow)]
    return [Group(name, group.options, some) for name, some in names if some]


def told(counts):
    """"3 wrong, 40 right, 5 refused", or nothing."""
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("wrong", "right", "refused") if counts.get(kind)) or "-"


def rows_of(report):
    """By target of a campaign: name, cases, cases a second, judged, known causes, new rows, what died."""
    for target in report["targets"]:
        name = target["name"]
        causes = [one["novelty"] for one in report["causes"] if name in one["suspects"]]
        died = collections.Counter(one["verdict"] for one in report["mismatches"]
                                   if one["suspect"] == name and one["verdict"] in DEATHS)
        deaths = ", ".join(f"{count} {verdict}" for verdict, count in died.items())
        yield (name, report["cases"], round(report["cases"] / max(report["seconds"], 0.001)), target["judged"],
               sum(one != "new" for one in causes), causes.count("new"),
               f"{report['worker_deaths']}" + (f" ({deaths})" if deaths else ""))


def version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("convict")
    parser.add_argument("minutes", type=float)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--began", type=float, default=time.time(), help="seconds since 1970")
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    trial = Trial(given.convict, given.minutes, given.folder.resolve(), given.began, given.dry_run)
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # JAX takes most of the device's memory otherwise
    trial.check_device()
    groups = trial.groups()
    said("on trial: " + (", ".join(name for group in groups for name in group.implementations) or "nothing"))
    for step in (lambda: trial.replay(groups), lambda: trial.fuzz(groups), trial.report):
        try:
            step()
        except (OSError, KeyError, ValueError) as error:
            trial.failure("step", f"{type(error).__name__}: {error}")
    return 1 if trial.failed or not groups else 0


if __name__ == "__main__":
    sys.exit(main())
