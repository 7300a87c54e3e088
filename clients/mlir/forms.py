# SPDX-License-Identifier: Apache-2.0
"""All six operations as one forward convolution, channels last:

    result[n, o, g, f] = sum over r, c of image[n, o * stride + r * dilation - low, g, c] * filter[r, g, c, f]

where zeros are inserted between the elements of the image first (`insert` - 1 of them). `low` and `high` are zeros
around it, or what is cut off if negative."""
import dataclasses
import math

import numpy


@dataclasses.dataclass(frozen=True)
class Passing:
    """Where a pass finds its image and filter, and where its result goes."""
    image: str
    filter: str
    result: str
    flipped: bool = False  # zeros are inserted into the image, and the filter is turned around
    weights: bool = False  # the batch is summed over, and the filter is an activation


PASSES = {
    ("conv", "forward"): Passing("src", "wei", "dst"),
    ("conv", "backward_data"): Passing("diff_dst", "wei", "diff_src", flipped=True),
    ("conv", "backward_weights"): Passing("src", "diff_dst", "diff_wei", weights=True),
    ("conv_transpose", "forward"): Passing("src", "wei", "dst", flipped=True),
    ("conv_transpose", "backward_data"): Passing("diff_dst", "wei", "diff_src"),
    ("conv_transpose", "backward_weights"): Passing("diff_dst", "src", "diff_wei", weights=True),
}


@dataclasses.dataclass
class Form:
    """Extents only. Lists have an entry for each spatial axis."""
    n: int
    g: int
    c: int
    f: int
    image: list
    kernel: list
    out: list
    insert: list
    stride: list
    dilation: list
    low: list
    bias: bool
    operands: list = None  # extents of image, filter and bias as the dialect wants them
    result: list = None
    filter_axes: str = ""  # "kgcf": the order of the filter's axes
    turns_itself: bool = False  # the operation turns the filter around, and is given it as it is

    def inserted(self):
        return [max((size - 1) * insert + 1, 0) for size, insert in zip(self.image, self.insert)]

    def high(self):
        return [(out - 1) * stride + (kernel - 1) * dilation + 1 - size - low
                for out, stride, kernel, dilation, size, low in
                zip(self.out, self.stride, self.kernel, self.dilation, self.inserted(), self.low)]

    def filter_order(self, array):
        """An array [*kernel, g, c, f] in the order of `filter_axes`."""
        rank = len(self.kernel)
        places = {"k": list(range(rank)), "g": [rank], "c": [rank + 1], "f": [rank + 2]}
        return array.transpose([axis for letter in self.filter_axes for axis in places[letter]])

    def filter_extents(self):
        extents = {"k": self.kernel, "g": [self.g], "c": [self.c], "f": [self.f]}
        return [extent for letter in self.filter_axes for extent in extents[letter]]


def passing(problem):
    return PASSES[problem["op"], problem["pass"]]


def form_of(problem):
    here, groups = passing(problem), problem["groups"]
    tensors = problem["tensors"]
    image, result = tensors[here.image]["dims"], tensors[here.result]["dims"]
    kernel, stride, dilation, low = (problem[name] for name in ("kernel", "stride", "dilation", "pad_begin"))
    ones = [1] * problem["rank"]
    n, c = image[0], image[1] // groups
    f = result[1] // groups
    insert = ones
    if here.weights:
        n, c, f = c, n, tensors[here.filter]["dims"][1] // groups
        kernel, stride, dilation = tensors[here.filter]["dims"][2:], dilation, stride
    elif here.flipped:
        low = [d * (k - 1) - pad for d, k, pad in zip(dilation, kernel, low)]
        insert, stride = stride, ones
    return Form(n, groups, c, f, image[2:], kernel, result[2:], insert, stride, dilation, low,
                bool(problem["bias"]) and problem["pass"] == "forward")


def grouped(array, groups):
    """[a, groups * b, ...] as [a, g, b, ...]"""
    return array.reshape(array.shape[0], groups, array.shape[1] // groups, *array.shape[2:])


def image(problem, tensors):
    """[n, *spatial, g, c]"""
    here = passing(problem)
    array = grouped(tensors[here.image], problem["groups"])
    spatial = range(3, array.ndim)
    return array.transpose([2, *spatial, 1, 0] if here.weights else [0, *spatial, 1, 2])


def filters(problem, tensors, turned):
    """[*kernel, g, c, f], turned around if the pass needs it and the operation does not do it."""
    here, groups = passing(problem), problem["groups"]
    array = tensors[here.filter]
    if here.weights:
        array = grouped(array, groups)  # [n, g, f, *spatial]
        return array.transpose([*range(3, array.ndim), 1, 0, 2])
    array = array.reshape(groups, array.shape[0] // groups, *array.shape[1:])
    spatial = range(3, array.ndim)
    if here.flipped:  # [g, c, f, *kernel]
        turned_array = numpy.flip(array, tuple(spatial)) if turned else array
        return turned_array.transpose([*spatial, 0, 1, 2])
    return array.transpose([*spatial, 0, 2, 1])


def store(problem, tensors, values, form):
    """Writes a result [n, *out, g, f]."""
    here = passing(problem)
    array = values.reshape([form.n, *form.out, form.g, form.f])
    rank = len(form.out)
    if here.weights:
        array = array.transpose([rank + 1, rank + 2, 0, *range(1, rank + 1)])  # [g, f, n, *kernel]
    else:
        array = array.transpose([0, rank + 1, rank + 2, *range(1, rank + 1)])
    tensors[here.result][...] = array.reshape(tensors[here.result].shape)


def shape_text(extents, kind):
    return "x".join(map(str, [*extents, kind]))


def is_legal(p):
    """Whether the numbers belong together: what does not has to be refused."""
    if min([*p["kernel"], *p["stride"], *p["dilation"], p["groups"], p["threads"]]) < 1:
        return False
    if min([p["batch"], p["ic"], p["oc"], *p["in"], *p["output_padding"]]) < 0:
        return False
    if p["ic"] % p["groups"] or p["oc"] % p["groups"]:
        return False
    for axis in range(p["rank"]):
        window = p["dilation"][axis] * (p["kernel"][axis] - 1) + 1
        pads = p["pad_begin"][axis] + p["pad_end"][axis]
        if p["op"] == "conv":
            out, limit = (p["in"][axis] + pads - window) // p["stride"][axis] + 1, 1
        else:
            out = (p["in"][axis] - 1) * p["stride"][axis] - pads + window + p["output_padding"][axis]
            limit = max(p["stride"][axis], p["dilation"][axis])
        if p["out"][axis] < 1 or p["out"][axis] != out or p["output_padding"][axis] >= limit:
            return False
    return True


def refusal(problem):
    if not is_legal(problem):
        return "not a legal problem"
    if problem["bias"] and problem["pass"] != "forward":
        return "no gradient of the bias"
    form = form_of(problem)
    if min(form.n, form.c, form.f, *form.image) < 1:
        return "nothing empty"
    if math.prod([form.n, *form.out, form.g, form.f, form.c, *form.kernel]) > 1 << 24:
        return "more than 2^24 multiply-adds"
    if any(-low >= size or -high >= size or size + low + high < 1
           for low, high, size in zip(form.low, form.high(), form.inserted())):
        return "crops the whole of an axis"
    return None
