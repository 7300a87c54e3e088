# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions of TOPI: forward in three layouts, and the two gradients in one. Output channel c * M + m
belongs to input channel c; filters have axes for c (O here) and m (its blocks)."""
from tvm import te, topi

from operands import Operand, Recipe, common_refusal, hashed, letters, pads
from topi_code import Operator, conv2d_refusal, placeholders, sum_type


def refusal(problem):
    if conv2d_refusal(problem) or problem.groups != problem.ic:
        return "depthwise conv2d only"
    return None


def layouts(problem, _):
    """The operators have no test of theirs for the layouts of the operands; each is chosen in one of three cases."""
    multiplier = problem.oc // problem.ic
    return (("NCHW", f"O{multiplier}oHW", "NCHW"), ("NHWC", f"HWO{multiplier}o", "NHWC"),
            ("NHWC", f"HW{multiplier}oO", "NHWC"))[hashed(problem) % 3]


def compute(problem, image, filters, chosen):
    common = (image, filters, problem.stride, pads(problem), problem.dilation)
    if chosen[0] == "NCHW":
        return topi.nn.depthwise_conv2d_nchw(*common, sum_type(problem))
    return topi.nn.depthwise_conv2d_nhwc(*common, "HWIO" if chosen[1].endswith("O") else "HWOI", sum_type(problem))


class Gradients:
    def refusal(self, problem):
        if problem.pass_ == "forward":
            return "gradients only"
        if common_refusal(problem) or refusal(problem):
            return common_refusal(problem) or refusal(problem)
        if max(problem.dilation) > 1:
            return "no dilation of gradients"
        if problem.bias:
            return "no gradient of the bias; it is a sum"
        return None if set(problem.dtypes.values()) <= {"f32"} or set(problem.dtypes.values()) <= {"f64"} else (
            "gradients: f32 or f64")

    def recipe(self, problem, _):
        filters = f"HWO{problem.oc // problem.ic}o"
        other, result = ("wei", "diff_src") if problem.pass_ == "backward_data" else ("src", "diff_wei")
        operands = [Operand(name, letters(problem, name), filters if "wei" in name else "NHWC")
                    for name in (other, "diff_dst", result)]
        return Recipe(operands[:2], operands[2:], lambda: self.function(problem, operands))

    def function(self, problem, operands):
        parameters = placeholders(problem, operands[:2])
        data = problem.pass_ == "backward_data"
        operator = topi.nn.depthwise_conv2d_backward_input_nhwc if data else (
            topi.nn.depthwise_conv2d_backward_weight_nhwc)
        result = operator(*parameters, operands[1].shape(problem), operands[2].shape(problem), problem.stride,
                          pads(problem))
        return te.create_prim_func([*parameters, result])


FORWARD = Operator(refusal, layouts, compute)
GRADIENTS = Gradients()
