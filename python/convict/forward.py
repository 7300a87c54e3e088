# SPDX-License-Identifier: Apache-2.0
"""All six operations as one forward convolution, for kernels that have no other (needs numpy):

    result[n, o, g, f] = sum over r, c of image[n, o * stride + r * dilation - low, g, c] * filter[r, g, c, f]

where zeros are inserted between the elements of the image first (`insert` - 1 of them). `low` and `high` are zeros
around it, or what is cut off if negative. Orders of axes are texts: letters of the formula, S for the spatial ones."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy

from ._problem import Problem

# Operands of each pass as image, filter and result, and their axes; g and the one behind it are one axis of the
# operand. A filter of "gcfS" is turned around, and zeros are inserted into the image: it is the gradient of the data.
PASSES = {
    ("conv", "forward"): (("src", "ngcS"), ("wei", "gfcS"), ("dst", "ngfS")),
    ("conv", "backward_data"): (("diff_dst", "ngcS"), ("wei", "gcfS"), ("diff_src", "ngfS")),
    ("conv", "backward_weights"): (("src", "cgnS"), ("diff_dst", "cgfS"), ("diff_wei", "gfnS")),
    ("conv_transpose", "forward"): (("src", "ngcS"), ("wei", "gcfS"), ("dst", "ngfS")),
    ("conv_transpose", "backward_data"): (("diff_dst", "ngcS"), ("wei", "gfcS"), ("diff_src", "ngfS")),
    ("conv_transpose", "backward_weights"): (("diff_dst", "cgnS"), ("src", "cgfS"), ("diff_wei", "gfnS")),
}


@dataclass(frozen=True)
class Operation:
    """A forward convolution, and the orders in which it has the axes. One that is left out has extent 1; F is g and f
    as one axis."""

    name: str
    image: str
    filter: str
    result: str
    turns: bool = False  # it turns the filter around by itself

    @property
    def bias(self) -> str:
        return self.result.partition("S")[2]


@dataclass(frozen=True)
class Form:
    """Extents only. Lists have an entry for each spatial axis."""

    n: int
    g: int
    c: int
    f: int
    image: list[int]
    kernel: list[int]
    out: list[int]
    insert: list[int]
    stride: list[int]
    dilation: list[int]
    low: list[int]
    bias: bool

    def inserted(self) -> list[int]:
        """Extents of the image with the zeros between its elements."""
        return [max((size - 1) * insert + 1, 0) for size, insert in zip(self.image, self.insert)]

    def high(self) -> list[int]:
        return [(out - 1) * stride + (kernel - 1) * dilation + 1 - size - low
                for out, stride, kernel, dilation, size, low in
                zip(self.out, self.stride, self.kernel, self.dilation, self.inserted(), self.low)]

    def crops_an_axis(self) -> bool:
        """Whether one side, or both together, cut off the whole of an axis of the image."""
        return any(-low >= size or -high >= size or size + low + high < 1
                   for low, high, size in zip(self.low, self.high(), self.inserted()))

    def shape(self, order: str, spatial: Sequence[int] = ()) -> list[int]:
        extents = {"n": [self.n], "g": [self.g], "c": [self.c], "f": [self.f], "F": [self.g * self.f], "S": spatial}
        return [extent for letter in order for extent in extents[letter]]


def ungrouped(dims: Sequence[int], axes: str, groups: int) -> list[int]:
    """The extents of all axes of an operand."""
    at = axes.index("g")
    return [*dims[:at], groups, dims[at] // groups, *dims[at + 1:]]


def form_of(problem: Problem) -> Form:
    roles = PASSES[problem.op, problem.pass_]
    image, kernel, result = (ungrouped(problem.dims[name], axes, problem.groups) for name, axes in roles)
    (_, image_axes), (_, kernel_axes), _ = roles
    extents = {**dict(zip(image_axes[:3], image)), **dict(zip(kernel_axes[:3], kernel))}
    insert, stride, dilation, low = [1] * problem.rank, problem.stride, problem.dilation, problem.pad_begin
    if problem.pass_ == "backward_weights":
        stride, dilation = dilation, stride
    elif kernel_axes == "gcfS":
        low = [d * (k - 1) - pad for d, k, pad in zip(dilation, kernel[3:], low)]
        insert, stride = stride, insert
    return Form(**extents, image=image[3:], kernel=kernel[3:], out=result[3:], insert=insert, stride=stride,
                dilation=dilation, low=low, bias=problem.bias and problem.pass_ == "forward")


def refusal(problem: Problem, most: int) -> Optional[str]:
    """Why a compiler of forms in f32 and f64 does not take it; `most`: multiply-adds of a problem."""
    if set(problem.dtypes.values()) not in ({"f32"}, {"f64"}):
        return "f32 and f64 only, not mixed"
    if problem.why_illegal():
        return "not a legal problem"
    if problem.bias and problem.pass_ != "forward":
        return "no gradient of the bias"
    form = form_of(problem)
    if min(form.n, form.c, form.f, *form.image) < 1:
        return "nothing empty"
    if math.prod([form.n, *form.out, form.g, form.f, form.c, *form.kernel]) > most:
        return f"more than {most} multiply-adds"
    return None


def reordered(array: Any, axes: str, order: str) -> Any:
    """A view with its axes in this order, those that are left out last."""
    letters, spatial = axes[:3], list(range(3, array.ndim))
    places = {**{letter: [letters.index(letter)] for letter in letters}, "S": spatial}
    left = [letter for letter in axes if letter not in order]
    return array.transpose([place for letter in [*order, *left] for place in places[letter]])


def operands(problem: Problem, tensors: dict[str, Any], form: Form, operation: Operation) -> list[Any]:
    """Image, filter and, if any, bias as the operation wants them."""
    (image, image_axes), (kernel, kernel_axes), _ = PASSES[problem.op, problem.pass_]
    arrays = []
    for name, axes, order, spatial in ((image, image_axes, operation.image, form.image),
                                       (kernel, kernel_axes, operation.filter, form.kernel)):
        array = tensors[name].reshape(ungrouped(tensors[name].shape, axes, form.g))
        if axes == "gcfS" and not operation.turns:
            array = numpy.flip(array, tuple(range(3, array.ndim)))
        arrays.append(reordered(array, axes, order).reshape(form.shape(order, spatial)))
    if form.bias:
        arrays.append(tensors["bias"].reshape(form.shape(operation.bias)))
    return [numpy.ascontiguousarray(array) for array in arrays]


def store(problem: Problem, tensors: dict[str, Any], form: Form, values: Any) -> None:
    """Writes a result, whose elements come in the order of the formula."""
    name, axes = PASSES[problem.op, problem.pass_][2]
    array = values.reshape(form.shape("nSgf", form.out)).transpose([0, -2, -1, *range(1, len(form.out) + 1)])  # ngfS
    tensors[name][...] = reordered(array, "ngfS", axes).reshape(tensors[name].shape)
