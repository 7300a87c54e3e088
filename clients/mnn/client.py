#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MNN on the CPU as a process target (docs/process-targets.md): models that its converter makes of ONNX or JSON, and
its functions with their gradients. `make mnn` installs it.

    convict fuzz --target mnn:plain,mnn:functions"""
import ctypes
import importlib.metadata
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
ANSWERS = os.dup(1)
os.dup2(2, 1)  # it says at once what the processor has
import MNN.expr
import numpy

import convict
import functions
import integers
import models
import statuses

ctypes.CDLL(None).fflush(None)
os.dup2(ANSWERS, 1)
os.close(ANSWERS)
MNN.expr.lazy_eval(True)  # graphs are computed where they are read; gradients need them


class Target:
    """A way to a convolution, for convict.serve. Operands of 16 bits are computed in f32, and the result is rounded."""

    def __init__(self, name, description, way, dtype="f32", tile=0):
        self.name, self.description, self.way, self.dtype, self.tile = name, description, way, dtype, tile

    def announcement(self):
        """The converter makes subnormals of weights 0 (`--alignDenormalizedValue`, 1 unless it is changed)."""
        contract = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, "flushes_subnormals": True,
                    "fuses_relu": isinstance(self.way, models.Converted)}
        if self.tile:  # of 4x4: with level 3, where it may take larger ones, no contract says which
            contract |= {"algorithm": "winograd", "winograd_m": self.tile, "winograd_r": 3, "points": POINTS}
        return {"name": self.name, "description": "MNN, " + self.description, "lineage": "mnn", "batch": 32,
                "contract": contract}

    def refusal(self, problem):
        if problem.pass_ not in self.way.passes:
            return "forward only"
        kinds = {name: dtype for name, dtype in problem.dtypes.items() if name != "bias"}
        if set(kinds.values()) != {self.dtype}:
            return f"all operands are of type {self.dtype}"
        if problem.why_illegal():
            return "not a legal problem"
        if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
            return "nothing is empty"
        return self.way.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        given = {name: numpy.array(arrays[name], "float32", order="C") for name in arrays if name not in outputs}
        why = self.way.refusal_of_data(problem, given)
        if why:
            return statuses.refused(why)
        if problem.relu and not all(numpy.isfinite(one).all() for one in given.values()):
            return statuses.refused("ReLU is min(max(x, 0), the largest number), where a NaN is lost")
        try:
            results = self.way.compute(problem, given)
        except (models.Failed, RuntimeError, SystemError, ValueError) as error:
            return statuses.failed(str(error))
        return statuses.stored(arrays, {name: results[name] for name in outputs})


POINTS = [0, 1, -1]  # WinogradGenerater(unit, kernel, 1, true)
TARGETS = [
    Target("mnn:plain", "from ONNX, without Winograd", models.Converted()),
    Target("mnn:winograd", "from ONNX, kernels of 3x3, F(2, 3) where it likes", models.Converted(level=1), tile=2),
    Target("mnn:inputs", "from ONNX, weights are inputs", models.Converted(are_inputs=True)),
    Target("mnn:resized", "from ONNX, open axes, after a larger image", models.Converted(resized=True)),
    Target("mnn:groups", "from ONNX, --groupConvNative", models.Converted(options=("--groupConvNative",))),
    Target("mnn:optimize2", "from ONNX, --optimizeLevel 2",
           models.Converted(options=("--optimizeLevel", "2"), drops=False)),
    Target("mnn:f16", "from ONNX, --fp16: weights are stored in f16", models.Converted(options=("--fp16",)), "f16"),
    Target("mnn:int8", "ConvInt8 and DepthwiseConvInt8", integers.integers, "s8"),
    Target("mnn:auto-pad", "from ONNX, padding by name", models.Converted("name")),
    Target("mnn:output-shape", "from ONNX, output_shape", models.Converted("shape")),
    Target("mnn:functions", "MNN.expr.conv2d and conv2d_transpose, and MNN.optim.Grad", functions.functions),
    Target("mnn:functions:auto-pad", "MNN.expr.conv2d and conv2d_transpose, and MNN.optim.Grad, SAME",
           functions.by_name),
]

if __name__ == "__main__":
    convict.serve(TARGETS, importlib.metadata.version("mnn"))
