#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures campaigns on kernels that take little: tests/narrow has forty, made up at random, and a twin with a planted
fault of each; tests/plugins/depthwise_int8.c is a depthwise kernel as somebody would write it.

    tools/narrow.py build/release/convict                     everything: half an hour if faults are found
    tools/narrow.py build/release/convict --seeds 2 --hunt-time 5 --only 1-8 --draws 1000000
    tools/narrow.py build/release/convict --rejected FILE     what `narrow_domains reject` has written before

Prints a table, and with --json all that was measured. Every campaign is a plain `convict fuzz --plugin X --target Y
--oracle none`; a hunt ends with the first mismatch that is reported. Hunts by `convict score` (--by score) are faster.
Nothing else should run on the machine.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RIGHT = ("dw-int8", "dw-f32")
WRONG = ("dw-int8-tap", "dw-int8-multiplier", "dw-int8-both", "dw-f32-tap")
WANTED_SHARE = 0.95  # of the cases, judged
GRACE = 2  # seconds, in which what was found in time is confirmed and reported
REJECTION_SEED = 77  # another one than that of the campaigns
ENOUGH_KEPT = 100  # cases of rejection sampling, to say something of its distribution


class Program:
    """The program and the plugins of its build."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.tests = os.path.join(os.path.dirname(self.path), "tests")

    def plugin(self, name):
        return os.path.join(self.tests, name + ".so")

    def fuzz(self, plugin, target, *options):
        return [self.path, "fuzz", "--plugin", self.plugin(plugin), "--target", target, "--oracle", "none",
                "--shrink", "none", "--db", "narrow.db", *options]

    def domains(self, *arguments, output=subprocess.PIPE):
        """What tests/narrow/compare.cpp says."""
        return subprocess.run([os.path.join(self.tests, "narrow_domains"), *map(str, arguments)], stdout=output,
                              check=True).stdout

    def rejected(self, plugin, draws, folder):
        """A file with the cases of rejection sampling, for all targets of the plugin."""
        path = os.path.join(folder, plugin + ".json")
        with open(path, "wb") as file:
            self.domains("reject", self.plugin(plugin), draws, REJECTION_SEED, output=file)
        return path


def milliseconds(seconds):
    return f"{round(1000 * seconds)}ms"


def campaign(program, plugin, target, *options):
    """A campaign to its end: its result, with the exit code and the wall time."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run(program.fuzz(plugin, target, "--format", "json", "-q", *options), cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        wall = time.monotonic() - begin
    if done.returncode not in (0, 1, 125):
        raise SystemExit(f"{target}: exit code {done.returncode}: {done.stderr.decode()}")
    result = json.loads(done.stdout)
    result["exit_code"], result["wall"] = done.returncode, wall
    return result


def hunt(program, plugin, target, seed, seconds):
    """Seconds until the first mismatch is reported; None if that is none, or later. A campaign that does not end with
    its time is killed."""
    command = program.fuzz(plugin, target, "--seed", str(seed), "--time", milliseconds(seconds))
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        too_late = threading.Timer(2 * seconds + GRACE, process.kill)
        too_late.start()
        found = None
        for line in process.stderr:
            if line.startswith("new ") and found is None:
                found = time.monotonic() - begin
                process.send_signal(signal.SIGINT)
        process.wait()
        too_late.cancel()
    return found if found is not None and found <= seconds + GRACE else None


def hunts_by_fuzz(program, plugin, target, seeds, seconds):
    return [hunt(program, plugin, target, seed, seconds) for seed in range(1, seeds + 1)]


def hunts_by_score(program, plugin, target, seeds, seconds):
    """The same by `convict score`, which ends with the first report that is confirmed: CPU seconds."""
    if seeds == 0:
        return []
    done = subprocess.run([program.path, "score", "--plugin", program.plugin(plugin), "--target", target + ",control",
                           "--seeds", str(seeds), "--budget", milliseconds(seconds), "--control-cases", "1", "--format",
                           "json", "-q"], stdout=subprocess.PIPE, check=False)
    if done.returncode == 125:
        return [None] * seeds
    runs = json.loads(done.stdout)["mutants"][0]["runs"]
    return [run["cpu_seconds"] if run["detected"] else None for run in runs]


