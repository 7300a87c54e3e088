#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet_test.py CONVICT PLUGIN: what a cluster would find out too late.

The Kubernetes manifest is checked for what ties its parts together, its commands are run here as its pods would run
them, and submit.sh is run with a kubectl that only keeps a record. The ClusterFuzzLite files are checked against what
the actions expect. PLUGIN has the implementation D11, which is wrong. Exit code 77 is "skipped" to CTest.
"""
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML here; 'make test-fleet' installs the package python3-yaml")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy/kubernetes"
NIGHT_HELP = subprocess.run([ROOT / "deploy/night.sh", "--help"], capture_output=True, text=True, check=True).stdout
CONVICT, PLUGIN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])


def manifest():
    """{(kind, name): object}"""
    return {(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all((KUBERNETES / "night.yaml").read_text())}


def jobs(objects):
    return [d for (kind, _), d in objects.items() if kind == "Job"]


def seconds(text):
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


def pod_problems(objects, job):
    pod = job["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    if pod["restartPolicy"] != "Never":
        yield "podFailurePolicy needs restartPolicy Never"
    for volume in volumes.values():
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        if claim and ("PersistentVolumeClaim", claim) not in objects:
            yield f"no claim {claim}"
    for container in pod["containers"]:
        for mount in container["volumeMounts"]:
            if mount["name"] not in volumes:
                yield f"no volume {mount['name']}"
        for source in container["envFrom"]:
            if ("ConfigMap", source["configMapRef"]["name"]) not in objects:
                yield f"no config map {source['configMapRef']['name']}"
        if not {"cpu", "memory"} <= container["resources"]["limits"].keys():
            yield "a container without limits"
        for phase in re.findall(r"night\.sh (?:--wait )?(\w+)", container["args"][0]):
            if not re.search(rf"^  {phase} ", NIGHT_HELP, re.MULTILINE):
                yield f"night.sh has no phase {phase}"


def problems(objects):
    """What is wrong with a manifest, in words; nothing, if it is fine."""
    settings = objects["ConfigMap", "convict-night"]["data"]
    spec = objects["Job", "convict-night"]["spec"]
    if spec["completionMode"] != "Indexed":
        yield "no indices, so every pod would be the same shard"
    if spec["completions"] != int(settings["SHARDS"]) + 1:
        yield "completions is not SHARDS + 1"
    if spec["activeDeadlineSeconds"] < 2 * seconds(settings["TIME"]):
        yield "the deadline is too soon for TIME"
    if not objects["Job", "convict-merge"]["spec"].get("suspend"):
        yield "the merge does not wait for the shards"
    for name, value in settings.items():
        if not isinstance(value, str):
            yield f"{name} is no text"
        if not re.search(rf"^  {name}=", NIGHT_HELP, re.MULTILINE):
            yield f"night.sh has no variable {name}"
    for job in jobs(objects):
        yield from pod_problems(objects, job)


class Manifest(unittest.TestCase):
    def test_has_no_problem(self):
        self.assertEqual(list(problems(manifest())), [])

    def test_every_check_fires(self):
        def setting(name, value):
            return lambda o: o["ConfigMap", "convict-night"]["data"].update({name: value})

        def spec(name, **changes):
            return lambda o: o["Job", name]["spec"].update(changes)

        def pod(change):
            return lambda o: change(o["Job", "convict-merge"]["spec"]["template"]["spec"])

        faults = {
            "no indices": spec("convict-night", completionMode="NonIndexed"),
            "completions is not": setting("SHARDS", "9"),
            "the deadline": setting("TIME", "8h"),
            "does not wait": spec("convict-merge", suspend=False),
            "is no text": setting("JOBS", 1),
            "no variable": setting("SHARD", "1"),
            "restartPolicy": pod(lambda p: p.update(restartPolicy="OnFailure")),
            "no claim": pod(lambda p: p["volumes"][0]["persistentVolumeClaim"].update(claimName="nights")),
            "no volume": pod(lambda p: p["volumes"].pop()),
            "no config map": lambda o: o.pop(("ConfigMap", "other"), None)
            or pod(lambda p: p["containers"][0]["envFrom"][0]["configMapRef"].update(name="other"))(o),
            "without limits": pod(lambda p: p["containers"][0]["resources"]["limits"].pop("cpu")),
            "no phase": pod(lambda p: p["containers"][0].update(args=["deploy/night.sh --wait merg"])),
        }
        for expected, plant in faults.items():
            with self.subTest(expected):
                objects = copy.deepcopy(manifest())
                plant(objects)
                self.assertTrue(any(expected in problem for problem in problems(objects)), list(problems(objects)))


class Pods(unittest.TestCase):
    """The commands of the containers, run here one after the other in the order in which a cluster may run them."""

    def pod(self, folder, job, index=None):
        container = manifest()["Job", job]["spec"]["template"]["spec"]["containers"][0]
        settings = manifest()["ConfigMap", "convict-night"]["data"] | {
            "NIGHT": f"{folder}/night", "DB": f"{folder}/nightly.db", "SHARDS": "2", "CASES": "200", "SEED": "7",
            "PROFILE": "smoke", "REPLAY": f"{folder}/replay.cases", "CONVICT": CONVICT,
            "FLAGS": f"--plugin {PLUGIN} --target D11 --oracle none", "FUZZ_FLAGS": "--memory 2G --shrink 30s"}
        environment = os.environ | settings | ({} if index is None else {"JOB_COMPLETION_INDEX": str(index)})
        return subprocess.run(container["command"] + container["args"], cwd=ROOT, env=environment, capture_output=True,
                              text=True, check=False)

    def test_make_up_a_night(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "replay.cases").write_text("conv1d in=3\n")
            for index in (2, 0, 1, 1):  # the last one is a pod that was lost after its work was done
                done = self.pod(folder, "convict-night", index)
                self.assertEqual(done.returncode, 0, done.stderr)
            merged = self.pod(folder, "convict-merge")
            self.assertEqual(merged.returncode, 1, merged.stderr)
            self.assertIn("D11", merged.stdout)
            self.assertIn("200 cases", merged.stdout)

    def test_a_shard_too_many_is_bad_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.pod(folder, "convict-night", 3).returncode, 2)


KUBECTL = """#!/bin/bash
echo "$*" >> "$RECORD"
case "$*" in
  "$BROKEN"*) exit 1 ;;
  "get job/convict-night"*) [ "$(grep -c "get job/convict-night" "$RECORD")" -lt 3 ] || echo 'FailureTarget Failed' ;;
  "get job/convict-merge"*) echo Complete ;;
  "get pods"*) echo "$CODE" ;;
  logs*) echo 'night of today' ;;
