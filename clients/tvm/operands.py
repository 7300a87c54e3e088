# SPDX-License-Identifier: Apache-2.0
"""Operands in the layouts that TVM spells: capital letters are axes, the outermost one first; a number and a small
letter is a block of the axis of that letter, as 8c in NCHW8c."""
import math
import re
import zlib
from dataclasses import dataclass
from typing import Any, Callable

import ml_dtypes
import numpy
from numpy.lib.stride_tricks import as_strided

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
TVM_TYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "s32": "int32", "s8": "int8",
             "u8": "uint8"}


@dataclass(frozen=True)
class Operand:
    """One parameter or result of a function: the operand of the problem, its axes there, and its layout in TVM."""

    name: str
    letters: str
    layout: str

    def arranged(self, array):
        """A copy of it for TVM."""
        if array.dtype == numpy.uint16:
            array = array.view(ml_dtypes.bfloat16)
        return numpy.ascontiguousarray(view(array, self.letters, self.layout))

    def shape(self, problem):
        """Its extents in TVM, without its data."""
        return view(numpy.broadcast_to(numpy.int8(0), problem.dims[self.name]), self.letters, self.layout).shape

    def store(self, array, values):
        """Writes a result of TVM into the operand. Returns what is wrong with its shape."""
        there = view(array, self.letters, self.layout)
        if values.shape != there.shape:
            return f"TVM computes the extents {'x'.join(map(str, values.shape))}"
        there[...] = values.view(numpy.uint16) if values.dtype == ml_dtypes.bfloat16 else values
        return None


@dataclass(frozen=True)
class Recipe:
    """How a problem becomes a function of TVM: `build` makes it."""

    inputs: list[Operand]
    outputs: list[Operand]
    build: Callable[[], Any]


def letters(problem, name):
    """The axes of an operand as convict has them."""
    role = name.removeprefix("diff_")
    if role == "bias":
        return "O"
    return {"src": "NC", "dst": "NC", "wei": "OI" if problem.op == "conv" else "IO"}[role] + SPATIAL[problem.rank]


def view(array, axes, layout):
    """The array with the axes of a layout. Splitting an axis into blocks copies nothing, whatever its stride; an axis
    that is left out has extent 1."""
    sizes, strides = dict(zip(axes, array.shape)), dict(zip(axes, array.strides))
    parts = [(int(block) if block else None, letter) for block, letter in re.findall(r"(\d*)([A-Za-z])", layout)]
    shape, steps = [], []
    for place, (block, letter) in enumerate(parts):
        inner = math.prod(one for one, other in parts[0 if block is None else place + 1:] if other == letter.lower())
        shape.append(sizes[letter] // max(inner, 1) if block is None else block)
        steps.append(strides[letter.upper()] * inner)
    return as_strided(array, shape, steps)


def lies(array, axes):
    """The layout in which an array lies in memory."""
    return "".join(axes[place] for place in sorted(range(array.ndim), key=lambda place: -array.strides[place]))


def hashed(problem, *more):
    """A number that is the same for similar problems, in every process: shrinking keeps most choices that follow."""
    parts = (problem.op, problem.rank, problem.batch, problem.groups, problem.ic, problem.oc, *more)
    return zlib.crc32(repr(parts).encode())


def pads(problem):
    """All begins, then all ends, as TVM wants them."""
    return [*problem.pad_begin, *problem.pad_end]


def common_refusal(problem):
    """What no lineage takes."""
    if problem.why_illegal():
        return "not a legal problem"
    if "scale" in problem.dtypes or problem.src_zero_point or problem.dst_zero_point:
        return "no scales and no zero points"
    if "s8" in problem.dtypes.values() and problem.dtypes["dst"] not in ("s32", "f32"):
        return "integers: results of s32 and f32 only"
    return None


def sum_type(problem):
    """The narrowest type that holds all operands: products and sums are asked for in it (out_dtype)."""
    types = [problem.dtypes[name] for name in problem.dtypes if "bias" not in name]
    if "s8" in types:
        return "int32"
    if {"f16", "bf16"} <= set(types):
        types.append("f32")
    return TVM_TYPES[next(one for one in ("f64", "f32", "f16", "bf16") if one in types)]


def bias_type(problem, sums):
    """Where the bias is added: sums of floating-point numbers are not rounded before; those of integers get the type of
    dst and bias."""
    return TVM_TYPES[problem.dtypes["dst"]] if sums == "int32" else sums
