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
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import mlx.core as mx
import numpy

import convict
import statuses
import ways

TYPES = {"f32": mx.float32, "f64": mx.float64, "f16": mx.float16, "bf16": mx.bfloat16}
NO_F64 = "[Convolution::eval] got unsupported data type."  # of its loops, which have no f64


class Target:
    """A way to a convolution, for convict.serve. Views are transposed by MLX, which does so without a copy."""

    def __init__(self, name, description, convolve, types=("f32", "f16", "bf16"), views=False):
        self.name, self.description, self.convolve, self.types, self.views = name, description, convolve, types, views

    def announcement(self):
        """Sums of 16-bit types are in f32: mlx/backend/cpu/conv.cpp."""
        return {"name": self.name, "description": "MLX, " + self.description, "lineage": "mlx", "batch": 32,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True}}

    def refusal(self, problem):
        kinds = set(problem.dtypes.values())
        if len(kinds) > 1 or not kinds <= set(self.types):
            return "all operands are of one type of " + ", ".join(self.types)
        if problem.why_illegal():
            return "not a legal problem"
        if problem.groups > 1 and problem.rank == 3:
            return "groups of rank 1 and 2 only"
        if problem.bias and (problem.pass_ != "forward" or kinds & {"f16", "bf16"}):
            return "no gradient of a bias, which is a sum, and none in 16 bits, where the sums are rounded before it"
        if problem.batch == 0 and self.convolve is ways.by_image:
            return "vmap maps no axis that is empty"
        if 0 in (problem.ic, problem.oc):
            return "no channels: it divides by zero, or calls BLAS with a width of 0"
        if problem.op == "conv" and any(size + min(low, 0) + min(high, 0) < 0 for size, low, high in
                                        zip(problem.in_, problem.pad_begin, problem.pad_end)):
            return "it cannot crop more than the whole axis"
        if self.convolve is ways.functions and (problem.pad_begin != problem.pad_end or min(problem.pad_begin) < 0):
            return "one padding from 0 for both ends"
        return "no groups" if self.convolve is ways.by_group and problem.groups == 1 else None

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        if problem.pass_ == "backward_weights" and problem.op == "conv_transpose" and not mx.isfinite(
                typed(arrays["diff_dst"], problem.dtypes["diff_dst"])).all():
            return statuses.refused("zeros around src are multiplied, which an infinity makes NaN")
        try:
            results = self.compute(problem, arrays)
        except (ValueError, RuntimeError) as error:
            return statuses.refused(str(error)) if NO_F64 in str(error) else statuses.failed(error)
        return statuses.stored(arrays, results)

    def compute(self, problem, arrays):
        """The output by name."""
        turn = {"src": ways.to_images, "dst": ways.to_images, "wei": lambda array: ways.to_weights(problem, array)}
        back = {"src": ways.of_images, "dst": ways.of_images, "wei": lambda array: ways.of_weights(problem, array)}
        early, late = ({}, turn) if self.views else (turn, {})
        same = lambda array: array
        wanted = {"forward": "dst", "backward_data": "diff_src", "backward_weights": "diff_wei"}[problem.pass_]
        given = {name: typed(early.get(name.removeprefix("diff_"), same)(array), problem.dtypes[name])
                 for name, array in arrays.items()}

        def dst_of(src, wei):
            turned = [late.get(name, same)(array) for name, array in (("src", src), ("wei", wei))]
            dst = self.convolve(problem, *turned, problem.groups)
            dst = dst + given["bias"] if problem.bias else dst
            return ways.of_images(dst) if self.views else dst

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
        Target("mlx:general", "mx.conv_general", ways.general),
        Target("mlx:f64", "mx.conv_general in f64", ways.general, types=("f64",)),
        Target("mlx:views", "mx.conv_general on operands that mx.transpose has turned", ways.general, views=True),
        Target("mlx:functions", "mx.conv1d to mx.conv_transpose3d", ways.functions),
        Target("mlx:vmap-images", "mx.vmap over images", ways.by_image),
        Target("mlx:vmap-filters", "mx.vmap over filters", ways.by_filter),
        Target("mlx:vmap-groups", "mx.vmap over groups", ways.by_group),
    ], importlib.metadata.version("mlx"))
