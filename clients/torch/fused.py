# SPDX-License-Identifier: Apache-2.0
"""The operators of oneDNN with what follows a convolution in them, to which Inductor turns frozen models
(torch/_inductor/fx_passes/mkldnn_fusion.py): a sum with the old contents, and a ReLU. They are not asked for more than
it does: for oneDNN's types, and for what _is_packable_convolution() there lets pass of conv_transpose."""
import torch
import torch.nn.functional as F

import functions
from padding import frame_of

OPERATORS = torch.ops.mkldnn
SIGNS = {1: "add", -1: "sub"}  # of the old contents


def types():
    there = {"bf16": OPERATORS._is_mkldnn_bf16_supported(), "f16": OPERATORS._is_mkldnn_fp16_supported()}
    return ("f32", *[name for name, supported in there.items() if supported])


def refusal(problem):
    if problem.pass_ != "forward":
        return "forward only"
    if problem.rank == 1:
        return "Inductor fuses ranks 2 and 3"
    if problem.beta and (problem.op != "conv" or problem.beta not in SIGNS):
        return "a sum without a factor, of conv only"
    if problem.beta and problem.dtypes["dst"] != "f32":
        return "in 16 bits, a sum of what was rounded"
    if problem.op == "conv_transpose":
        if problem.groups == problem.ic > 1:
            return "Inductor fuses no depthwise conv_transpose"
        if any(more >= stride for more, stride in zip(problem.output_padding, problem.stride)):
            return "Inductor fuses no output padding from the stride on"
    if problem.relu and frame_of(problem).is_needed and problem.op == "conv_transpose":
        return "rows are added behind the ReLU"
    return functions.refusal(problem, types())


def compute(problem, tensors):
    src, wei, bias = (tensors.get(name) for name in ("src", "wei", "bias"))
    frame, relu = frame_of(problem), "relu" if problem.relu else None
    if problem.op == "conv_transpose":
        dst = OPERATORS._convolution_transpose_pointwise(
            src, wei, bias, frame.padding, frame.output_padding, problem.stride, problem.dilation, problem.groups,
            relu or "none", [], "")
        return {"dst": F.pad(dst, frame.pairs()) if frame.is_needed else dst}
    src = F.pad(src, frame.pairs()) if frame.is_needed else src
    how = frame.padding, problem.stride, problem.dilation, problem.groups
    if not problem.beta:
        return {"dst": OPERATORS._convolution_pointwise(src, wei, bias, *how, relu or "none", [], "")}
    return {"dst": OPERATORS._convolution_pointwise.binary(
        src, tensors["dst"], wei, bias, *how, SIGNS[problem.beta], 1.0, relu, [], "")}
