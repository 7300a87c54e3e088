#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle as a process target (docs/process-targets.md): its convolutions as users call them, eagerly, as a static
graph and compiled from Python, in both layouts, with the gradients that it derives.

    make paddle
    convict fuzz --target paddle:eager,paddle:onednn
"""
import os
import pathlib
import sys
import warnings

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ""
if PROGRAM.startswith("onednn"):  # flags of both of its names; the executor of static graphs looks at them
    os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
# The executor of static graphs starts some ninety threads otherwise, which compute the same one after the other.
os.environ["FLAGS_new_executor_serial_run"] = "1"
os.environ["GLOG_minloglevel"] = "3"  # it reports each start of an executor
warnings.filterwarnings("ignore", message="No ccache found")

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import paddle
from paddle.base import core

import convict
import statuses
from calls import Call, Style
from lineages import eager, static, to_static

# What each program offers: names with their descriptions, how they say a problem, and how they compute. oneDNN has
# programs of its own, one for each layout: a graph with channels last changes what its executor does with later ones.
LAST = Style(channels_last=True)
PROGRAMS = {
    "": {
        "paddle:eager": ("op by op", Style(), eager),
        "paddle:eager:nhwc": ("op by op, channels last", LAST, eager),
        "paddle:auto-pad": ("op by op, padding SAME or VALID", Style(auto_pad=True), eager),
        "paddle:output-size": ("op by op, output_size for output_padding", Style(output_size=True), eager),
        "paddle:output-size:nhwc": ("op by op, output_size for output_padding, channels last",
                                    Style(channels_last=True, output_size=True), eager),
        "paddle:static": ("static graph", Style(), static(pir=True)),
        "paddle:static:nhwc": ("static graph, channels last", LAST, static(pir=True)),
        "paddle:static:old": ("static graph, IR before PIR", Style(), static(pir=False)),
        "paddle:to-static": ("paddle.jit.to_static", Style(), to_static),
        "paddle:to-static:nhwc": ("paddle.jit.to_static, channels last", LAST, to_static),
    },
    "onednn": {
        "paddle:onednn": ("static graph, oneDNN", Style(), static(pir=True, test=True)),
        "paddle:onednn:old": ("static graph, oneDNN, IR before PIR", Style(), static(pir=False)),
        "paddle:onednn:old:test": ("static graph for tests, oneDNN, IR before PIR", Style(),
                                   static(pir=False, test=True)),
    },
    "onednn-nhwc": {
        "paddle:onednn:nhwc": ("static graph, oneDNN, channels last", LAST, static(pir=True, test=True)),
        "paddle:onednn:old:nhwc": ("static graph, oneDNN, IR before PIR, channels last", LAST, static(pir=False)),
        "paddle:onednn:old:test:nhwc": ("static graph for tests, oneDNN, IR before PIR, channels last", LAST,
                                        static(pir=False, test=True)),
    },
}


class Target:
    """An entry of the table, for convict.serve."""

    def __init__(self, name, description, style, compute):
        self.name, self.description, self.style, self.compute = name, description, style, compute
        self.onednn, self.trains = "onednn" in name, name.endswith(("old", "old:nhwc"))

    def announcement(self):
        """Sums are those of a matrix multiplication, in an order of its own."""
        lineage = "paddle+onednn" if self.onednn else "paddle"
        return {"name": self.name, "description": f"PaddlePaddle, {self.description}", "lineage": lineage, "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True}}

    def refusal(self, problem):
        if self.onednn and "f32" not in problem.dtypes.values():
            return "oneDNN has no f64 on CPUs"
        if self.onednn and problem.op == "conv_transpose" and problem.rank < 3 and (
                problem.pass_ != "forward" or self.trains):
            return "ConvTransposeOneDNN works only for inference"  # its error message
        if ":test" in self.name and problem.pass_ != "forward":
            return "a program for tests has no gradients"
        return self.style.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, tensors, outputs):
        core.set_num_threads(problem.threads)
        call = Call.of(problem, self.style)
        try:
            results = self.compute(call, {name: array for name, array in tensors.items() if name not in outputs})
        except Exception as error:  # pylint: disable=broad-except
            return statuses.failed(last_line(error))
        return statuses.stored(tensors, results)


def last_line(error):
    """What is wrong, of a text with the stack of Paddle around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "Error:" in line or "Invalid" in line] or lines or [""]
    return f"{type(error).__name__}: {told[0]}"


if __name__ == "__main__":
    convict.serve([Target(name, *how) for name, how in PROGRAMS[PROGRAM].items()], paddle.__version__)
