#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_trial.sh without a GPU, with a client that plays one: gpu_trial_test.py CONVICT SOURCE_DIR"""
import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(2)).resolve()
CONVICT = sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "tools"))
import gpu_trial  # noqa: E402


def begun(*words):
    return subprocess.run([ROOT / "tools/gpu_trial.sh", *words], capture_output=True, text=True)


class GpuTrial(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def trial(self, minutes=1.0):
        return gpu_trial.Trial(CONVICT, minutes, self.folder, time.time(), True)

    def test_a_dry_run_from_the_device_to_the_table(self):
        done = begun("--dry-run", CONVICT, "2", str(self.folder))  # it ends as soon as all is done
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = {row[0]: row for row in (re.split(r" ?\| ?", line.strip("| ")) for line in
                                        (self.folder / "gpu.md").read_text().splitlines()) if row[0].startswith("fake")}
        self.assertEqual(list(rows), [f"fake:engine-{place}" for place in range(3)])
        new = {name: int(row[5]) for name, row in rows.items()}
        self.assertEqual((new["fake:engine-0"], new["fake:engine-2"]), (0, 0), done.stdout)
        self.assertGreaterEqual(new["fake:engine-1"], 1, done.stdout)
        self.assertIn("1 wrong", rows["fake:engine-1"][8])  # of the issues: their cases have strides
        for name in ("fake:engine-0", "fake:engine-2"):
            self.assertNotIn("wrong", " ".join(rows[name]), done.stdout)
        self.assertTrue((self.folder / "gpu.html").exists() and (self.folder / "gpu.db").exists())
        self.a_lost_device_costs_one_case()

    def a_lost_device_costs_one_case(self):
        self.assertTrue((self.folder / "played_device_lost").exists())
        cases = json.loads((self.folder / "replay-fake.json").read_text())["cases"]
        ended = [one for case in cases for one in case["mismatches"] if one["verdict"] in gpu_trial.DEATHS]
        self.assertEqual([one["suspect"] for one in ended], ["unattributed"])  # it does not come back
        self.assertIn("cost its case only:\n\n- `", (self.folder / "gpu.md").read_text())

    def test_output_padding_is_tried_in_all_ranks_and_beyond_the_stride(self):
        lines = [line for line in gpu_trial.TRANSFER[0].read_text().splitlines() if "op=" in line]
        for rank in (1, 2, 3):
            self.assertTrue(any(line.startswith(f"conv_transpose{rank}d ") for line in lines))
        numbers = (lambda line, key: [int(n) for n in re.search(rf"\b{key}=([\dx]+)", line + f" {key}=1")[1].split("x")])
        self.assertTrue(any(max(numbers(line, "op")) >= max(numbers(line, "s")) for line in lines))
        self.assertTrue(any(max(numbers(line, "op")) < min(numbers(line, "s")) and "d=" not in line for line in lines))

    def test_a_wheel_that_cannot_be_installed(self):
        wheel = self.folder / "convict_conv-0.0-py3-none-any.whl"
        wheel.write_text("no wheel")
        done = begun(str(wheel), "1", str(self.folder))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^install: failed: [^\n]*\n$")

    def test_wrong_use(self):
        self.assertEqual(begun("1").returncode, 2)
        self.assertIn("is not there", begun("missing.whl", "1", str(self.folder)).stderr)

    def test_a_step_that_fails_or_takes_too_long_is_one_line(self):
        trial, said = self.trial(), io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertIsNone(trial.run("first", ["sh", "-c", "echo first; echo no such engine >&2; exit 3"], 9))
            began = time.time()
            self.assertIsNone(trial.run("second", ["sh", "-c", "trap '' INT; sleep 60 & wait; wait; sleep 60"], 1))
            self.assertEqual(trial.run("third", ["sh", "-c", "trap 'echo half; exit 130' INT; sleep 60 & wait"], 1), "half\n")
        self.assertLess(time.time() - began, 25)
        self.assertEqual(said.getvalue(), "first: failed: no such engine\nsecond: failed: ended after 1 s\n")
        self.assertEqual(trial.failed, ["first", "second"])

    def test_a_suspicion_of_an_interrupted_replay_is_no_accusation(self):
        trial = self.trial()
        for evidence in ({}, {"evidence": "dies alone"}):
            crash = {"suspect": "mine", "blame": "target", "verdict": "crash", "case": "conv2d", "certificate": evidence}
            trial.count([{"case": "conv2d", "origin": "seeds.cases:1", "mismatches": [crash],
                          "implementations": [{"name": "mine", "outcome": "did not finish"}]}])
        self.assertEqual(trial.counts["mine", "seeds"], {"refused": 1, "wrong": 1})
        self.assertEqual(len(trial.deaths), 2)

    def test_who_is_on_trial_where_there_is_a_device(self):
        tables = {"torch": [{"name": "torch", "devices": ["cuda"]}, {"name": "torch-other"}],
                  "jax": [{"name": "jax", "devices": ["cuda"]}], "cudnn": [{"name": "cudnn-f32"}]}
        for name, table in tables.items():
            (self.folder / "clients" / name).mkdir(parents=True)
            (self.folder / "clients" / name / "client.json").write_text(json.dumps(table))
        listed = [{"name": f"{name}:eager", "client": name, "installed": name != "jax", "command": f"run {name}"}
                  for name in ("torch", "torch-other", "jax", "cudnn-f32")]
        announced = {"run torch cuda": ["torch:eager@cuda", "torch:compile@cuda"], "run cudnn-f32": ["cudnn:f32:eng0"]}
        trial = gpu_trial.Trial(CONVICT, 1.0, self.folder, time.time(), False)
        trial.listed, trial.triton = lambda _: listed, lambda: []
        trial.run = lambda step, command, *_: json.dumps(listed + [{"name": one} for one in announced[command[-1]]])
        root, gpu_trial.ROOT = gpu_trial.ROOT, self.folder
        self.addCleanup(setattr, gpu_trial, "ROOT", root)
        self.assertEqual(trial.groups(), [("cudnn-f32", ["--command", "run cudnn-f32"], ["cudnn:f32:eng0"]),
                                          ("torch@cuda", [], ["torch:eager@cuda"]),
                                          ("torch:compile@cuda", [], ["torch:compile@cuda"])])

    def test_what_is_slow_keeps_no_others_waiting(self):
        whole = gpu_trial.Group("torch@cuda", [], ["torch:eager@cuda", "torch:compile@cuda"])
        self.assertEqual([one.implementations for one in gpu_trial.parts(whole)],
                         [["torch:eager@cuda"], ["torch:compile@cuda"]])

    def test_the_example_in_triton_has_the_line_that_is_repaired(self):
        text = (ROOT / "examples/python/triton_conv.py").read_text()
        self.assertEqual((text.count(gpu_trial.WRONG), text.count("built_on=[]")), (1, 1))


if __name__ == "__main__":
    unittest.main()
