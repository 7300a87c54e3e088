#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenVINO on the CPU as a process target (docs/process-targets.md): a model of one convolution for each problem, with
its operators, or read by its ONNX importer. `make openvino` installs it.

    convict fuzz --target openvino:constant,openvino:onnx

An argument, `avx2` or `sse41`, is the most that its oneDNN takes of the processor."""
import importlib.metadata
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
PROCESSOR = sys.argv[1] if len(sys.argv) > 1 else ""
if PROCESSOR:
    os.environ["ONEDNN_MAX_CPU_ISA"] = PROCESSOR.upper()
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.modules["openvino_telemetry"] = None  # reports its use, from a thread: a process with threads is not copied
import ml_dtypes
import numpy
import openvino

import convict
import inference
import models
import statuses

TYPES = {"f32": numpy.dtype("float32"), "f16": numpy.dtype("float16"), "bf16": numpy.dtype(ml_dtypes.bfloat16)}
# Otherwise it computes in bf16 where the processor has that.
SETTINGS = {"EXECUTION_MODE_HINT": "ACCURACY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": 1,
            "ENABLE_CPU_PINNING": False}


class Target:
    """A way to a model, for convict.serve. A type of 16 bits is what it is told to compute in: operands and result
    are f32, and the result is rounded."""

    def __init__(self, name, description, way, dtype="f32"):
        self.name, self.description, self.way, self.dtype = name, description, way, dtype
        self.core = None

    def announcement(self):
        """Subnormals of constants become 0, also with CPU_DENORMALS_OPTIMIZATION off: hasSubnormals of the plugin's
        nodes/input.cpp."""
        fuses = self.way in (models.constant, models.parameter)
        return {"name": self.name, "description": "OpenVINO, " + self.description, "lineage": "openvino", "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True,
                             "flushes_subnormals": True, "fuses_relu": fuses}}

    def refusal(self, problem):
        why = inference.refusal(problem)
        if not why and set(problem.dtypes.values()) != {self.dtype}:
            why = f"all operands are of type {self.dtype}"
        return why or self.way.refusal(problem)

    def run_all(self, calls):
        if self.core is None:  # starts threads: not before this process is copied
            self.core = openvino.Core()
        calls = [(problem, inference.operands(problem, arrays, outputs), arrays["dst"])
                 for problem, arrays, outputs in calls]
        taken = [call for call in calls if not inference.loses_nan(*call[:2])]
        done = dict(zip(map(id, taken), self.run_taken(taken)))
        return [done.get(id(call), inference.LOST_NAN) for call in calls]

    def run_taken(self, calls):
        """As one model, which takes a tenth of the time; where that fails, one by one."""
        try:
            return self.run_together(calls) if calls else []
        except RuntimeError as error:
            if len(calls) == 1:
                return [statuses.failed(error)]
            return [status for call in calls for status in self.run_taken([call])]

    def run_together(self, calls):
        results, parameters, inputs = [], [], []
        for problem, given, _ in calls:
            model, operands = self.way.model(self.core, problem, given)
            results += model.get_results()
            parameters += model.get_parameters()
            inputs += operands
        settings = {**SETTINGS, "INFERENCE_PRECISION_HINT": self.dtype}
        compiled = self.core.compile_model(openvino.Model(results, parameters), "CPU", settings)
        values = compiled(inputs)
        return [self.stored(values[at], dst) for at, (*_, dst) in enumerate(calls)]

    def stored(self, result, dst):
        result = result.astype(TYPES[self.dtype])
        return statuses.stored({"dst": dst}, {"dst": result.view("uint16") if self.dtype == "bf16" else result})


LIMITED = [Target(f"openvino:{PROCESSOR}", f"oneDNN for {PROCESSOR.upper()}", models.constant)]
if __name__ == "__main__":
    convict.serve(LIMITED if PROCESSOR else [
        Target("openvino:constant", "weights are constants", models.constant),
        Target("openvino:parameter", "weights are parameters", models.parameter),
        Target("openvino:dynamic", "batch and axes of the image are open", models.dynamic),
        Target("openvino:auto-pad", "padding by name", models.auto_pad),
        Target("openvino:output-shape", "transposed, with an output_shape", models.output_shape),
        Target("openvino:bf16", "told to compute in bf16", models.constant, "bf16"),
        Target("openvino:f16", "told to compute in f16", models.constant, "f16"),
        Target("openvino:onnx", "its importer of ONNX", models.onnx),
        Target("openvino:onnx:auto-pad", "its importer of ONNX, padding by name", models.onnx_auto_pad),
        Target("openvino:onnx:output-shape", "its importer of ONNX, output_shape", models.onnx_output_shape),
    ], importlib.metadata.version("openvino"))
