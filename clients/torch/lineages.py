# SPDX-License-Identifier: Apache-2.0
"""The ways to a convolution that are different code."""
from dataclasses import dataclass, field
from typing import Callable

import torch

import compiled
import functions
import fused
import quantized
from mapped import Mapped


ON_DEVICE = False  # where cuDNN has the part of oneDNN, and takes all types


@dataclass(frozen=True)
class Lineage:
    """What `refusal` takes, `compute` computes: a problem and tensors give the outputs by name."""

    description: str
    compute: Callable
    refusal: Callable
    lineage: str = "aten+onednn"
    mkldnn: bool = True
    batch: int = 32
    contract: dict = field(default_factory=dict)


def with_onednn(problem):
    """Elsewhere 16-bit types are computed by PyTorch's own kernels (mkldnn_bf16_device_check() and
    mkldnn_fp16_device_check() in ATen/native/mkldnn/Utils.h), and so is output padding from the stride on
    (is_output_padding_big() in ATen/native/Convolution.cpp). They have implementations of their own here, because their
    sums are others."""
    if ON_DEVICE:
        return functions.refusal(problem)
    if set(problem.dtypes.values()) & {"f16", "bf16"} and problem.op == "conv_transpose" and any(
            more >= stride for more, stride in zip(problem.output_padding, problem.stride)):
        return "in 16 bits, output padding from the stride on is not oneDNN's"
    return functions.refusal(problem, (*fused.types(), "f64"))


def in_f16(problem):
    return functions.refusal(problem, ("f16",))


def backward_only(problem):
    return "backward only" if problem.pass_ == "forward" else with_onednn(problem)


def channels_last(problem):
    return "no memory format of rank 1" if problem.rank == 1 else with_onednn(problem)


# PyTorch's own products of 16-bit matrices may keep their sums in the type of the operands
# (docs/source/notes/numerical_accuracy.rst, "Reduced precision reduction").
SUMS_IN_BF16, SUMS_IN_F16 = {"min_accumulator": "bf16"}, {"min_accumulator": "f16"}


def mapped(axis):
    way = Mapped(axis)
    return Lineage(f"torch.vmap over {axis}", way.compute, way.refusal, contract=SUMS_IN_BF16)


def engine(name):
    way = quantized.Engine(name)
    return Lineage(f"torch.ops.quantized, engine {name}", way.compute, way.refusal, name, contract={"fuses_relu": True})


LINEAGES = {
    "torch:eager": Lineage("as it is, with oneDNN where it prefers that", functions.compute, with_onednn),
    "torch:native": Lineage("its own kernels, in f32, f64 and bf16", functions.compute,
                            lambda problem: functions.refusal(problem, ("f32", "f64", "bf16")), "aten", False,
                            contract=SUMS_IN_BF16),
    "torch:native-f16": Lineage("its own kernels, in f16", functions.compute, in_f16, "aten", False,
                                contract=SUMS_IN_F16),
    "torch:channels-last": Lineage("operands in its memory format channels_last", functions.channels_last,
                                   channels_last),
    "torch:autograd": Lineage("gradients by autograd", functions.differentiate, backward_only),
    "torch:grad": Lineage("gradients by torch.nn.grad", functions.library_gradients,
                          functions.library_gradients_refusal),
    "torch:vmap-images": mapped("images"),
    "torch:vmap-filters": mapped("filters"),
    "torch:vmap-groups": mapped("groups"),
    "torch:fused": Lineage("oneDNN's operators with a sum and a ReLU, as Inductor calls them", fused.compute,
                           fused.refusal, "onednn", contract={"accumulates": True, "fuses_relu": True}),
    "torch:compile": Lineage("torch.compile, Inductor's C++ around the convolution", compiled.compute,
                             lambda problem: compiled.refusal(problem) or with_onednn(problem),
                             "inductor+aten+onednn", batch=4, contract={"accumulates": True, "fuses_relu": True}),
    "torch:x86": engine("x86"),
    "torch:fbgemm": engine("fbgemm"),
    "torch:onednn": engine("onednn"),
    "torch:qnnpack": engine("qnnpack"),
    "torch:qconv": Lineage("onednn::qconv_pointwise, as Inductor calls it for quantized models", quantized.pointwise,
                           quantized.pointwise_refusal, "onednn", contract={"fuses_relu": True}),
}


def switch(lineage):
    """NNPACK, which steps in where oneDNN is off, transforms: a contract of its own."""
    torch.backends.nnpack.set_flags(False)
    torch.backends.mkldnn.set_flags(lineage.mkldnn)
    torch.backends.cudnn.enabled = lineage.mkldnn
