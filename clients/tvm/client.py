#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Apache TVM as a process target (docs/process-targets.md): each way from a convolution to code of the machine is an
implementation. A batch is one module; a function is compiled once for all data of a shape.

    make tvm
    convict fuzz --target tvm:relax

What has no operator in TVM is refused: gradients but those of conv2d and of depthwise convolutions, scales and zero
points of integers. Relay, which had schedules and importers of its own, is gone."""
import dataclasses
import json
import pathlib
import sys
from typing import Any, Optional

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import convict
import tvm
from tvm import relax

import depthwise_code
import importer_code
import reference_code
import relax_code
import schedule_code
import topi_code
from compiler import Compiler, reason
from operands import lies, letters

# TVM's loops sum in one order, in the type that they are asked for: f16 in f16 (topi.nn.conv, out_dtype).
DIRECT = {"algorithm": "direct", "min_accumulator": "f16", "summation": "fixed_order", "deterministic": True}
FUSED = {**DIRECT, "fuses_relu": True}
# F(4, 3) at the points of topi.nn.winograd_util._interpolation_points.
WINOGRAD = {"algorithm": "winograd", "min_accumulator": "f16", "winograd_m": 4, "winograd_r": 3,
            "points": [0, -1, 1, 0.5, -2], "deterministic": True}

CHANNELS_LAST = relax.transform.ConvertLayout({"relax.nn.conv1d": ["NWC", "OWI"], "relax.nn.conv2d": ["NHWC", "OHWI"],
                                               "relax.nn.conv3d": ["NDHWC", "ODHWI"]})
NATIVE = {"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()}


def no_transposed(problem):
    return "transposed convolutions have one layout" if problem.op == "conv_transpose" else None


@dataclasses.dataclass
class Implementation:
    """For convict.serve; `code` says what is refused, and makes recipes of the rest."""

    name: str
    description: str
    code: Any
    contract: dict
    compiler: Compiler = dataclasses.field(default_factory=Compiler)
    batch: int = 32

    def announcement(self):
        return {"name": self.name, "description": "TVM, " + self.description, "lineage": self.name.replace(":", "-"),
                "batch": self.batch, "stateless": True, "contract": self.contract}

    def refusal(self, problem):
        return self.code.refusal(problem)

    def run_all(self, calls):
        recipes = [self.code.recipe(problem, tensors) for problem, tensors, _ in calls]
        keys = [key_of(problem, tensors) for problem, tensors, _ in calls]
        wanted = {key: recipe.build for key, recipe in zip(keys, recipes)}
        functions = self.compiler.compiled(wanted)
        return [run(functions[key], recipe, tensors) for key, recipe, (_, tensors, _) in zip(keys, recipes, calls)]


def key_of(problem, tensors):
    """What a function depends on: all but the data, the number of threads and the gaps of views."""
    order = {name: lies(array, letters(problem, name)) for name, array in tensors.items()}
    return json.dumps([{**dataclasses.asdict(problem), "threads": 1}, order], sort_keys=True)


def run(function, recipe, tensors) -> Any:
    if isinstance(function, Exception):
        return {"status": "failed", "error": reason(function)}
    inputs, outputs = ([one.arranged(tensors[one.name]) for one in side] for side in (recipe.inputs, recipe.outputs))
    try:
        results = function(inputs, outputs)
    except Exception as error:  # of any kind: what TVM raises is a finding
        return {"status": "failed", "error": reason(error)}
    for operand, values in zip(recipe.outputs, results):
        wrong: Optional[str] = operand.store(tensors[operand.name], values)
        if wrong:
            return {"status": "wrong_shape", "error": wrong}
    return "ok"


IMPLEMENTATIONS = [
    Implementation("tvm:relax", "operators of Relax in the layouts of the operands", relax_code.Operators(), FUSED),
    Implementation("tvm:relax-bf16", "operators of Relax whose sums are rounded to bf16",
                   relax_code.Operators(bf16_sums=True), {**FUSED, "min_accumulator": "bf16"}),
    Implementation("tvm:relax-orders", "operators of Relax in layouts of any letters, H before W",
                   relax_code.Operators("any"), FUSED),
    Implementation("tvm:relax-mixed-orders", "operators of Relax in layouts of any letters, also W before H",
                   relax_code.Operators("mixed"), FUSED),
    Implementation("tvm:relax-zero", "operators of Relax, fused by the pipeline zero", relax_code.Operators("plain"),
                   FUSED, Compiler(relax.get_pipeline("zero"))),
    Implementation("tvm:relax-layout", "operators of Relax, by ConvertLayout to channels last",
                   relax_code.Operators("plain", no_transposed), FUSED, Compiler(CHANNELS_LAST)),
    Implementation("tvm:relax-compiled", "operators of Relax, called by compiled code instead of byte code",
                   relax_code.Operators("plain"), FUSED, Compiler(mode="compiled")),
    Implementation("tvm:gradient", "the registered gradient of conv2d in Relax", relax_code.Gradient(), DIRECT),
    Implementation("tvm:topi", "TOPI's conv and its transposed operators", topi_code.PLAIN, DIRECT),
    Implementation("tvm:topi-c", "the same, as C instead of LLVM's code", topi_code.PLAIN_C, DIRECT,
                   Compiler(target="c")),
    Implementation("tvm:topi-nchwc", "TOPI's conv2d_NCHWc", topi_code.BLOCKED, DIRECT),
    Implementation("tvm:topi-nchwc-o", "TOPI's conv2d_NCHWc_OIHWo, filters in blocks of output channels",
                   topi_code.BLOCKED_O, DIRECT),
    Implementation("tvm:topi-nchwc-io", "TOPI's conv2d_NCHWc_OIHWo, filters in blocks of both channels",
                   topi_code.BLOCKED_IO, DIRECT),
    Implementation("tvm:topi-int8", "TOPI's conv2d_NCHWc_int8", topi_code.INT8, DIRECT),
    Implementation("tvm:topi-winograd-nhwc", "TOPI's conv2d_winograd_nhwc", topi_code.WINOGRAD_NHWC, WINOGRAD, batch=8),
    Implementation("tvm:topi-winograd-nchw", "TOPI's conv2d_winograd_nchw", topi_code.WINOGRAD_NCHW, WINOGRAD, batch=8),
    Implementation("tvm:topi-depthwise", "TOPI's depthwise_conv2d_nchw and _nhwc", depthwise_code.FORWARD, DIRECT),
    Implementation("tvm:topi-depthwise-gradients", "TOPI's depthwise_conv2d_backward_input_nhwc and _weight_nhwc",
                   depthwise_code.GRADIENTS, DIRECT),
    Implementation("tvm:schedules", "TOPI's operators with loops tiled, reordered, vectorized and unrolled at random",
                   schedule_code.SCHEDULED, DIRECT, Compiler(target=NATIVE)),
    Implementation("tvm:schedules-rfactor", "the same, with sums in parts, and tiles that divide their loops",
                   schedule_code.IN_PARTS, DIRECT, Compiler(target=NATIVE)),
    Implementation("tvm:schedules-rfactor-rest", "the same, with sums in parts, and tiles of any extent",
                   schedule_code.IN_PARTS_WITH_REST, DIRECT, Compiler(target=NATIVE)),
    Implementation("tvm:onnx", "the importer of ONNX models, padding by numbers", importer_code.Importer("numbers"),
                   DIRECT),
    Implementation("tvm:onnx-auto-pad", "the importer of ONNX models, padding by auto_pad",
                   importer_code.Importer("name"), DIRECT),
    Implementation("tvm:onnx-output-shape", "the importer of ONNX models, padding by output_shape",
                   importer_code.Importer("shape"), DIRECT),
    Implementation("tvm:numpy", "the references of topi.testing in numpy", reference_code.References(),
                   {**DIRECT, "min_accumulator": "f32", "summation": "any_order"}),
]

if __name__ == "__main__":
    convict.serve(IMPLEMENTATIONS, tvm.__version__)
