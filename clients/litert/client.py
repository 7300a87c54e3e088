#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LiteRT, which was TensorFlow Lite, as a process target (docs/process-targets.md): models of one convolution, by the
kernels of each resolver of operators. `make litert` installs it.

    convict fuzz --target litert:reference,litert:builtin,litert:xnnpack

Images are channels last; weights are constants of the model, as converters make them, or inputs. Padding is SAME or
VALID; with `pad` in a name, a PAD is in front of a VALID convolution, as converters from PyTorch write it."""
import pathlib
import sys
from dataclasses import dataclass

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import importlib.metadata

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from ai_edge_litert.schema_py_generated import ActivationFunctionType, Padding

import convict
import layouts
import statuses
from model import Builder

# XNNPACK runs operators with PTHREADPOOL_FLAG_DISABLE_DENORMALS (operator-run.c), and ruy, which optimized kernels use,
# with ScopedSuppressDenormals (trmul.cc).
CONTRACT = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, "fuses_relu": True}
MOST_THREADS = 2  # each model starts its own
RESOLVERS = {"reference": (OpResolverType.BUILTIN_REF, "reference kernels"),
             "builtin": (OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "optimized kernels"),
             "xnnpack": (OpResolverType.BUILTIN, "XNNPACK")}
OPERATORS = {("conv", 2): "CONV_2D", ("conv_transpose", 2): "TRANSPOSE_CONV", ("conv", 3): "CONV_3D",
             ("conv_transpose", 3): "CONV_3D_TRANSPOSE"}
WEIGHTS = {"CONV_2D": "oSi", "DEPTHWISE_CONV_2D": "iSo", "TRANSPOSE_CONV": "iSo", "CONV_3D": "Sio",
           "CONV_3D_TRANSPOSE": "Sio"}


def operator_of(problem):
    name = OPERATORS.get((problem.op, problem.rank))
    return "DEPTHWISE_CONV_2D" if name == "CONV_2D" and problem.groups == problem.ic > 1 else name


def pads_of(problem, name):
    """Begins of the padding, as kernels compute them from its name and the extents; None if those do not go together."""
    begins = []
    for axis in range(problem.rank):
        stride, window = problem.stride[axis], problem.dilation[axis] * (problem.kernel[axis] - 1) + 1
        image, result = problem.in_[axis], problem.out[axis]
        if problem.op == "conv_transpose":
            image, result = result, image
        if result != (-(-image // stride) if name == "SAME" else (image - window) // stride + 1):
            return None
        begins.append(max((result - 1) * stride + window - image, 0) // 2 if name == "SAME" else 0)
    return begins


def name_of(problem):
    """Of the padding, or None."""
    names = {"same_upper": ["SAME"], "valid": ["VALID"]}.get(problem.padding, ["VALID", "SAME"])
    return next((name for name in names if pads_of(problem, name) == problem.pad_begin), None)


@dataclass
class Target:
    """For convict.serve."""

    name: str
    resolver: str
    pads: bool = False
    constants: bool = True

    def announcement(self):
        how = ", PAD in front" if self.pads else "" if self.constants else ", weights as inputs"
        return {"name": self.name, "description": f"LiteRT, {RESOLVERS[self.resolver][1]}{how}",
                "lineage": "litert-" + self.resolver, "batch": 32,
                "contract": {**CONTRACT, "flushes_subnormals": self.resolver != "reference"}}

    def refusal(self, problem):
        operator = operator_of(problem)
        if problem.pass_ != "forward" or not operator:
            return "forward problems of rank 2 and 3"
        if set(problem.dtypes.values()) != {"f32"}:
            return "f32 only"
        if problem.why_illegal():
            return "not a legal problem"
        if min(problem.ic, problem.oc) == 0:
            return "kernels want at least one channel"
        if problem.groups > 1 and operator not in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            return f"{operator} has no groups"
        if self.resolver == "xnnpack" and problem.rank == 3:
            return "XNNPACK has rank 2 only"
        if max(problem.dilation) > 1 and operator == "TRANSPOSE_CONV":
            return "TRANSPOSE_CONV has no dilation"
        if self.pads:
            if problem.op != "conv" or problem.padding != "explicit" or not any(problem.pad_begin + problem.pad_end):
                return "PAD: convolutions with padding by numbers"
            return "PAD has no negative numbers" if min(problem.pad_begin + problem.pad_end) < 0 else None
        return None if name_of(problem) else "padding is SAME or VALID"

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, _):
        if problem.relu and not all(numpy.isfinite(array).all() for name, array in arrays.items() if name != "dst"):
            return statuses.refused("no document says what an activation makes of NaN")
        try:
            result = self.compute(problem, arrays)
            if result is None:
                return statuses.refused("XNNPACK does not take the operator")
        except (RuntimeError, ValueError) as error:
            return statuses.failed(str(error))
        return statuses.stored({"dst": layouts.moved(arrays["dst"], "ncS", "nSc")}, {"dst": result})

    def compute(self, problem, arrays):
        operator, builder = operator_of(problem), Builder()
        src = numpy.ascontiguousarray(layouts.moved(arrays["src"], "ncS", "nSc"))
        wei = weights_of(operator, arrays["wei"])
        image = source = builder.tensor(src.dtype, src.shape)
        inputs, given = [source], [src]
        if self.pads:
            pads = numpy.array([[0, 0], *zip(problem.pad_begin, problem.pad_end), [0, 0]], "int32")
            image = builder.tensor(src.dtype, numpy.add(src.shape, pads.sum(1)))
            builder.operator("PAD", [source, builder.constant(pads)], image)
        filters = builder.constant(wei) if self.constants else builder.tensor(wei.dtype, wei.shape)
        if not self.constants:
            inputs, given = [source, filters], [src, wei]
        bias = builder.constant(arrays["bias"] if problem.bias else numpy.zeros(problem.oc, "float32"))
        dst = builder.tensor("float32", [problem.batch, *problem.out, problem.oc])
        operands = [image, filters, bias]
        if problem.op == "conv_transpose":
            shape = numpy.array([problem.batch, *problem.out, problem.oc], "int32")
            operands = [builder.constant(shape), filters, image, bias]
        padding = "VALID" if self.pads else name_of(problem)
        builder.operator(operator, operands, dst, **options_of(problem, operator, padding))
        interpreter = Interpreter(model_content=builder.finished(inputs, [dst]),
                                  num_threads=min(problem.threads, MOST_THREADS),
                                  experimental_op_resolver_type=RESOLVERS[self.resolver][0])
        interpreter.allocate_tensors()
        if self.resolver == "xnnpack" and interpreter._get_ops_details()[-1]["op_name"] != "DELEGATE":
            return None
        for index, array in zip([one["index"] for one in interpreter.get_input_details()], given):
            interpreter.set_tensor(index, array)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def weights_of(operator, wei):
    """In the order of the operator. A depthwise one has one axis for all channels, those of a group side by side."""
    if operator == "DEPTHWISE_CONV_2D":
        return numpy.ascontiguousarray(layouts.moved(wei, "oiS", "iSo"))
    return numpy.ascontiguousarray(layouts.moved(wei, "oiS", WEIGHTS[operator]))


def options_of(problem, operator, padding):
    letters = "DHW"[3 - problem.rank:]
    named = {"padding": getattr(Padding, padding), "fusedActivationFunction":
             ActivationFunctionType.RELU if problem.relu else ActivationFunctionType.NONE}
    named.update({f"stride{letter}": stride for letter, stride in zip(letters, problem.stride)})
    if operator != "TRANSPOSE_CONV":
        named.update({f"dilation{letter}Factor": one for letter, one in zip(letters, problem.dilation)})
    if operator == "DEPTHWISE_CONV_2D":
        named["depthMultiplier"] = problem.oc // problem.groups
    return named


TARGETS = [Target("litert:builtin:inputs", "builtin", constants=False),
           *(Target(f"litert:{name}{suffix}", name, bool(suffix)) for name in RESOLVERS for suffix in ("", ":pad"))]

if __name__ == "__main__":
    convict.serve(TARGETS, importlib.metadata.version("ai-edge-litert"))