def measured(program, plugin, target, seconds):
    """What a plain campaign makes of a kernel that is right."""
    result = campaign(program, plugin, target, "--time", milliseconds(seconds))
    first = campaign(program, plugin, target, "--cases", "1", "--illegal", "0", "--time", milliseconds(seconds))
    legal = result["cases"] - result["illegal"]
    stages = result["stages"]
    spent = sum(time for name, time in stages.items() if name != "wait")
    return {"target": target, "cases": result["cases"], "exit_code": result["exit_code"],
            "judged": max(0, result["judged"] - result["illegal"]) / max(legal, 1),
            "judged_cases": result["judged"] - result["illegal"],
            "false_alarms": len(result["mismatches"]),
            "per_second": result["cases"] / result["seconds"],
            "asking": stages["ask"] / max(spent, 1e-9), "drawing": stages["draw"] / max(spent, 1e-9),
            "first": first["wall"] if first["judged"] > 0 else None}


def compared(program, plugin, target, rejected, options):
    """How often levels of features show in the cases of a campaign, beside rejection sampling."""
    result = json.loads(program.domains("compare", program.plugin(plugin), target, rejected, options.cases))
    if not options.levels:
        result["levels"] = [row for row in result["levels"] if row["below_half"]]
    return result


def in_words(row):
    """A level, its share in rejection sampling, and in the campaign."""
    return "-" if not row else f"{row['feature']}={row['level']} {row['rejection']:.3f} {row['campaign']:.3f}"


def line_of(row):
    """A row of the table."""
    hunts, inside = row.get("hunts"), row.get("inside")
    found = [one for one in hunts if one is not None] if hunts else []
    first = f"{row['first']:.1f} s" if row["first"] is not None else "-"
    cells = [row["target"], row.get("conditions", "-"), f"{row['share']:.0e}" if "share" in row else "-",
             f"{100 * row['judged']:.1f} %", "inconclusive" if row["exit_code"] == 125 else "judged", first,
             f"{100 * row['asking']:.0f} %",
             f"{len(found)}/{len(hunts)}" if hunts else "-",
             f"{statistics.median(found):.1f} s" if found else "-",
             f"{inside['below_half']}, {inside['lacking']} of {inside['kept']:,}" if inside else "-",
             in_words(inside["worst"]) if inside else "-"]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


HEAD = ("| kernel | conditions | share of `any` | judged | | first judged | asking | fault found | after | levels below "
        "half, lacking; kept | worst level, rejection, campaign |\n|" + "---|" * 11)


def summary(rows, seeds):
    """What is wanted of all, and what came of it."""
    enough = sum(row["judged"] >= WANTED_SHARE for row in rows)
    yield f"at least 95 % judged: {enough} of {len(rows)}"
    yield f"inconclusive: {sum(row['exit_code'] == 125 for row in rows)}"
    yield f"false alarms: {sum(row['false_alarms'] for row in rows)}"
    quick = sum(row["first"] is not None and row["first"] <= 2 for row in rows)
    yield f"first case judged within 2 s: {quick} of {len(rows)}"
    yield f"asking a tenth of the time or less: {sum(row['asking'] <= 0.1 for row in rows)} of {len(rows)}"
    hunted = [row["hunts"] for row in rows if row.get("hunts")]
    if hunted:
        some = sum(any(one is not None for one in hunts) for hunts in hunted)
        each = sum(all(one is not None for one in hunts) for hunts in hunted)
        yield f"fault found in some seed: {some} of {len(hunted)}; in every of {seeds} seeds: {each}"
    inside = [row["inside"] for row in rows if row.get("inside")]
    if inside:
        told = [one for one in inside if one["kept"] >= ENOUGH_KEPT]
        clean = sum(one["below_half"] == 0 and one["judged"] > 0 for one in told)
        fair = sum(one["lacking"] == 0 and one["judged"] > 0 for one in told)
        yield (f"no level below half of its share in rejection sampling: {clean} of {len(told)}; nor below half of "
               f"that in the wide mixture, if that is less: {fair}; {len(inside) - len(told)} domains kept too few "
               "draws to tell")


