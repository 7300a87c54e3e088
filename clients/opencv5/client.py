#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graph engine of OpenCV 5 as a process target (docs/process-targets.md): a model of ONNX for each problem.
`make opencv5` installs it.

    convict fuzz --target opencv5:plain"""
import importlib.metadata
import math
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import cv2
import numpy

import convict
import onnx_model
import statuses

MOST_VISITS = 100_000_000  # a fifth of a second


def visits(problem):
    """Of a tap, for a position of the result and eight of its channels. Most find no position of the image."""
    return math.prod([problem.batch, -(-problem.oc // 8), *problem.out, *problem.kernel])


class Target:
    """`padding` as in onnx_model. `are_inputs`: weights and bias are inputs. Nets run in FPDenormalsIgnoreHintScope,
    which flushes subnormals. Winograd is off: no contract says what it is taken for."""

    def __init__(self, name, description, padding="numbers", are_inputs=False):
        self.name, self.description, self.padding, self.are_inputs = name, description, padding, are_inputs

    def announcement(self):
        return {"name": self.name, "description": "OpenCV 5, " + self.description, "lineage": "opencv", "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True,
                             "flushes_subnormals": True, "fuses_relu": True}}

    def refusal(self, problem):
        if set(problem.dtypes.values()) != {"f32"}:
            return "f32 only"
        if problem.why_illegal():
            return "not a legal problem"
        if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
            return "nothing is empty"
        if problem.op == "conv_transpose" and visits(problem) > MOST_VISITS:
            return "each result of a transposed convolution looks at each tap: too many to wait for"
        return onnx_model.refusal(problem, self.padding)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        given = {name: numpy.array(arrays[name], order="C") for name in arrays if name not in outputs}
        if problem.relu and not all(numpy.isfinite(one).all() for one in given.values()):
            return statuses.refused("ReLU of what is not finite")
        cv2.setNumThreads(problem.threads)
        try:
            net = cv2.dnn.readNetFromONNX(numpy.frombuffer(self.serialized(problem, given), numpy.uint8),
                                          engine=cv2.dnn.ENGINE_NEW)
            net.enableWinograd(False)
            for name in given if self.are_inputs else ["src"]:
                net.setInput(given[name], name)
            result = net.forward()
        except cv2.error as error:
            return statuses.failed(str(error))
        return statuses.stored(arrays, {"dst": result})

    def serialized(self, problem, given):
        made = onnx_model.model(problem, self.padding, opset=17)
        if not self.are_inputs:
            onnx_model.fix(made, {name: array for name, array in given.items() if name != "src"})
        if problem.relu:
            onnx_model.add_relu(made)
        return made.SerializeToString()


TARGETS = [
    Target("opencv5:plain", "from ONNX"),
    Target("opencv5:inputs", "from ONNX, weights are inputs", are_inputs=True),
    Target("opencv5:auto-pad", "from ONNX, padding by name", "name"),
    Target("opencv5:output-shape", "from ONNX, output_shape", "shape"),
]

if __name__ == "__main__":
    convict.serve(TARGETS, importlib.metadata.version("opencv-python-headless"))
