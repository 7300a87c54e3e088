#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch as a process target (docs/process-targets.md): operators of its portable kernels, and models that its
exporter lowers to them or to XNNPACK. `make executorch` installs it.
Its optimized kernels have no convolution of their own (kernels/optimized/optimized.yaml)."""
import importlib.metadata
import pathlib
import sys
import warnings

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
warnings.simplefilter("ignore")
import torch

import batches
import convict
import programs
from padding import frame_of

LAST, FIRST, BESIDE = torch.channels_last, torch.contiguous_format, ("bias", "scale")  # BESIDE: f32 of integers


class Operator:
    """For convict.serve. The kernels add one product after the other, in the type of the operands (op_convolution.cpp,
    CTYPE accum). XNNPACK runs operators with PTHREADPOOL_FLAG_DISABLE_DENORMALS (src/operator-run.c)."""

    fuses_relu = False

    def __init__(self, name, description, types=("f32",), accumulator="f32", layout=FIRST):
        self.name, self.description, self.types, self.layout = name, "ExecuTorch, " + description, types, layout
        self.is_delegated = "xnnpack" in name
        order = {"flushes_subnormals": True} if self.is_delegated else {"summation": "fixed_order"}
        self.contract = {"algorithm": "direct", "min_accumulator": accumulator, "deterministic": True,
                         "fuses_relu": self.fuses_relu, **order}

    def announcement(self):
        return {"name": self.name, "description": self.description, "batch": 32, "contract": self.contract,
                "lineage": "xnnpack" if self.is_delegated else "executorch-portable"}

    def refusal(self, problem):
        if problem.rank == 3 or problem.rank == 1 and self.layout == LAST:
            return "rank 1 and 2, channels_last of rank 2"  # check_convolution_args() in kernel_ops_util.cpp
        if problem.why_illegal():
            return "not a legal problem"
        if min(problem.ic, problem.oc, *problem.in_) == 0:
            return "only batches may be empty"
        return self.type_refusal(problem) or self.own_refusal(problem)

    def type_refusal(self, problem):
        kinds = {kind for name, kind in problem.dtypes.items() if "s8" not in self.types or name not in BESIDE}
        return None if len(kinds) == 1 and kinds <= set(self.types) else "one type of " + ", ".join(self.types)

    def own_refusal(self, problem):
        if problem.pass_ != "forward" and (problem.rank != 2 or problem.op != "conv"):
            return "gradients of conv2d only"  # check_convolution_backward_args() in op_convolution_backward.cpp
        if problem.pad_begin != problem.pad_end or min(problem.pad_begin) < 0:
            return "one padding from 0 for both ends"
        return None

    def run_all(self, calls):
        return batches.run(calls, self.results, self.is_risky)

    def is_risky(self, problem, arrays):
        return False

    def results(self, calls):
        return [batches.executed(*programs.operator(problem, arrays)) for problem, arrays, _ in calls]


class Model(Operator):
    """What the exporter makes of functions of PyTorch. If XNNPACK is named, it has to take the convolution."""

    fuses_relu = True

    def own_refusal(self, problem):
        if problem.pass_ != "forward":
            return "forward only"
        frame = frame_of(problem)  # op-support.csv of XNNPACK, and apply_padding_to_dim() in op_constant_pad_nd.cpp
        return "PAD has no negative numbers" if min(frame.begin + frame.end) < 0 else None

    def is_risky(self, problem, arrays):
        """What is known to fail in channels_last, with weights that are, and in what XNNPACK takes of integers."""
        if self.layout == LAST:
            return min(problem.batch, problem.ic - 1, problem.oc - 1, max(problem.in_) - 1, max(problem.out) - 1) == 0
        is_turned = problem.op == "conv_transpose" and problem.groups > 1 and problem.dtypes["wei"] == "s8"
        return self.is_delegated and (is_turned or programs.is_last(arrays["wei"]))

    def results(self, calls):
        given = [(problem, programs.operands(problem, arrays, self.layout)) for problem, arrays, _ in calls]
        taken = [one for one in given if not isinstance(one[1], str)]
        images = [tensors["src"] for _, tensors in taken]
        made, left = batches.lowered(programs.Models(taken), images, self.is_delegated) if taken else (None, ())
        got = enumerate(batches.executed(made, images) if len(left) < len(taken) else taken)
        got = iter([batches.LEFT if at in left else [one] for at, one in got])
        return [why if isinstance(why, str) else next(got) for _, why in given]


TARGETS = [
    Operator("executorch:portable", "portable kernels", ("f32", "f64", "bf16"), "bf16"),
    Operator("executorch:portable:f16", "portable kernels, f16", ("f16",), "f16"),
    Model("executorch:exported", "portable kernels, by the exporter"),
    Model("executorch:exported:channels-last", "portable kernels, by the exporter, images channels_last", layout=LAST),
    Model("executorch:xnnpack", "XNNPACK"),
    Model("executorch:xnnpack:channels-last", "XNNPACK, images channels_last", layout=LAST),
    Model("executorch:xnnpack:f16", "XNNPACK, f16", ("f16",), "f16"),
    Model("executorch:xnnpack:int8", "XNNPACK, quantized", ("s8",)),
]

if __name__ == "__main__":
    torch.set_num_threads(1)
    batches.lowered(torch.nn.Conv2d(1, 1, 1), [torch.ones(1, 1, 1, 1)], True)  # so that copies need not load it
    convict.serve(TARGETS, importlib.metadata.version("executorch"))
