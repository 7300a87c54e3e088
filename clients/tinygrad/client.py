#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tinygrad as a process target (docs/process-targets.md): Tensor.conv2d and conv_transpose2d, which have any rank, and
their gradients, as code of each of its renderers for the CPU, and with its options that make other kernels.

    make tinygrad
    convict fuzz --target tinygrad:clang,tinygrad:x86

Operands lie in tensors as they lie in memory; an order of axes becomes part of the kernel."""
import contextlib
import os
import pathlib
import sys
from dataclasses import dataclass, field
from typing import Callable

os.environ.update(CCACHE="0", PARALLEL="0")  # no code of earlier versions from the disk; no processes that compile
os.environ.setdefault("CC", "clang-19")  # the clang 14 of Debian 12 has no arithmetic of bf16
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import importlib.metadata

import numpy
from tinygrad import Context, Tensor, dtypes

import convict
from schedules import at_random, padded

TYPES = {"f32": dtypes.float32, "f64": dtypes.float64, "f16": dtypes.float16, "bf16": dtypes.bfloat16}
INTEGERS = {"src": "u8", "wei": "s8", "dst": "s32"}  # of s8 by s8 tinygrad has products of 8 bits
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

    def announcement(self):
        return {"name": self.name, "description": "tinygrad, " + self.description,
                "lineage": self.name.replace(":", "-"), "batch": 1, "contract": self.contract}

    def refusal(self, problem):
        if problem.why_illegal():
            return "not a legal problem"
        kinds = {name: kind for name, kind in problem.dtypes.items() if name != "bias"}
        if kinds == INTEGERS and (problem.op != "conv" or problem.src_zero_point):
            return "integers: convolutions without zero points"
        if kinds != INTEGERS and set(kinds.values()) not in ({one} for one in self.types):
            return f"all operands are of one type of {', '.join(self.types)}, or u8:s8:s32"
        if crops_all(problem):
            return "it cannot crop more than the whole axis"
        if "WINO" in self.options and not (
                problem.op == "conv" and problem.pass_ == "forward" and kinds != INTEGERS and
                set(problem.kernel) == {3} and set(problem.stride) == set(problem.dilation) == {1}):
            return "Winograd: forward convolutions of kernels of 3, dense, with stride 1; no integers"
        if "IMAGE" in self.options and (problem.rank != 2 or kinds == INTEGERS):
            return "images: rank 2, no integers"
        return None

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        if met_by_zeros(problem, arrays):
            return {"status": "refused", "error": "zeros are inserted, which an infinity makes NaN"}
        with (Context(NUM_CPU_THREADS=problem.threads, **self.options),
              self.schedules(problem)):
            try:
                results = self.compute(problem, arrays, outputs)
            except Exception as error:  # of any kind: what tinygrad raises is a finding
                return {"status": "failed", "error": f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]}
        for name, result in results.items():
            if result.shape != arrays[name].shape:
                return {"status": "wrong_shape", "error": f"{name} is {result.shape}, not {arrays[name].shape}"}
            arrays[name][...] = result
        return "ok"

    def compute(self, problem, arrays, outputs):
        """The results by name."""
        given = {name: tensor_of(array, problem.dtypes[name]) for name, array in arrays.items() if name not in outputs}
        if problem.pass_ == "forward":
            results = {"dst": convolve(problem, **given)}
        else:
            wanted = {name: Tensor.zeros(arrays[name].shape, dtype=TYPES[problem.dtypes[name]]).contiguous()
                      for name in outputs}
            diff_dst = given.pop("diff_dst")
            operands = {**given, **{name.removeprefix("diff_"): one for name, one in wanted.items()}}
            gradients = convolve(problem, **operands).gradient(*wanted.values(), gradient=diff_dst)
            results = dict(zip(wanted, gradients))
        return {name: array_of(result, order_of(arrays[name]))
                for name, result in results.items()}


def convolve(problem, src, wei, bias=None):
    # The last axis comes first. Winograd is asked for by numbers, not lists.
    padding = [pad for pads in reversed(list(zip(problem.pad_begin, problem.pad_end))) for pad in pads]
    stride, dilation = (one[0] if len(set(one)) == 1 else tuple(one) for one in (problem.stride, problem.dilation))
    if problem.op == "conv":
        kind = {"dtype": dtypes.int32} if problem.dtypes.get("wei") == "s8" else {}
        return src.conv2d(wei, bias, problem.groups, stride, dilation, padding, **kind)
    return src.conv_transpose2d(wei, bias, problem.groups, stride, dilation, padding, tuple(problem.output_padding))


def order_of(array):
    """Its axes as they lie in memory, the outermost first."""
    return sorted(range(array.ndim), key=lambda axis: -array.strides[axis])


def tensor_of(array, kind):
    order = order_of(array)
    dense = Tensor(numpy.ascontiguousarray(array.transpose(order)))
    return (dense.bitcast(dtypes.bfloat16) if kind == "bf16" else dense).permute(numpy.argsort(order).tolist())


def array_of(result, order):
    result = result.permute(order).contiguous()
    dense = (result.bitcast(dtypes.uint16) if result.dtype == dtypes.bfloat16 else result).numpy()
    return dense.transpose(numpy.argsort(order))


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



CODES = {"clang": "CPU:CLANG", "llvm": "CPU:LLVM", "x86": "CPU:X86", "python": "PYTHON"}
LINEAGES = [
    Lineage("tinygrad:clang", "C by clang", {"DEV": CODES["clang"]}),
    Lineage("tinygrad:llvm", "LLVM's code", {"DEV": CODES["llvm"]}),
    Lineage("tinygrad:x86", "its own assembler of x86", {"DEV": CODES["x86"]}),
    Lineage("tinygrad:python", "its own interpreter", {"DEV": CODES["python"]}),
    Lineage("tinygrad:noopt", "C by clang, plain loops", {"DEV": CODES["clang"], "NOOPT": 1}),
    Lineage("tinygrad:bf16", "LLVM's code, bf16", {"DEV": CODES["llvm"]}, {**DIRECT, "min_accumulator": "bf16"},
            types=("bf16",)),
    Lineage("tinygrad:image", "image_conv2d, LLVM's code", {"DEV": CODES["llvm"], "IMAGE": 1}),
    Lineage("tinygrad:winograd", "Winograd's F(4, 3), LLVM's code", {"DEV": CODES["llvm"], "WINO": 1}, WINOGRAD),
    Lineage("tinygrad:schedules", "C by clang, loops split, unrolled and in threads at random",
            {"DEV": CODES["clang"]}, schedules=at_random),
    Lineage("tinygrad:schedules-python", "its own interpreter, loops split, unrolled and shared at random",
            {"DEV": CODES["python"]}, schedules=at_random),
    Lineage("tinygrad:padded", "its own interpreter, sums padded to 32 and unrolled", {"DEV": CODES["python"]},
            schedules=padded),
]

if __name__ == "__main__":
    convict.serve(LINEAGES, importlib.metadata.version("tinygrad"))
