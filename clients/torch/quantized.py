# SPDX-License-Identifier: Apache-2.0
"""Quantized convolutions. Tensors have scales, and operators divide by that of their output; with 1 for src and dst,
the scales of the weights are those of our sums. Zero points, ReLU and rounding, halves to even, are as ours."""
import dataclasses

import torch
import torch.nn.functional as F

import functions
from padding import frame_of

TYPES = {"u8": torch.uint8, "s8": torch.int8, "f32": torch.float32}


def common_refusal(problem):
    if problem.requantization != "none" or problem.beta:
        return "no multipliers, and no old contents"
    if problem.batch == 0 or problem.ic == 0:
        return "no empty tensors"
    floating = dataclasses.replace(problem, dtypes={"src": "f32"})
    return functions.refusal(floating) or problem.why_illegal()


def rounding_refusal(problem):
    """oneDNN rounds the sum with the zero point, halves to even (its documentation, "Quantization": dst zero points are
    added before the conversion), and so PyTorch defines it (docs, "Quantization": round(x / scale + zero_point)). Ours
    is rounded before: the same where the zero point is even, or there are no halves."""
    is_odd = problem.dst_zero_point % 2 == 1 and "scale" in problem.dtypes
    return "it rounds behind the zero point, which is odd" if is_odd else None


def framed(problem, tensor):
    """Zeros are the zero point."""
    frame = frame_of(problem)
    value = problem.src_zero_point if problem.op == "conv" else problem.dst_zero_point
    return F.pad(tensor, frame.pairs(), value=value) if frame.is_needed else tensor


@dataclasses.dataclass(frozen=True)
class Engine:
    """torch.ops.quantized, by one of torch.backends.quantized.supported_engines."""

    name: str

    def refusal(self, problem):
        if [problem.dtypes.get(name) for name in ("src", "wei", "dst")] != ["u8", "s8", "u8"]:
            return "u8:s8:u8 only"
        if self.name not in torch.backends.quantized.supported_engines:
            return "this PyTorch was built without the engine"
        if self.name != "qnnpack" and not torch.cpu._is_vnni_supported():
            return "without VNNI, sums of two products saturate (reduce_range of torch.ao.quantization)"
        if problem.bias:
            return "a bias is rounded, or added to a sum in other units"
        if problem.op == "conv_transpose" and (problem.relu or self.name == "qnnpack" and problem.rank == 3):
            return "no such operator of conv_transpose"
        if problem.op == "conv_transpose" and len(problem.dims.get("scale", [])) > 0 and problem.dims["scale"][0] != 1:
            return "no scales of channels in conv_transpose"  # "... is currently disabled for transposed conv"
        if self.name == "onednn" and any(problem.output_padding):
            return "onednn takes no output padding"
        return common_refusal(problem) or (None if self.name in ("fbgemm", "qnnpack") else rounding_refusal(problem))

    def compute(self, problem, tensors):
        torch.backends.quantized.engine = self.name
        frame, is_conv = frame_of(problem), problem.op == "conv"
        image = framed(problem, tensors["src"]) if is_conv else tensors["src"]
        src = torch._make_per_tensor_quantized_tensor(image.contiguous(), 1.0, problem.src_zero_point)
        operator = f"{problem.op}{problem.rank}d"
        more = [] if is_conv else [frame.output_padding]
        how = problem.stride, frame.padding, *more, problem.dilation, problem.groups
        packed = getattr(torch.ops.quantized, operator + "_prepack")(weights(problem, tensors), None, *how)
        function = getattr(torch.ops.quantized, operator + ("_relu" if problem.relu else ""))
        dst = function(src, packed, 1.0, problem.dst_zero_point).int_repr()
        return {"dst": dst if is_conv else framed(problem, dst)}


def weights(problem, tensors):
    wei, scale = tensors["wei"].contiguous(), tensors.get("scale")
    if scale is None or scale.numel() == 1:
        return torch._make_per_tensor_quantized_tensor(wei, 1.0 if scale is None else scale.item(), 0)
    zeros, axis = torch.zeros(scale.numel(), dtype=torch.long), 0 if problem.op == "conv" else 1
    return torch._make_per_channel_quantized_tensor(wei, scale.double(), zeros, axis)


def pointwise_refusal(problem):
    """For onednn::qconv_pointwise, to which Inductor turns models that torch.export has quantized."""
    kinds = [problem.dtypes.get(name) for name in ("src", "wei", "dst")]
    if kinds[0] != "u8" or kinds[1] != "s8" or kinds[2] not in TYPES:
        return "u8 by s8 only, to u8, s8 or f32"
    if problem.op != "conv" or not torch.cpu._is_vnni_supported():
        return "conv only, on processors with VNNI"
    if problem.rank == 3 and problem.relu:
        return "no ReLU in rank 3"  # "Unsupported post op relu for quantized pointwise conv3d"
    return common_refusal(problem) or rounding_refusal(problem)


def pointwise(problem, tensors):
    frame, scale = frame_of(problem), tensors.get("scale")
    scales = torch.ones(1) if scale is None else scale.contiguous()
    zeros = torch.zeros_like(scales, dtype=torch.int)
    how = problem.stride, frame.padding, problem.dilation, problem.groups
    src, wei = framed(problem, tensors["src"]), tensors["wei"].contiguous()
    wei = torch.ops.onednn.qconv_prepack(wei, scales, 1.0, problem.src_zero_point, *how, src.shape)
    return {"dst": torch.ops.onednn.qconv_pointwise(
        src, 1.0, problem.src_zero_point, wei, scales, zeros, tensors.get("bias"), *how, 1.0, problem.dst_zero_point,
        TYPES[problem.dtypes["dst"]], "relu" if problem.relu else "none", [], "")}
