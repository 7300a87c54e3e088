#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keras.ops.conv, depthwise_conv and conv_transpose as a process target (docs/process-targets.md). An argument is the
backend: each has padding code of its own. `make keras` installs Keras with all of them.

    convict fuzz --target keras:torch,keras:jax:first"""
import importlib.metadata
import os
import pathlib
import sys

BACKEND = sys.argv[1] if len(sys.argv) > 1 else "numpy"
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
os.environ.update(KERAS_BACKEND=BACKEND, TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.modules["openvino_telemetry"] = None  # reports its use
import keras
import numpy

import convict
import layouts
import paddings
import statuses

# By backend: what it computes with, whose causes are known, and its lineage. XLA, TensorFlow and OpenVINO flush
# subnormals (clients/jax, tensorflow and openvino say where).
BACKENDS = {"numpy": (["jax:eager"], "xla", True), "jax": (["jax:eager"], "xla", True),
            "tensorflow": (["tf:eager", "tf:xla"], "tf", True), "torch": (["torch:eager"], "aten", False),
            "openvino": (["openvino:parameter", "openvino:output-shape"], "openvino", True)}
FORMATS = {"channels_last": "nSc", "channels_first": "ncS"}


class Target:
    """A function and a data format, for convict.serve."""

    def __init__(self, suffix, data_format, depthwise=False):
        self.name, self.data_format, self.depthwise = f"keras:{BACKEND}{suffix}", data_format, depthwise

    def announcement(self):
        built_on, lineage, flushes = BACKENDS[BACKEND]
        what = "depthwise_conv, " if self.depthwise else ""
        return {"name": self.name, "description": f"Keras on {BACKEND}, {what}{self.data_format}", "batch": 8,
                "built_on": built_on, "lineage": lineage,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True,
                             "flushes_subnormals": flushes}}

    def refusal(self, problem):
        if problem.pass_ != "forward":
            return "forward only: gradients are those of the backend"
        if set(problem.dtypes.values()) != {"f32"}:
            return "f32 only"
        if problem.why_illegal():
            return "not a legal problem"
        if problem.bias:
            return "the functions have no bias"
        if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
            return "nothing is empty"
        if problem.op == "conv_transpose" and problem.groups > 1:
            return "conv_transpose has no groups"
        if max(problem.stride) > 1 and max(problem.dilation) > 1:
            return "strides and dilation exclude each other (the page of keras.ops.conv)"
        if any(more >= stride for more, stride in zip(problem.output_padding, problem.stride)):
            return "output_padding is below the stride (the page of keras.ops.conv_transpose)"
        if self.depthwise and (problem.op != "conv" or problem.groups != problem.ic or problem.rank == 3):
            return "depthwise convolutions of rank 1 and 2"
        return None if paddings.arguments(problem) else "no padding that Keras has"

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, _):
        try:
            result = self.compute(problem, arrays["src"], arrays["wei"])
        except Exception as error:  # pylint: disable=broad-except
            return statuses.failed(error)
        result = layouts.moved(result, FORMATS[self.data_format], layouts.OURS_IMAGE)
        return statuses.stored(arrays, {"dst": result})

    def compute(self, problem, src, wei):
        """Weights have the axes first, then the input channels, of conv_transpose the output channels, of a group."""
        named = {"strides": tuple(problem.stride), "dilation_rate": tuple(problem.dilation),
                 "data_format": self.data_format, **paddings.arguments(problem)}
        image = numpy.ascontiguousarray(layouts.moved(src, layouts.OURS_IMAGE, FORMATS[self.data_format]))
        if self.depthwise:
            parts = wei.reshape(problem.groups, -1, *problem.kernel)  # a channel, and what is made of it
            weights = numpy.ascontiguousarray(numpy.moveaxis(parts, (0, 1), (-2, -1)))
            result = keras.ops.depthwise_conv(image, weights, **named)
        else:
            order = "Sio"  # of conv_transpose, whose weights have output channels as our inner axis: the same
            weights = numpy.ascontiguousarray(layouts.moved(wei, layouts.OURS_WEIGHTS, order))
            result = getattr(keras.ops, problem.op)(image, weights, **named)
        return keras.ops.convert_to_numpy(result)


TARGETS = [Target("", "channels_last"), Target(":first", "channels_first"),
           Target(":depthwise", "channels_last", depthwise=True),
           Target(":depthwise:first", "channels_first", depthwise=True)]

if __name__ == "__main__":
    convict.serve(TARGETS, f"{importlib.metadata.version('keras')}")