esac
"""


class Submit(unittest.TestCase):
    def submit(self, code="0", broken="nothing", arguments=()):
        with tempfile.TemporaryDirectory() as folder:
            kubectl, record = pathlib.Path(folder, "kubectl"), pathlib.Path(folder, "record")
            kubectl.write_text(KUBECTL)
            kubectl.chmod(0o755)
            environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "RECORD": str(record), "CODE": code,
                                        "BROKEN": broken, "POLL": "0"}
            done = subprocess.run([KUBERNETES / "submit.sh", *arguments], env=environment, capture_output=True,
                                  text=True, check=False)
            return done, record.read_text().splitlines() if record.exists() else []

    def test_merges_when_the_shards_have_ended(self):
        done, calls = self.submit()
        self.assertEqual((done.returncode, done.stdout), (0, "night of today\n"), done.stderr)
        self.assertEqual([call.split()[0] for call in calls],
                         ["delete", "apply", "get", "get", "get", "patch", "get", "logs", "get"])

    def test_ends_with_the_code_of_the_night(self):
        for code in ("1", "125"):
            self.assertEqual(self.submit(code)[0].returncode, int(code))

    def test_trouble_is_no_verdict(self):
        for broken in ("delete", "apply", "get job", "patch", "logs", "get pods"):
            with self.subTest(broken):
                self.assertEqual(self.submit(broken=broken)[0].returncode, 2)
        self.assertEqual(self.submit(code="")[0].returncode, 2)
        done, calls = self.submit(arguments=["nowhere.yaml"])
        self.assertEqual((done.returncode, calls), (2, []))
        self.assertIn("nowhere.yaml", done.stderr)


class ClusterFuzzLite(unittest.TestCase):
    def test_image_and_project_agree(self):
        project = yaml.safe_load((ROOT / ".clusterfuzzlite/project.yaml").read_text())
        image = re.search(r"^FROM (\S+)$", (ROOT / ".clusterfuzzlite/Dockerfile").read_text(), re.MULTILINE)[1]
        self.assertEqual(image, "gcr.io/oss-fuzz-base/base-builder:" + project["base_os_version"])

    def test_workflows_use_the_sanitizers_of_the_project(self):
        project = yaml.safe_load((ROOT / ".clusterfuzzlite/project.yaml").read_text())
        for name, mode in (("cflite_pr", "code-change"), ("cflite_batch", "batch")):
            workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())
            job = workflow["jobs"]["fuzz"]
            self.assertEqual(job["strategy"]["matrix"]["sanitizer"], project["sanitizers"])
            self.assertEqual([step["uses"] for step in job["steps"]], [
                "actions/checkout@v4", "google/clusterfuzzlite/actions/build_fuzzers@v1",
                "google/clusterfuzzlite/actions/run_fuzzers@v1"])
            self.assertEqual(job["steps"][2]["with"]["mode"], mode)
            self.assertNotIn("write", str(workflow["permissions"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
