# SPDX-License-Identifier: Apache-2.0
"""Problems by tvm.topi.testing: what TVM's own tests compare with, in numpy and scipy."""
import functools
import importlib
import math

import numpy

from operands import Operand, Recipe, common_refusal, letters, lies, pads
from relax_code import padding_refusal

# With scipy half of the time of the client's start, which the other implementations need not wait for.
loaded = functools.cache(importlib.import_module)
LARGEST = 1 << 16  # multiply-adds: they loop in Python


def image_layout(problem, tensors):
    """That of the operand, if there is a function for it. The one of transposed convolutions in NHWC has no groups."""
    given = lies(tensors["src"], letters(problem, "src"))
    if problem.op == "conv_transpose":
        return "NHWC" if given == "NHWC" and problem.groups == 1 else letters(problem, "src")
    if given in ("NHWC", "NDHWC"):
        return given
    if problem.rank == 2 and problem.groups == 1 and problem.batch % 2:
        return "HWCN"  # no layout of a case; for every second one
    return letters(problem, "src")


FILTERS = {"NCW": "OIW", "NCHW": "OIHW", "NCDHW": "OIDHW", "NHWC": "HWIO", "NDHWC": "DHWIO", "HWCN": "HWIO"}


def convolution(problem, layout):
    """As a function of image and filters."""
    testing, rest = loaded("tvm.topi.testing"), (problem.stride, pads(problem), problem.groups)
    if layout == "NCW":
        return lambda a, w: testing.group_conv1d_ncw_python(a, w, rest[0], rest[1], problem.dilation, rest[2])
    if layout == "HWCN":
        return lambda a, w: testing.conv2d_hwcn_python(a, w, *rest[:2])
    named = {"NCHW": testing.conv2d_nchw_python, "NHWC": testing.conv2d_nhwc_python,
             "NCDHW": testing.conv3d_ncdhw_python, "NDHWC": testing.conv3d_ndhwc_python}
    return lambda a, w: named[layout](a, w, *rest)


def transposed(problem, layout):
    testing, rest = loaded("tvm.topi.testing"), (problem.stride, pads(problem), problem.output_padding)
    if layout == "NHWC":
        return lambda a, w: testing.conv2d_transpose_nhwc_python(a, w, "HWOI", *rest)
    named = (testing.group_conv1d_transpose_ncw_python, testing.conv2d_transpose_nchw_python,
             testing.conv3d_transpose_ncdhw_python)
    return lambda a, w: named[problem.rank - 1](a, w, *rest, problem.groups)


def gradient(problem, layout):
    testing, rest = loaded("tvm.topi.testing"), (problem.kernel, problem.stride, problem.pad_begin)
    return lambda dy, x: testing.conv2d_backward_weight_python(dy, x, *rest, layout, problem.groups, problem.groups)


class References:
    def refusal(self, problem):
        wrong = common_refusal(problem) or padding_refusal(problem)
        if wrong or set(problem.dtypes.values()) not in ({"f32"}, {"f64"}):
            return wrong or "operands of f32, or of f64"
        if problem.bias:
            return "no bias"
        if min(*problem.pad_begin, *problem.pad_end) < 0:
            return "no negative padding"
        if max(problem.dilation) > 1 and (problem.op, problem.rank) != ("conv", 1):
            return "no dilation but of conv1d"
        terms = (problem.out if problem.op == "conv" else problem.in_, problem.kernel, [problem.batch, problem.ic,
                                                                                        problem.oc // problem.groups])
        if math.prod(one for extents in terms for one in extents) > LARGEST:
            return f"more than {LARGEST} multiply-adds"
        if (problem.rank == 3 or (problem.op, problem.rank) == ("conv_transpose", 1)) and is_fast(problem):
            return "scipy would use an FFT"
        return None if problem.pass_ == "forward" else gradient_refusal(problem)

    def recipe(self, problem, tensors):
        if problem.pass_ == "forward":
            layout = image_layout(problem, tensors)
            filters = FILTERS[layout] if problem.op == "conv" else (
                "HWOI" if layout == "NHWC" else letters(problem, "wei"))
            layouts = {"src": layout, "wei": filters, "dst": layout}
        else:
            layout = "NHWC" if lies(tensors["src"], "NCHW") == "NHWC" else "NCHW"
            layouts = {"diff_dst": layout, "src": layout, "diff_wei": "OHWI" if layout == "NHWC" else "OIHW"}
        *inputs, output = (Operand(name, letters(problem, name), one) for name, one in layouts.items())
        made = gradient if problem.pass_ != "forward" else convolution if problem.op == "conv" else transposed
        function = made(problem, layout)
        return Recipe(inputs, [output], lambda: lambda arrays, _: [function(*arrays)])


def is_fast(problem):
    """What scipy.signal.convolve chooses, of an image with its padding and the zeros between its elements."""
    if problem.op == "conv":
        image = [sum(sizes) for sizes in zip(problem.in_, problem.pad_begin, problem.pad_end)]
    else:
        image = [out + kernel - 1 for out, kernel in zip(problem.out, problem.kernel)]
    return loaded("scipy.signal").choose_conv_method(numpy.zeros(image), numpy.zeros(problem.kernel), "valid") == "fft"


def gradient_refusal(problem):
    """What its documents and its own assertions say."""
    if problem.pass_ != "backward_weights" or problem.op != "conv" or problem.rank != 2:
        return "gradients of the weights of conv2d only"
    if problem.groups > 1 and not problem.groups == problem.ic == problem.oc:
        return "gradients: groups of one channel"
    return "gradients: symmetric padding" if problem.pad_begin != problem.pad_end else None
