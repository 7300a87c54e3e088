# SPDX-License-Identifier: Apache-2.0
"""One convolution without its data, as docs/process-targets.md describes it."""
from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Optional


@dataclass(frozen=True)
class Problem:
    """The geometry of the forward convolution, whatever the pass. Lists have one entry for each spatial axis, the
    outermost first. `in_` and `pass_` are called so because Python has other uses for these words.

    >>> def mine(problem: Problem, tensors):
    ...     if problem.op != "conv" or problem.rank != 2:
    ...         raise Refused("only conv2d")
    """

    op: str  # "conv" or "conv_transpose"
    pass_: str  # "forward", "backward_data" or "backward_weights"
    rank: int
    batch: int
    groups: int
    ic: int
    oc: int
    in_: list[int]
    out: list[int]
    kernel: list[int]
    stride: list[int]
    dilation: list[int]
    pad_begin: list[int]
    pad_end: list[int]
    output_padding: list[int]
    bias: bool
    beta: float
    relu: bool
    threads: int
    src_zero_point: int
    dst_zero_point: int
    dtypes: dict[str, str]  # of the operands by name
    dims: dict[str, list[int]]
    padding: str = "explicit"  # or "same_upper", "same_lower", "valid": how the numbers came about
    requantization: str = "none"  # or "single", "double", "even": only for who announces `requantizes`
    clamp_low: int = 0  # ends of requantized results
    clamp_high: int = 0

    @staticmethod
    def of(message: dict) -> "Problem":
        """From the object of a message."""
        problem, tensors = Problem.__new__(Problem), message["tensors"]
        own = problem.__dict__  # at once: __init__ of what is frozen sets one by one, and takes twice as long
        for name, key in _REQUIRED:
            own[name] = message[key]
        for name, default in _OPTIONAL:
            own[name] = message.get(name, default)
        own["dtypes"] = {name: one["dtype"] for name, one in tensors.items()}
        own["dims"] = {name: one["dims"] for name, one in tensors.items()}
        return problem

    @property
    def name(self) -> str:
        """As in case lines: "conv_transpose2d.backward_data"."""
        return f"{self.op}{self.rank}d" + ("" if self.pass_ == "forward" else "." + self.pass_)

    def why_illegal(self) -> Optional[str]:
        """What no convolution has: such problems are put to implementations on purpose, and have to be refused."""
        if self.groups < 1 or self.ic % self.groups or self.oc % self.groups:
            return "groups do not divide the channels"
        if min(self.batch, self.ic, self.oc, *self.in_) < 0:
            return "an extent is negative"
        if min(*self.kernel, *self.stride, *self.dilation) < 1:
            return "a kernel, stride or dilation is not positive"
        for axis in range(self.rank):
            most = max(self.stride[axis], self.dilation[axis]) if self.op == "conv_transpose" else 1
            if not 0 <= self.output_padding[axis] < most:
                return "output padding is out of range"
            if self.out[axis] != self._extent(axis) or self.out[axis] < 1:
                return "not the output of a convolution"
        return None

    def _extent(self, axis: int) -> int:
        window = self.dilation[axis] * (self.kernel[axis] - 1) + 1
        pads = self.pad_begin[axis] + self.pad_end[axis]
        if self.op == "conv":
            return (self.in_[axis] + pads - window) // self.stride[axis] + 1
        return (self.in_[axis] - 1) * self.stride[axis] - pads + window + self.output_padding[axis]


_FIELDS = [field for field in fields(Problem) if field.name not in ("dtypes", "dims")]
_REQUIRED = [(field.name, field.name.rstrip("_")) for field in _FIELDS if field.default is MISSING]
_OPTIONAL = [(field.name, field.default) for field in _FIELDS if field.default is not MISSING]