def measure_narrow(program, options, folder):
    """The forty kernels, with a line each as soon as it is there."""
    os.environ["CONVICT_NARROW_SEED"] = str(options.population)  # for the plugins
    count = max(40, options.only[1])
    os.environ["CONVICT_NARROW_COUNT"] = str(count)
    domains = json.loads(program.domains("list", options.population, count))
    shares = {row["name"]: row["share"]
              for row in json.loads(program.domains("shares", 100_000, options.population, count))}
    rejected = options.rejected
    if options.draws and not rejected:
        rejected = program.rejected("narrow_kernels", options.draws, folder)
    print(HEAD, flush=True)
    rows = []
    for domain in domains[options.only[0] - 1:options.only[1]]:
        row = measured(program, "narrow_kernels", domain["name"], options.time)
        row.update(conditions=domain["conditions"], share=shares[domain["name"]], domain=domain["domain"],
                   fault=domain["fault"])
        hunts = hunts_by_score if options.by == "score" else hunts_by_fuzz
        row["hunts"] = hunts(program, "narrow_faults", domain["name"] + "-fault", options.seeds, options.hunt_time)
        if rejected:
            row["inside"] = compared(program, "narrow_kernels", domain["name"], rejected, options)
        rows.append(row)
        print(line_of(row), flush=True)
    print("\n" + "\n".join(summary(rows, options.seeds)) + "\n", flush=True)
    return rows


def measure_depthwise(program, options, folder):
    """Right ones are acquitted, wrong ones convicted within the time of a campaign."""
    rows = []
    rejected = program.rejected("depthwise_int8", options.draws, folder) if options.draws else None
    print(HEAD, flush=True)
    for target in RIGHT:
        row = measured(program, "depthwise_int8", target, options.time)
        if rejected:
            row["inside"] = compared(program, "depthwise_int8", target, rejected, options)
        rows.append(row)
        print(line_of(row), flush=True)
    for row in rows:
        if row.get("inside"):
            print(f"{row['target']}: one channel {row['inside']['one_channel'][1]:.3f}, kernels of one tap "
                  f"{row['inside']['one_tap'][1]:.3f} of the campaign's cases")
    for target in WRONG:
        hunts = hunts_by_fuzz(program, "depthwise_int8", target, options.depthwise, options.time)
        found = [one for one in hunts if one is not None]
        rows.append({"target": target, "hunts": hunts})
        print(f"{target}: convicted in {len(found)} of {len(hunts)} seeds" +
              (f", after {statistics.median(found):.1f} s" if found else ""), flush=True)
    return rows


def span(text):
    """'7' or '1-8'."""
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="build/release/convict; its build has the target narrow_domains")
    parser.add_argument("--population", type=int, default=1, help="another number is another set of kernels")
    parser.add_argument("--time", type=float, default=5, help="seconds of a campaign")
    parser.add_argument("--seeds", type=int, default=5, help="hunts for each fault; 0 for none")
    parser.add_argument("--hunt-time", type=float, default=20, help="seconds of a hunt")
    parser.add_argument("--by", choices=("fuzz", "score"), default="fuzz", help="what hunts; score's time is CPU time")
    parser.add_argument("--depthwise", type=int, default=10, help="seeds for each wrong depthwise kernel; 0 for none")
    parser.add_argument("--draws", type=int, default=50_000_000, help="of rejection sampling at most; 0: none")
    parser.add_argument("--rejected", help="the forty are compared with what is in this file")
    parser.add_argument("--cases", type=int, default=20_000, help="of a campaign that is compared with it")
    parser.add_argument("--only", type=span, default=(1, 40), help="numbers of kernels: 7, or 1-8 (to 60); 0: none")
    parser.add_argument("--levels", action="store_true", help="keep all levels in --json, not only those below half")
    parser.add_argument("--json", help="file for all that was measured")
    return parser.parse_args()


def main():
    options = parsed()
    program = Program(options.program)
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.only[1] > 0:
            result["narrow"] = measure_narrow(program, options, folder)
        if options.depthwise:
            result["depthwise"] = measure_depthwise(program, options, folder)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
