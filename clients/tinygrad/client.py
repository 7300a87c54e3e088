#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tinygrad as a process target (docs/process-targets.md): Tensor.conv2d and conv_transpose2d, which have any rank, and
their gradients, as code of each of its renderers for the CPU, and with its options that make other kernels.

    make tinygrad
    convict fuzz --target tinygrad:clang,tinygrad:x86

Operands lie in tensors as they lie in memory; an order of axes becomes part of the kernel."""
import contextlib
import math
import os
import pathlib
import sys
from dataclasses import dataclass, field
from typing import Callable

os.environ.update(CCACHE="0", PARALLEL="0")  # no code of earlier versions from the disk; no processes that compile
os.environ.setdefault("CC", "clang-19")  # the clang 14 of Debian 12 has no arithmetic of bf16
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import importlib.metadata

from tinygrad import Context

import convict
import functions
import limits
import statuses
from schedules import at_random, padded

# Products are rounded to the type of the operands, then summed in f32 (sum_acc_dtype in dtype.py). LLVM gets fast-math
# flags which keep NaN and infinities (renderer/llvmir.py).
DIRECT = {"algorithm": "direct", "min_accumulator": "f16", "deterministic": True}
# F(4, 3) at the points that convict has, too (_conv2d_winograd in mixin/op.py).
WINOGRAD = {**DIRECT, "algorithm": "winograd", "winograd_m": 4, "winograd_r": 3}


@dataclass
class Lineage:
    """For convict.serve; `options` are tinygrad's variables of that name."""

    name: str
    description: str
    options: dict
    contract: dict = field(default_factory=lambda: DIRECT)
    schedules: Callable = contextlib.nullcontext
    types: tuple = ("f32", "f64", "f16")
    most: float = math.inf  # products

    def announcement(self):
        return {"name": self.name, "description": "tinygrad, " + self.description,
                "lineage": self.name.replace(":", "-"), "batch": 1, "contract": self.contract}

    def refusal(self, problem):
        return limits.refusal(problem, self.types, self.options, self.most)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        if limits.met_by_zeros(problem, arrays):
            return statuses.refused("zeros are inserted, which an infinity makes NaN")
        with Context(NUM_CPU_THREADS=problem.threads, **self.options), self.schedules(problem):
            try:
                results = functions.compute(problem, arrays, outputs)
            except Exception as error:  # of any kind: what tinygrad raises is a finding
                return statuses.failed(error)
        return statuses.stored(arrays, results)


CODES = {"clang": "CPU:CLANG", "llvm": "CPU:LLVM", "x86": "CPU:X86", "python": "PYTHON"}
LINEAGES = [
    Lineage("tinygrad:clang", "C by clang", {"DEV": CODES["clang"]}),
    Lineage("tinygrad:llvm", "LLVM's code", {"DEV": CODES["llvm"]}),
    Lineage("tinygrad:x86", "its own assembler of x86", {"DEV": CODES["x86"]}),
    Lineage("tinygrad:python", "its own interpreter", {"DEV": CODES["python"]}, most=1 << 17),
    Lineage("tinygrad:noopt", "C by clang, plain loops", {"DEV": CODES["clang"], "NOOPT": 1}),
    Lineage("tinygrad:bf16", "LLVM's code, bf16", {"DEV": CODES["llvm"]}, {**DIRECT, "min_accumulator": "bf16"},
            types=("bf16",)),
    Lineage("tinygrad:image", "image_conv2d, LLVM's code", {"DEV": CODES["llvm"], "IMAGE": 1}),
    Lineage("tinygrad:winograd", "Winograd's F(4, 3), LLVM's code", {"DEV": CODES["llvm"], "WINO": 1}, WINOGRAD),
    Lineage("tinygrad:schedules", "C by clang, loops split, unrolled and in threads at random",
            {"DEV": CODES["clang"]}, schedules=at_random),
    Lineage("tinygrad:schedules-python", "its own interpreter, loops split, unrolled and shared at random",
            {"DEV": CODES["python"]}, schedules=at_random, most=1 << 17),
    Lineage("tinygrad:padded", "its own interpreter, sums padded to 32 and unrolled", {"DEV": CODES["python"]},
            schedules=padded, most=1 << 13),
]

if __name__ == "__main__":
    functions.spoil_memory()
    convict.serve(LINEAGES, importlib.metadata.version("tinygrad"))
