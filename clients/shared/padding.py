# SPDX-License-Identifier: Apache-2.0
"""Padding of a problem for frameworks whose own padding is one number for both ends of an axis. Zeros around the image,
or a crop, make up for the difference. For conv, `begin` and `end` enlarge src of the problem to the image of the
framework; for conv_transpose, they enlarge dst of the framework to dst of the problem."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Frame:
    """Lists have one entry for each spatial axis, the outermost first. A negative number is a crop."""

    padding: list[int]
    output_padding: list[int]
    begin: list[int]
    end: list[int]

    @property
    def is_needed(self) -> bool:
        return any(self.begin) or any(self.end)

    def pairs(self) -> list[int]:
        """As functions take it that begin with the last axis: begin and end of that, then of the one before it..."""
        return [pad for pads in zip(reversed(self.begin), reversed(self.end)) for pad in pads]


def frame_of(problem) -> Frame:
    begin, end, output_padding = problem.pad_begin, problem.pad_end, problem.output_padding
    nothing = [0] * problem.rank
    if begin == end and min(begin) >= 0:
        return Frame(begin, output_padding, nothing, nothing)
    if problem.op == "conv":
        return Frame(nothing, nothing, begin, end)
    # Output padding takes back what the padding crops at the end; only the rest needs new positions.
    rest = [min(max(0, more - pad), more) for more, pad in zip(output_padding, end)]
    return Frame(nothing, rest, [-pad for pad in begin],
                 [more - own - pad for more, own, pad in zip(output_padding, rest, end)])


def why_not_framed(problem, frame: Frame) -> Optional[str]:
    """The framework does not see the problem, but another one: it has to be legal, and something has to be left."""
    if not frame.is_needed:
        return None
    if problem.why_illegal():
        return "not a legal problem"
    if problem.op == "conv_transpose" and problem.bias and max(*frame.begin, *frame.end) > 0:
        return "no bias where negative padding of conv_transpose adds rows"
    # The framework's dst is ours without the frame.
    sizes, sign = (problem.in_, 1) if problem.op == "conv" else (problem.out, -1)
    for size, begin, end in zip(sizes, frame.begin, frame.end):
        if size + min(sign * begin, 0) + min(sign * end, 0) < 0:
            return "it cannot crop more than the whole axis"
    return None
