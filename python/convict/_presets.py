# SPDX-License-Identifier: Apache-2.0
"""Signatures that kernels are written with: which problems a function can be called for, and how.

A preset is a function call(f, problem, x): `x` has the inputs by name. It returns the output, or raises Refused."""
from __future__ import annotations

import difflib
from typing import Any, Callable

from . import _arrays
from ._errors import Refused, WrongUse
from ._problem import Problem

Preset = Callable[[Callable[..., Any], Problem, dict], Any]


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise Refused(why)


def _symmetric(p: Problem) -> None:
    _require(p.pad_begin == p.pad_end, "padding differs at begin and end")
    _require(min(p.pad_begin) >= 0, "negative padding")


def check_torch(p: Problem) -> None:
    """What PyTorch says that it does not take: torch.conv2d(torch.zeros(1, 1, 3, 3), torch.zeros(0, 1, 1, 1))"""
    _symmetric(p)
    _require(p.oc > 0 and (p.ic > 0 or p.op == "conv"), "weights have at least one channel")
    _require(min(p.in_) > 0, "images have at least one position")


def _torch_conv(f: Callable, p: Problem, x: dict) -> Any:
    """f(input, weight, bias, stride, padding, dilation, groups)"""
    check_torch(p)
    return f(x["src"], x["wei"], x.get("bias"), tuple(p.stride), tuple(p.pad_begin), tuple(p.dilation), p.groups)


def _torch_conv_transpose(f: Callable, p: Problem, x: dict) -> Any:
    """f(input, weight, bias, stride, padding, output_padding, groups, dilation)"""
    check_torch(p)
    return f(x["src"], x["wei"], x.get("bias"), tuple(p.stride), tuple(p.pad_begin), tuple(p.output_padding), p.groups,
             tuple(p.dilation))


def _torch_module(f: Callable, p: Problem, x: dict) -> Any:
    """f(in_channels, out_channels, kernel_size, stride=, padding=, dilation=, groups=, bias=[, output_padding=]) makes
    a module with parameters `weight` and `bias`, which is called with the input."""
    _symmetric(p)
    _require(p.ic > 0 and p.oc > 0, "modules have channels")
    more = {"output_padding": tuple(p.output_padding)} if p.op == "conv_transpose" else {}
    module = f(p.ic, p.oc, tuple(p.kernel), stride=tuple(p.stride), padding=tuple(p.pad_begin),
               dilation=tuple(p.dilation), groups=p.groups, bias=p.bias, **more)
    module.weight.data = x["wei"]
    if p.bias:
        module.bias.data = x["bias"]
    return module(x["src"])


def _onnx(f: Callable, p: Problem, x: dict) -> Any:
    """f(X, W, B, strides=, pads=, dilations=, group=[, output_padding=]); pads are all begins, then all ends"""
    _require(min(p.pad_begin + p.pad_end) >= 0, "negative padding")
    more = {"output_padding": list(p.output_padding)} if p.op == "conv_transpose" else {}
    return f(x["src"], x["wei"], x.get("bias"), strides=list(p.stride), pads=p.pad_begin + p.pad_end,
             dilations=list(p.dilation), group=p.groups, **more)


def _jax(f: Callable, p: Problem, x: dict) -> Any:
    """f(lhs, rhs, window_strides, padding, lhs_dilation=, rhs_dilation=, dimension_numbers=, feature_group_count=)"""
    _require(not p.bias, "no bias")
    axes = "DHW"[-p.rank:]
    return f(x["src"], x["wei"], tuple(p.stride), list(zip(p.pad_begin, p.pad_end)), lhs_dilation=(1,) * p.rank,
             rhs_dilation=tuple(p.dilation), dimension_numbers=("NC" + axes, "OI" + axes, "NC" + axes),
             feature_group_count=p.groups)


def _moved(array: Any, order: list) -> Any:
    """Tensors of TensorFlow have no method for it."""
    if hasattr(array, "permute"):
        return array.permute(order)
    return (array if hasattr(array, "transpose") else _arrays.as_numpy(array)).transpose(order)


def _channels_last(p: Problem) -> list:
    return [0, *range(2, p.rank + 2), 1]


def _channels_first(p: Problem) -> list:
    return [0, p.rank + 1, *range(1, p.rank + 1)]


def _tf(f: Callable, p: Problem, x: dict) -> Any:
    """f(input NHWC, filters HWIO, strides, padding, dilations); padding is [[0, 0], [top, bottom], ..., [0, 0]]"""
    _require(p.groups == 1 and not p.bias, "no groups, no bias")
    _require(p.ic > 0 and p.oc > 0, "filters have elements")
    _require(min(p.pad_begin + p.pad_end) >= 0, "negative padding")
    padding = [[0, 0], *([a, b] for a, b in zip(p.pad_begin, p.pad_end)), [0, 0]]
    filters = _moved(x["wei"], [*range(2, p.rank + 2), 1, 0])
    result = f(_moved(x["src"], _channels_last(p)), filters, list(p.stride), padding, list(p.dilation))
    return _moved(result, _channels_first(p))


def _tosa(f: Callable, p: Problem, x: dict) -> Any:
    """f(input NHWC, weight OHWI, bias, pad=, stride=, dilation=); pad is [top, bottom, left, right]"""
    _require(p.groups == 1, "no groups")
    _require(min(p.pad_begin + p.pad_end) >= 0, "negative padding")
    pad = [number for both in zip(p.pad_begin, p.pad_end) for number in both]
    result = f(_moved(x["src"], _channels_last(p)), _moved(x["wei"], _channels_last(p)), x.get("bias"), pad=pad,
               stride=list(p.stride), dilation=list(p.dilation))
    return _moved(result, _channels_first(p))


class Signature:
    """A preset by name, and the operations it is for, as `--where` names them."""

    def __init__(self, call: Preset, operations: list[str]):
        self.call, self.operations = call, operations


def _by_rank(names: list[str], op: str, call: Preset) -> dict[str, Signature]:
    return {f"{name}{rank}d": Signature(call, [f"{op}{rank}d"]) for name in names for rank in (1, 2, 3)}


PRESETS: dict[str, Signature] = {
    **_by_rank(["torch.conv", "torch.nn.functional.conv"], "conv", _torch_conv),
    **_by_rank(["torch.conv_transpose", "torch.nn.functional.conv_transpose"], "conv_transpose", _torch_conv_transpose),
    **_by_rank(["torch.nn.Conv"], "conv", _torch_module),
    **_by_rank(["torch.nn.ConvTranspose"], "conv_transpose", _torch_module),
    "onnx.Conv": Signature(_onnx, ["conv1d", "conv2d", "conv3d"]),
    "onnx.ConvTranspose": Signature(_onnx, ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]),
    "jax.lax.conv_general_dilated": Signature(_jax, ["conv1d", "conv2d", "conv3d"]),
    "tf.nn.conv2d": Signature(_tf, ["conv2d"]),
    "tosa.conv2d": Signature(_tosa, ["conv2d"]),
    "tosa.conv3d": Signature(_tosa, ["conv3d"]),
}


def presets() -> dict[str, str]:
    """The names that `like=` takes, each with the signature of the function.

    >>> presets()["torch.conv2d"]
    'f(input, weight, bias, stride, padding, dilation, groups)'
    """
    return {name: " ".join((one.call.__doc__ or "").split()) for name, one in PRESETS.items()}


def preset(name: str) -> Signature:
    if name not in PRESETS:
        near = difflib.get_close_matches(str(name), PRESETS, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise WrongUse(f"like={name!r} is not known{hint}; valid: {', '.join(PRESETS)}")
    return PRESETS[name]
