# SPDX-License-Identifier: Apache-2.0
"""Functions with parameters of the usual names, such as conv2d(x, w, stride=1, padding=0): what they have a parameter
for is passed by its name, and a problem that needs more is refused on their behalf."""
from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Optional

from ._errors import Refused
from ._presets import Signature, check_torch
from ._problem import Problem

_NAMES = {"bias": ("bias", "b"), "stride": ("stride", "strides"), "padding": ("padding", "pad", "pads"),
          "dilation": ("dilation", "dilations"), "groups": ("groups", "group"),
          "output_padding": ("output_padding", "outpadding", "out_pad")}
_TELLING = {"stride", "padding", "dilation", "groups", "output_padding"}  # f(problem, tensors, bias=...) is another thing


def by_name(function: Callable, like: str) -> Optional[tuple[str, Signature]]:
    """The preset that the function is like, and its signature. None if it has no such parameters. `like` is a preset, or
    the name of the function, which says the operation: conv2d, my_conv_transpose1d, conv2d_fast."""
    said = re.fullmatch(r"(?:torch\.(?:nn\.functional\.)?)?\w*conv\w*?([123])d(?:_\w+)?", like.lower())
    if said and re.search("back|grad", said[0]):  # which of its parameters is what, no name says
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values()) if said else []
    except (TypeError, ValueError):  # of a compiled function
        return None
    takes = _taken(parameters)
    others = [one for one in parameters[2:] if one not in takes.values()]
    needs_more = any(one.default is one.empty for one in others)
    if not said or needs_more or not _TELLING & takes.keys():
        return None
    transposes = "transpose" in said[0] or "deconv" in said[0]
    operation = f"conv{'_transpose' if transposes else ''}{said[1]}d"
    return f"torch.{operation}", Signature(_caller(takes), [operation])


def usual_parameter(parameters: inspect.Signature) -> str:
    """One that only a function of arrays has, not f(problem, tensors); or nothing."""
    taken = _taken(list(parameters.parameters.values()))
    return next((one.name for meaning, one in taken.items() if meaning in _TELLING), "")


def _taken(parameters: list[inspect.Parameter]) -> dict[str, inspect.Parameter]:
    return {meaning: one for one in parameters[2:] for meaning, names in _NAMES.items() if one.name in names}


def _caller(takes: dict[str, inspect.Parameter]) -> Callable:
    def call(function: Callable, p: Problem, x: dict) -> Any:
        """f(input, weight), and by name those of bias, stride, padding, dilation, groups, output_padding it has"""
        passed = {"bias": x.get("bias") if p.bias else None, "stride": p.stride, "padding": p.pad_begin,
                  "dilation": p.dilation, "groups": p.groups, "output_padding": p.output_padding}
        nothing = {"bias": None, "stride": [1] * p.rank, "padding": [0] * p.rank, "dilation": [1] * p.rank, "groups": 1,
                   "output_padding": [0] * p.rank}
        for meaning, value in passed.items():
            if meaning not in takes and value != nothing[meaning]:
                raise Refused(f"the function has no parameter for {meaning}")
        check_torch(p)
        return function(x["src"], x["wei"],
                        **{one.name: _written(passed[meaning], one) for meaning, one in takes.items()})
    return call


def _written(value: Any, parameter: inspect.Parameter) -> Any:
    """A tuple; or a number for all axes where the function's own default is one."""
    if not isinstance(value, list):
        return value
    return value[0] if isinstance(parameter.default, int) and len(set(value)) == 1 else tuple(value)
