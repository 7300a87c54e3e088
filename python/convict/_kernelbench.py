# SPDX-License-Identifier: Apache-2.0
"""Files with the interface of KernelBench's convolution problems as targets. Needs PyTorch."""
from __future__ import annotations

import importlib.util
import inspect
import os
from typing import Any

from ._errors import Refused, WrongUse
from ._presets import Signature
from ._problem import Problem
from ._target import Target

_FIELDS = {"kernel_size": "kernel", "stride": "stride", "padding": "pad_begin", "dilation": "dilation",
           "output_padding": "output_padding"}
_DEFAULTS = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0}


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("graded", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise WrongUse(f"'{path}' is no file; valid: FILE.py with Model and ModelNew, or FILE.py:NAME")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [name for name in ("Model", "ModelNew", "get_inputs", "get_init_inputs") if not hasattr(module, name)]
    if missing:
        raise WrongUse(f"{path} lacks {', '.join(missing)}; valid: a file with Model, ModelNew, get_inputs and "
                         "get_init_inputs")
    return module


class _Interface:
    """How ModelNew is made for a problem."""

    def __init__(self, module: Any):
        import torch

        self.torch, self.made = torch, module.ModelNew
        given = list(module.get_init_inputs())
        named = {} if not given or not isinstance(given[-1], dict) else given.pop()
        bound = inspect.signature(module.Model.__init__).bind(None, *given, **named)
        bound.apply_defaults()
        self.shown = {name: value for name, value in bound.arguments.items() if name != "self"}
        reference = module.Model(*given, **named)
        self.layer = next((one for one in reference.modules() if type(one).__name__.startswith("Conv")), None)
        if self.layer is None:
            raise WrongUse("Model holds no layer of torch.nn.Conv*: only convolutions are graded")
        self.rank = len(self.layer.kernel_size)
        self.op = "conv_transpose" if "Transpose" in type(self.layer).__name__ else "conv"
        self.inputs = module.get_inputs()

    def arguments(self, p: Problem) -> dict:
        """As the shown ones: a number where that was one, a tuple where that was one."""
        expressible = {"in_channels": p.ic, "out_channels": p.oc, "groups": p.groups, "bias": p.bias}
        arguments = {}
        for name, value in self.shown.items():
            if name in expressible:
                arguments[name] = expressible[name]
            elif name in _FIELDS:
                arguments[name] = self._like(value, getattr(p, _FIELDS[name]), name)
            else:
                raise Refused(f"its parameter {name} has no meaning here")
        self._refuse_rest(p)
        return arguments

    @staticmethod
    def _like(value: Any, wanted: list, name: str) -> Any:
        if isinstance(value, (tuple, list)):
            return tuple(wanted)
        if len(set(wanted)) > 1:
            raise Refused(f"{name} is one number for all axes")
        return wanted[0]

    def _refuse_rest(self, p: Problem) -> None:
        """What the parameters do not say has its default."""
        for name, default in _DEFAULTS.items():
            if name not in self.shown and any(number != default for number in getattr(p, _FIELDS[name])):
                raise Refused(f"no {name}")
        if "groups" not in self.shown and p.groups != self.layer.groups:
            raise Refused("no groups")
        if "bias" not in self.shown and p.bias != (self.layer.bias is not None):
            raise Refused("no choice of bias")
        if "out_channels" not in self.shown and p.oc != p.ic:
            raise Refused("as many outputs as inputs")

    def call(self, made: Any, p: Problem, x: dict) -> Any:
        if p.pad_begin != p.pad_end or min(p.pad_begin) < 0 or p.ic < 1 or p.oc < 1:
            raise Refused("not a layer of PyTorch")
        arguments = self.arguments(p)
        if not hasattr(x["src"], "detach"):  # no data yet: it is only asked
            return made(**arguments)
        model = made(**arguments)
        left = {name: x[role] for name, role in (("weight", "wei"), ("bias", "bias")) if role in x}
        with self.torch.no_grad():
            for parameter in model.parameters():
                name = next((one for one, data in left.items() if data.shape == parameter.shape), None)
                if name is None:
                    raise Refused(f"a parameter of shape {tuple(parameter.shape)} is none of the layer's")
                parameter.copy_(left.pop(name))
            return model(x["src"])

    def case(self) -> str:
        """What the author was shown, as a line. On all axes alike if it is large: the numbers are what it is about."""
        layer, shape = self.layer, self.inputs[0].shape

        def text(numbers: Any) -> str:
            return "x".join(map(str, numbers))

        words = [f"{self.op}{self.rank}d", f"n={min(shape[0], 2)}", f"g={layer.groups}", f"ic={layer.in_channels}",
                 f"oc={layer.out_channels}", f"in={text(min(extent, 12) for extent in shape[2:])}",
                 f"k={text(layer.kernel_size)}", f"s={text(layer.stride)}", f"p={text(layer.padding)}",
                 f"d={text(layer.dilation)}"]
        if self.op == "conv_transpose":
            words.append(f"op={text(layer.output_padding)}")
        return " ".join(words + (["bias"] if layer.bias is not None else []))


def target_of(path: str) -> tuple[Target, list[str]]:
    """The target, and the case that its author was shown, made small."""
    interface = _Interface(load(path))
    signature = Signature(interface.call, [f"{interface.op}{interface.rank}d"])
    return Target(interface.made, name="ModelNew", xp="torch", batch=8, signature=signature), [interface.case()]
