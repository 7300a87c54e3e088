#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle as a process target (docs/process-targets.md): its convolutions as users call them, eagerly, as a static
graph and compiled from Python, in both layouts, with the gradients that it derives.

    python3 -m venv build/venvs/paddle && build/venvs/paddle/bin/pip install -r clients/paddle/requirements.txt
    convict fuzz --command 'build/venvs/paddle/bin/python clients/paddle/client.py'
    convict fuzz --command 'build/venvs/paddle/bin/python clients/paddle/client.py onednn'
"""
import os
import pathlib
import sys
import warnings

# The executor of static graphs starts some ninety threads otherwise, which compute the same one after the other.
os.environ["FLAGS_new_executor_serial_run"] = "1"
os.environ["GLOG_minloglevel"] = "3"  # it reports each start of an executor
warnings.filterwarnings("ignore", message="No ccache found")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import paddle
from paddle.base import core

import convict
from calls import Call, refusal
from lineages import eager, static, to_static

# Programs, each with what follows from its name: description, whether channels come last, whether output_size says the
# output padding, how it is computed. oneDNN has programs of its own, one for each layout: in its executor, a graph with
# channels last changes what later ones compute.
PROGRAMS = {
    "": {
        "paddle:eager": ("op by op", False, False, eager),
        "paddle:eager:nhwc": ("op by op, channels last", True, False, eager),
        "paddle:output-size": ("op by op, output_size for output_padding", False, True, eager),
        "paddle:output-size:nhwc": ("op by op, output_size for output_padding, channels last", True, True, eager),
        "paddle:static": ("static graph", False, False, static(pir=True)),
        "paddle:static:nhwc": ("static graph, channels last", True, False, static(pir=True)),
        "paddle:static:old": ("static graph, IR before PIR", False, False, static(pir=False)),
        "paddle:to-static": ("paddle.jit.to_static", False, False, to_static),
        "paddle:to-static:nhwc": ("paddle.jit.to_static, channels last", True, False, to_static),
    },
    "onednn": {
        "paddle:onednn": ("static graph, oneDNN", False, False, static(pir=True, onednn=True)),
        "paddle:onednn:old": ("static graph, oneDNN, IR before PIR", False, False, static(pir=False, onednn=True)),
    },
    "onednn-nhwc": {
        "paddle:onednn:nhwc": ("static graph, oneDNN, channels last", True, False, static(pir=True, onednn=True)),
        "paddle:onednn:old:nhwc": ("static graph, oneDNN, IR before PIR, channels last", True, False,
                                   static(pir=False, onednn=True)),
    },
}


class Target:
    """An entry of the table, for convict.serve."""

    def __init__(self, name, description, channels_last, output_size, compute):
        self.name, self.description, self.compute = name, description, compute
        self.channels_last, self.output_size = channels_last, output_size
        self.onednn = "onednn" in name

    def announcement(self):
        """Sums are those of a matrix multiplication, in an order of its own."""
        lineage = "paddle+onednn" if self.onednn else "paddle"
        return {"name": self.name, "description": f"PaddlePaddle, {self.description}", "lineage": lineage, "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True}}

    def refusal(self, problem):
        if self.output_size and not any(problem.output_padding):
            return "no output padding"
        if self.onednn and "f32" not in problem.dtypes.values():
            return "oneDNN has no f64 on CPUs"
        if self.onednn and problem.op == "conv_transpose" and problem.rank < 3 and problem.pass_ != "forward":
            return "ConvTransposeOneDNN works only for inference"  # its error message
        return refusal(problem, self.output_size)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, tensors, outputs):
        core.set_num_threads(problem.threads)
        call = Call.of(problem, self.channels_last, self.output_size)
        try:
            results = self.compute(call, {name: array for name, array in tensors.items() if name not in outputs})
        except Exception as error:  # pylint: disable=broad-except
            return {"status": "failed", "error": last_line(error)}
        for name, result in results.items():
            if result.shape != tuple(tensors[name].shape):
                return {"status": "wrong_shape", "error": f"{name} is {result.shape}, not {tensors[name].shape}"}
            tensors[name][...] = result
        return {"status": "ok"}


def last_line(error):
    """What is wrong, of a text with the stack of Paddle around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "Error:" in line or "Invalid" in line] or lines or [""]
    return f"{type(error).__name__}: {told[0]}"[:400]


if __name__ == "__main__":
    program = PROGRAMS[sys.argv[1] if len(sys.argv) > 1 else ""]
    convict.serve([Target(name, *how) for name, how in program.items()], paddle.__version__)
