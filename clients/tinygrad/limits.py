# SPDX-License-Identifier: Apache-2.0
"""Problems, types and data that tinygrad's functions do not take."""
import math

import numpy

INTEGERS = {"src": "u8", "wei": "s8", "dst": "s32"}  # of s8 by s8 tinygrad has products of 8 bits


def refusal(problem, types, options, most):
    """`types`: those of floats; `most`: products for the interpreter, which computes 20,000 a second. Winograd and images
    are for some problems; others would run other code."""
    if problem.why_illegal():
        return "not a legal problem"
    kinds = {name: kind for name, kind in problem.dtypes.items() if name != "bias"}
    are_integers = kinds == INTEGERS
    if are_integers and (problem.op != "conv" or problem.src_zero_point):
        return "integers: convolutions without zero points"
    if not are_integers and set(kinds.values()) not in ({one} for one in types):
        return f"all operands are of one type of {', '.join(types)}, or u8:s8:s32"
    if products(problem) > most:
        return f"more than {most} products, with those of zeros, for its interpreter"
    if crops_all(problem):
        return "it cannot crop more than the whole axis"
    if "WINO" in options and (are_integers or not takes_winograd(problem)):
        return "Winograd: forward convolutions of kernels of 3, dense, with stride 1; no integers"
    if "IMAGE" in options and (are_integers or problem.rank != 2):
        return "images: rank 2, no integers"
    return None


def products(problem):
    """With those of padding and of the zeros that strides insert."""
    places = problem.in_ if problem.pass_ == "backward_data" else problem.out
    return math.prod([problem.batch, problem.oc, problem.ic, *problem.kernel, *places]) // problem.groups


def takes_winograd(problem):
    return (problem.op == "conv" and problem.pass_ == "forward" and set(problem.kernel) == {3} and
            set(problem.stride) == set(problem.dilation) == {1})


def crops_all(problem):
    """It cuts off what lies outside before it pads the other end."""
    pads = zip(problem.pad_begin, problem.pad_end)
    if problem.op == "conv":
        return any(-min(pad, 0) > size for size, both in zip(problem.in_, pads) for pad in both)
    sizes = [(size - 1) * stride + 1 for size, stride in zip(problem.in_, problem.stride)]
    windows = [(kernel - 1) * dilation for kernel, dilation in zip(problem.kernel, problem.dilation)]
    return any(pad - window > size for size, window, both in zip(sizes, windows, pads) for pad in both)


def met_by_zeros(problem, arrays):
    """Strides of a transposed convolution are zeros in its image, which its weights and their gradient multiply."""
    name = {"forward": "wei", "backward_weights": "diff_dst"}.get(problem.pass_)
    if problem.op == "conv" or not name or max(problem.stride) == 1:
        return False
    bits = arrays[name]
    return not numpy.isfinite((bits.astype("u4") << 16).view("f4") if problem.dtypes[name] == "bf16" else bits).all()
