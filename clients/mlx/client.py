#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MLX on the CPU as a process target (docs/process-targets.md): mx.conv_general, the functions of each rank, and what
mx.vmap makes of them. Gradients are those of mx.vjp. `make mlx` installs it.

    convict fuzz --target mlx:general,mlx:functions"""
import importlib.metadata
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import mlx.core as mx
import numpy

import convict

TYPES = {"f32": mx.float32, "f64": mx.float64, "f16": mx.float16, "bf16": mx.bfloat16}


def to_images(array):
    return array.transpose(0, *range(2, array.ndim), 1)


def of_images(array):
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


def to_weights(problem, array):
    """[output channels, axes, input channels of a group], also of transposed convolutions."""
    if problem.op == "conv":
        return to_images(array)
    i, o, *axes = array.shape
    parts = array.reshape(problem.groups, i // problem.groups, o, *axes)
    return parts.transpose(0, 2, *range(3, parts.ndim), 1).reshape(problem.groups * o, *axes, i // problem.groups)


def of_weights(problem, array):
    if problem.op == "conv":
        return of_images(array)
    o, *axes, i = array.shape
    parts = array.reshape(problem.groups, o // problem.groups, *axes, i)
    return parts.transpose(0, parts.ndim - 1, *range(1, parts.ndim - 1)).reshape(problem.groups * i, -1, *axes)


def general(problem, src, wei, groups):
    """A transposed convolution has zeros between the elements of its image, and a kernel that is turned around."""
    low, high, is_conv = problem.pad_begin, problem.pad_end, problem.op == "conv"
    if not is_conv:
        reach = [d * (k - 1) for d, k in zip(problem.dilation, problem.kernel)]
        low = [size - pad for size, pad in zip(reach, low)]
        high = [size - pad + more for size, pad, more in zip(reach, high, problem.output_padding)]
    ones = [1] * problem.rank
    return mx.conv_general(src, wei, problem.stride if is_conv else ones, (low, high), problem.dilation,
                           ones if is_conv else problem.stride, groups, flip=not is_conv)


def functions(problem, src, wei, groups):
    """mx.conv1d to mx.conv_transpose3d. Those of rank 1 take numbers."""
    plain = (lambda values: values[0]) if problem.rank == 1 else tuple
    named = {name: plain(getattr(problem, name)) for name in ("stride", "dilation")}
    if problem.op == "conv_transpose":
        named["output_padding"] = plain(problem.output_padding)
    return getattr(mx, f"{problem.op}{problem.rank}d")(src, wei, padding=plain(problem.pad_begin), groups=groups, **named)


def by_image(problem, src, wei, groups):
    return mx.vmap(lambda one: general(problem, one[None], wei, groups)[0])(src)


def by_filter(problem, src, wei, groups):
    """One filter of each group at once."""
    filters = wei.reshape(groups, -1, *wei.shape[1:])
    dst = mx.vmap(lambda one: general(problem, src, one, groups), in_axes=1, out_axes=-1)(filters)
    return dst.reshape(*dst.shape[:-2], -1)


def by_group(problem, src, wei, groups):
    images, filters = src.reshape(*src.shape[:-1], groups, -1), wei.reshape(groups, -1, *wei.shape[1:])
    dst = mx.vmap(lambda *one: general(problem, *one, 1), in_axes=(src.ndim - 1, 0), out_axes=-2)(images, filters)
    return dst.reshape(*dst.shape[:-2], -1)


class Target:
    """A way to a convolution, for convict.serve. Views are transposed by MLX, which does so without a copy."""

    def __init__(self, name, description, convolve, views=False):
        self.name, self.description, self.convolve, self.views = name, description, convolve, views

    def announcement(self):
        """Sums of 16-bit types are in f32: mlx/backend/cpu/conv.cpp."""
        return {"name": self.name, "description": "MLX, " + self.description, "lineage": "mlx", "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True}}

    def refusal(self, problem):
        kinds = set(problem.dtypes.values())
        if len(kinds) > 1 or not kinds <= set(TYPES):
            return "all operands are of one type of " + ", ".join(TYPES)
        if problem.why_illegal():
            return "not a legal problem"
        if problem.groups > 1 and problem.rank == 3:
            return "groups of rank 1 and 2 only"
        if problem.bias and (problem.pass_ != "forward" or kinds & {"f16", "bf16"}):
            return "no gradient of a bias, which is a sum, and none in 16 bits, where the sums are rounded before it"
        if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
            return "nothing is empty"
        if self.convolve is functions and (problem.pad_begin != problem.pad_end or min(problem.pad_begin) < 0):
            return "one padding from 0 for both ends"
        return "no groups" if self.convolve is by_group and problem.groups == 1 else None

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        try:
            results = self.compute(problem, arrays)
        except (ValueError, RuntimeError) as error:
            return {"status": "failed", "error": f"{type(error).__name__}: {error}".splitlines()[0][:400]}
        (name, result), = results.items()
        if result.shape != arrays[name].shape:
            return {"status": "wrong_shape", "error": f"{name} is {result.shape}, not {arrays[name].shape}"}
        arrays[name][...] = result
        return {"status": "ok"}

    def compute(self, problem, arrays):
        """The output by name."""
        turn = {"src": to_images, "dst": to_images, "wei": lambda array: to_weights(problem, array)}
        back = {"src": of_images, "dst": of_images, "wei": lambda array: of_weights(problem, array)}
        early, late = ({}, turn) if self.views else (turn, {})
        same = lambda array: array
        wanted = {"forward": "dst", "backward_data": "diff_src", "backward_weights": "diff_wei"}[problem.pass_]
        given = {name: typed(early.get(name.removeprefix("diff_"), same)(array), problem.dtypes[name])
                 for name, array in arrays.items()}

        def dst_of(src, wei):
            turned = [late.get(name, same)(array) for name, array in (("src", src), ("wei", wei))]
            dst = self.convolve(problem, *turned, problem.groups)
            dst = dst + given["bias"] if problem.bias else dst
            return of_images(dst) if self.views else dst

        if problem.pass_ == "forward":
            result = dst_of(given["src"], given["wei"])
        else:
            primal = mx.zeros_like(given[wanted])
            function = (lambda src: dst_of(src, given["wei"])) if wanted == "diff_src" else (
                lambda wei: dst_of(given["src"], wei))
            result = mx.vjp(function, [primal], [given["diff_dst"]])[1][0]
        is_bf16 = problem.dtypes[wanted] == "bf16"
        result = numpy.array(result.view(mx.uint16) if is_bf16 else result)
        return {wanted: result if self.views else back[wanted.removeprefix("diff_")](result)}


def typed(array, dtype):
    """An array of MLX, a copy. bf16 comes as its bits."""
    made = mx.array(numpy.ascontiguousarray(array))
    return made.view(mx.bfloat16) if dtype == "bf16" else made


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    convict.serve([
        Target("mlx:general", "mx.conv_general", general),
        Target("mlx:views", "mx.conv_general on operands that mx.transpose has turned", general, views=True),
        Target("mlx:functions", "mx.conv1d to mx.conv_transpose3d", functions),
        Target("mlx:vmap-images", "mx.vmap over images", by_image),
        Target("mlx:vmap-filters", "mx.vmap over filters", by_filter),
        Target("mlx:vmap-groups", "mx.vmap over groups", by_group),
    ], importlib.metadata.version("mlx"))
