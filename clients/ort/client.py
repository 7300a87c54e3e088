#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime of Python's package index, on the CPU, as a process target (docs/process-targets.md): a model of one
operator for each problem, at each level of graph optimization. `make ort` installs it.

    convict fuzz --target ort:plain,ort:all"""
import importlib.metadata
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import ml_dtypes
import numpy
import onnxruntime

import convict
import inference
import models
import statuses

LEVELS = onnxruntime.GraphOptimizationLevel
VIEWS = {"bf16": ml_dtypes.bfloat16}
onnxruntime.set_default_logger_severity(4)


class Target:
    """A way to a model, and a level, for convict.serve."""

    def __init__(self, name, description, way, level=LEVELS.ORT_ENABLE_ALL, settings=()):
        self.name, self.description, self.way, self.level = name, description, way, level
        self.settings = dict(settings)

    def announcement(self):
        """session.set_denormal_as_zero is off. Operands of 16 bits are converted to f32 around Conv."""
        module = "onnxruntime:auto_pad" if self.name == "ort:auto-pad" else "onnxruntime"  # whose causes are known
        return {"name": self.name, "description": "ONNX Runtime, " + self.description, "lineage": "onnxruntime",
                "built_on": [module], "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True,
                             "fuses_relu": isinstance(self.way, models.Floats)}}

    def refusal(self, problem):
        return inference.refusal(problem) or self.way.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        given = {name: typed(array, problem.dtypes[name]) for name, array in arrays.items() if name not in outputs}
        why = self.way.refusal_of_data(problem, given)
        if why:
            return statuses.refused(why)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level, options.log_severity_level = self.level, 4
        options.intra_op_num_threads, options.inter_op_num_threads = problem.threads, 1
        for key, value in self.settings.items():
            options.add_session_config_entry(key, value)
        model, inputs = self.way.model(problem, given)
        try:
            session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            result, = session.run(["dst"], inputs)
        except Exception as error:  # pylint: disable=broad-except
            return statuses.failed(error)
        return statuses.stored(arrays, {"dst": result.view("uint16") if problem.dtypes["dst"] == "bf16" else result})


def typed(array, dtype):
    """A copy. bf16 comes as its bits."""
    array = numpy.array(array, order="C")
    return array.view(VIEWS[dtype]) if dtype in VIEWS else array


TARGETS = [
    Target("ort:plain", "no graph optimization", models.Floats(), LEVELS.ORT_DISABLE_ALL),
    Target("ort:extended", "fusions, without layouts", models.Floats(), LEVELS.ORT_ENABLE_EXTENDED),
    Target("ort:all", "all optimizations: fusions, and images in blocks of channels", models.Floats()),
    Target("ort:inputs", "all optimizations, weights are inputs", models.Floats(are_inputs=True)),
    Target("ort:f16", "all optimizations, f16", models.Floats(dtype="f16")),
    Target("ort:auto-pad", "all optimizations, padding by name", models.Floats("name")),
    Target("ort:output-shape", "all optimizations, output_shape", models.Floats("shape")),
    Target("ort:qlinear", "QLinearConv", models.Integers("QLinearConv")),
    Target("ort:integer", "ConvInteger", models.Integers("ConvInteger")),
]

if __name__ == "__main__":
    convict.serve(TARGETS, importlib.metadata.version("onnxruntime"))
