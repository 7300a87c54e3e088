# SPDX-License-Identifier: Apache-2.0
"""Problems as functions of TOPI, TVM's library of operators: each that has code of its own."""
import math

from tvm import te, topi

from operands import (TVM_TYPES, Operand, Recipe, bias_type, common_refusal, hashed, letters, lies, pads, sum_type)
from relax_code import padding_refusal


class Operator:
    """An operator of forward convolutions; `compute` makes its result of image and filters, both of them te.Tensor."""

    def __init__(self, refuse, layouts, compute):
        self.refuse, self.layouts, self.compute = refuse, layouts, compute

    def refusal(self, problem):
        if problem.pass_ != "forward":
            return "no gradients"
        return common_refusal(problem) or sums_refusal(problem) or self.refuse(problem)

    def recipe(self, problem, tensors):
        layouts = self.layouts(problem, tensors)
        inputs = [Operand(name, letters(problem, name), layout) for name, layout in zip(("src", "wei"), layouts)]
        if problem.bias:
            inputs.append(Operand("bias", "O", "O"))
        output = Operand("dst", letters(problem, "dst"), layouts[2])
        return Recipe(inputs, [output], lambda: self.function(problem, inputs, output))

    def function(self, problem, inputs, output):
        parameters = placeholders(problem, inputs)
        result = self.compute(problem, *parameters[:2], [one.layout for one in (*inputs[:2], output)])
        kind = sum_type(problem)
        if problem.bias:
            old, kind = kind, bias_type(problem, kind)
            bias = cast(parameters[2], TVM_TYPES[problem.dtypes["bias"]], kind)
            result = with_bias(cast(result, old, kind), bias, output.layout)
        return te.create_prim_func([*parameters, cast(result, kind, TVM_TYPES[problem.dtypes["dst"]])])


def cast(value, old, new):
    return value if old == new else topi.cast(value, new)


def placeholders(problem, operands):
    return [te.placeholder(one.shape(problem), TVM_TYPES[problem.dtypes[one.name]], one.name) for one in operands]


def with_bias(result, bias, layout):
    """Channels are one axis, or with a block, which is the innermost axis, two."""
    outer, block = layout.index("C"), result.shape[-1] if layout.endswith("c") else 1
    return te.compute(result.shape, lambda *at: result(*at) + bias(
        at[outer] * block + at[-1] if layout.endswith("c") else at[outer]), name="with_bias")


def sums_refusal(problem):
    return "bf16 is summed in bf16" if sum_type(problem) == "bfloat16" else None


# topi.nn.conv, and the transposed ones.
def plain_refusal(problem):
    if problem.op == "conv_transpose" and max(problem.dilation) > 1:
        return "no dilation of transposed convolutions"
    return padding_refusal(problem)


def plain_layouts(problem, tensors):
    image, filters = letters(problem, "src"), letters(problem, "wei")
    if problem.op == "conv":
        image, filters = lies(tensors["src"], image), lies(tensors["wei"], filters)
    return image, filters, image


def plain(problem, image, filters, layouts):
    if problem.op == "conv":
        return topi.nn.conv(image, filters, problem.stride, pads(problem), problem.dilation, problem.groups, layouts[0],
                            layouts[1], sum_type(problem))
    operator = (topi.nn.group_conv1d_transpose_ncw, topi.nn.group_conv2d_transpose_nchw,
                topi.nn.group_conv3d_transpose_ncdhw)[problem.rank - 1]
    return operator(image, filters, problem.stride, pads(problem), sum_type(problem), problem.output_padding,
                    problem.groups)


# Channels in blocks that divide those of a group: any divisor up to 16.
def blocks(problem):
    choices = [[block for block in range(1, 17) if channels % block == 0]
               for channels in (problem.ic // problem.groups, problem.oc // problem.groups)]
    number = hashed(problem)
    return choices[0][number % len(choices[0])], choices[1][number // 16 % len(choices[1])]


def conv2d_refusal(problem):
    if problem.op != "conv" or problem.rank != 2:
        return "conv2d only"
    return None


def blocked_layouts(filters):
    def layouts(problem, _):
        i, o = blocks(problem)
        return f"NCHW{i}c", filters.format(i=i, o=o, quarter=i // math.gcd(i, 4), four=math.gcd(i, 4)), f"NCHW{o}c"
    return layouts


def blocked(operator):
    def compute(problem, image, filters, layouts):
        return operator(image, filters, problem.stride, pads(problem), problem.dilation, layouts[0], layouts[2],
                        sum_type(problem))
    return compute


def int8_refusal(problem):
    return conv2d_refusal(problem) or (None if "s8" in problem.dtypes.values() else "8-bit integers only")


def int8(problem, image, filters, layouts):
    return topi.nn.conv2d_NCHWc_int8(image, filters, problem.stride, pads(problem), problem.dilation, layouts[0],
                                     layouts[2], "int32", n_elems=math.gcd(blocks(problem)[0], 4))


# Winograd's transforms.
def winograd_refusal(problem):
    if problem.kernel != [3, 3] or max(*problem.stride, *problem.dilation, problem.groups) > 1:
        return conv2d_refusal(problem) or "3x3 with stride 1 only, no dilation, no groups"
    if set(problem.dtypes.values()) not in ({"f32"}, {"f16"}):
        return "operands of f32, or of f16"  # nothing is known of the errors of transforms in f64 (bounds.md)
    return conv2d_refusal(problem)


def winograd(problem, image, filters, layouts):
    operator = topi.nn.conv2d_winograd_nhwc if layouts[0] == "NHWC" else topi.nn.conv2d_winograd_nchw
    return operator(image, filters, problem.stride, pads(problem), problem.dilation, sum_type(problem))


def fixed(*layouts):
    return lambda problem, tensors: layouts


def c_refusal(problem):
    return "no f16 and bf16 in C" if {"f16", "bf16"} & set(problem.dtypes.values()) else plain_refusal(problem)


PLAIN_C = Operator(c_refusal, plain_layouts, plain)
PLAIN = Operator(plain_refusal, plain_layouts, plain)
BLOCKED = Operator(conv2d_refusal, blocked_layouts("OIHW{i}i{o}o"), blocked(topi.nn.conv2d_NCHWc))
BLOCKED_O = Operator(conv2d_refusal, blocked_layouts("OIHW{o}o"), blocked(topi.nn.conv2d_NCHWc_OIHWo))
BLOCKED_IO = Operator(conv2d_refusal, blocked_layouts("OIHW{i}i{o}o"), blocked(topi.nn.conv2d_NCHWc_OIHWo))
INT8 = Operator(int8_refusal, blocked_layouts("OIHW{quarter}i{o}o{four}i"), int8)
WINOGRAD_NHWC = Operator(winograd_refusal, fixed("NHWC", "HWIO", "NHWC"), winograd)
WINOGRAD_NCHW = Operator(winograd_refusal, fixed("NCHW", "OIHW", "NCHW"), winograd)
