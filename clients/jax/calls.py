# SPDX-License-Identifier: Apache-2.0
"""Operands as JAX has them, and what can be said of a problem in all ways."""
from dataclasses import dataclass, replace

import ml_dtypes
import numpy

from convict import forward

TYPES = {"f32": numpy.dtype("float32"), "f64": numpy.dtype("float64"), "f16": numpy.dtype("float16"),
         "bf16": numpy.dtype(ml_dtypes.bfloat16)}
WIDER = {"f16": ("f32", "f64"), "bf16": ("f32", "f64"), "f32": ("f64",), "f64": ()}  # preferred_element_type


def refusal(problem):
    types = [problem.dtypes[name] for name in operand_names(problem)]
    if not all(one in TYPES for one in types):
        return "floating-point types only"
    if types[0] != types[1] or (types[2] != types[0] and types[2] not in WIDER[types[0]]):
        return "operands of different types"
    if problem.why_illegal():
        return "not a legal problem"
    if problem.bias and problem.pass_ != "forward":
        return "no gradient of the bias: JAX has none, and it would be a sum"
    if problem.bias and any(one in ("f16", "bf16") for one in types):
        return "no bias in 16 bits: the sums are rounded before it is added"
    return None


def operand_names(problem):
    """src, wei and dst, or the gradient of one in its place."""
    return [name if name in problem.dims else "diff_" + name for name in ("src", "wei", "dst")]


def key(problem):
    """Problems with equal ones differ in their data alone."""
    return (problem.op, problem.pass_, problem.groups, problem.bias, problem.padding,
            *map(tuple, (problem.stride, problem.dilation, problem.pad_begin, problem.pad_end, problem.output_padding)),
            *sorted((name, tuple(dims), problem.dtypes[name]) for name, dims in problem.dims.items()))


def typed(array, dtype):
    """bf16 comes as its bits."""
    return array.view(TYPES["bf16"]) if dtype == "bf16" else array


def holes_refusal(problem, tensors, are_real):
    """Zeros that are inserted into an image are multiplied: XLA's lhs_dilation is defined so. Those that lax.pad has made
    are real ones: also the weight gradient multiplies them."""
    names = [forward.PASSES[problem.op, problem.pass_][1][0]] if max(forward.form_of(problem).insert) > 1 else []
    for name in ["wei", "diff_dst"] if are_real else names:
        if name in tensors and not numpy.isfinite(typed(tensors[name], problem.dtypes[name]).astype("float64")).all():
            return "zeros are inserted, which an infinity makes NaN"
    return None


@dataclass(frozen=True)
class Layout:
    channels_last: bool

    def numbers(self, rank, weights="OI"):
        """dimension_numbers, with the axes of channels that the weights have in the case of channels first."""
        spatial = "DHW"[3 - rank:]
        if self.channels_last:
            return "N" + spatial + "C", spatial + weights[::-1], "N" + spatial + "C"
        return "NC" + spatial, weights + spatial, "NC" + spatial

    def given(self, name, array):
        """An operand with its axes in this order, dense."""
        if self.channels_last and not name.endswith("bias"):
            array = array.transpose([*range(2, array.ndim), 1, 0] if name.endswith("wei") else
                                    [0, *range(2, array.ndim), 1])
        return numpy.ascontiguousarray(array)

    def taken(self, name, array):
        """A result in the order of axes that convict has."""
        if not self.channels_last or name.endswith("bias"):
            return array
        last = array.ndim - 1
        return array.transpose([last, last - 1, *range(last - 1)] if name.endswith("wei") else
                               [0, last, *range(1, last)])

    def extents(self, name, dims):
        if not self.channels_last or name.endswith("bias"):
            return list(dims)
        return [*dims[2:], dims[1], dims[0]] if name.endswith("wei") else [dims[0], *dims[2:], dims[1]]

    def spatial(self, rank, name):
        """Axes."""
        start = 2 if not self.channels_last else 0 if name == "wei" else 1
        return list(range(start, start + rank))

    def of_channels(self, rank, bias):
        return bias if self.channels_last else bias.reshape([-1] + [1] * rank)


def forward_of(problem):
    """The forward problem of a gradient."""
    named = lambda values: {name.removeprefix("diff_"): value for name, value in values.items()}
    return replace(problem, pass_="forward", dims=named(problem.dims), dtypes=named(problem.dtypes))
