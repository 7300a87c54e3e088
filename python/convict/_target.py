# SPDX-License-Identifier: Apache-2.0
"""A function as an implementation: what it takes, and how it is called."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional, Union

from . import _arrays
from ._errors import Refused
from ._presets import preset
from ._problem import Problem

Call = tuple[Problem, dict[str, Any], set[str]]  # with the operands as arrays, and the names of the outputs
CONTRACT = {"algorithm": "direct", "min_accumulator": "f32"}


_TRIED_AT_FIRST = 64  # problems; whoever refuses none of them is hardly ever asked in vain
_MOST_TRIED = 1 << 16  # elements of an operand


class _WrongShape(Exception):
    pass


class Target:
    """A function on trial. `trial` and `@convict.target` make one."""

    def __init__(self, function: Callable[..., Any], like: Optional[str] = None, *, name: Optional[str] = None,
                 dtypes: Union[str, list[str]] = "f32", contract: Optional[dict] = None,
                 xp: Union[str, Any] = "numpy", batch: int = 32):
        self.function, self.like = function, like
        self.name = name or getattr(function, "__name__", type(function).__name__).strip("<>")
        self.dtypes = [dtypes] if isinstance(dtypes, str) else list(dtypes)
        unknown = set(self.dtypes) - set(_arrays.NUMPY_TYPES)
        if unknown:
            raise ValueError(f"dtypes: {unknown.pop()!r} is not known; valid: {', '.join(_arrays.NUMPY_TYPES)}")
        self.contract = {**CONTRACT, **(contract or {})}
        self.signature = preset(like) if like else None
        self.convert = _arrays.converter(xp)
        self.batch = batch
        self.observer: Any = None  # sees every call: _observer.py
        self.tries = _TRIED_AT_FIRST  # left; -1 once the function has refused something
        self.errors: dict[str, BaseException] = {}  # what the function raised, by the text that convict was told

    def announcement(self) -> dict:
        return {"name": self.name, "description": f"{self.name}, a function in Python", "lineage": self.name,
                "contract": self.contract, "batch": self.batch}

    def refusal(self, problem: Problem) -> Optional[str]:
        """Why the function is not called for a problem: what `like` and `dtypes` say, and then the function itself,
        which is called with zeros."""
        return self._unsuitable(problem) or self._refused(problem)

    def _refused(self, problem: Problem) -> Optional[str]:
        """What the function raises Refused for. Other errors show when it is called for a judgment."""
        if self.tries == 0 or self.observer or any(math.prod(dims) > _MOST_TRIED for dims in problem.dims.values()):
            return None
        self.tries = max(self.tries - 1, -1)
        try:
            self._call(problem, _arrays.zeros(problem), _outputs_of(problem))
        except Refused as why:
            self.tries = -1
            return str(why)
        except Exception:  # pylint: disable=broad-except
            return None
        return None

    def _unsuitable(self, problem: Problem) -> Optional[str]:
        if self.signature is None and problem.why_illegal() is None and self._types_fit(problem):
            return None
        if self.signature is None or problem.name not in self.signature.operations:
            return problem.why_illegal() or ("other types" if self.signature is None else "another operation")
        if not self._types_fit(problem):
            return "other types"
        why = problem.why_illegal()
        if why:
            return why
        try:
            self.signature.call(lambda *_, **__: _Nothing(), problem, _Absent(problem))
        except Refused as refused:
            return str(refused)
        return None

    def _types_fit(self, problem: Problem) -> bool:
        return all(dtype in self.dtypes for dtype in problem.dtypes.values())

    def run_all(self, calls: list[Call]) -> list[dict]:
        """The statuses of a batch."""
        return [self.run(*call) for call in calls]

    def run(self, problem: Problem, arrays: dict[str, Any], outputs: set[str]) -> dict:
        """Calls the function, and copies its result. Returns the status."""
        try:
            if self.observer:
                self.observer.begin({name: array for name, array in arrays.items() if name not in outputs})
            result = self._call(problem, arrays, outputs)
            if self.signature is not None:
                self._take(result, arrays["dst"])
            if self.observer:
                self.observer.end(arrays[name] for name in outputs)
            return {"status": "ok"}
        except Refused as why:
            return {"status": "refused", "error": str(why)}
        except _WrongShape as why:
            return {"status": "wrong_shape", "error": str(why)}
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:400]
            self.errors[text] = error
            return {"status": "failed", "error": text}

    def _call(self, problem: Problem, arrays: dict[str, Any], outputs: set[str]) -> Any:
        converted = {name: self.convert(array, problem.dtypes[name]) for name, array in arrays.items()}
        if self.signature is None:
            return self.function(problem, converted)
        inputs = {name: array for name, array in converted.items() if name not in outputs}
        return self.signature.call(self.function, problem, inputs)

    def _take(self, result: Any, dst: Any) -> None:
        array = _arrays.as_numpy(result)
        if array.shape != dst.shape:
            raise _WrongShape(f"it returns {array.shape}, and the output is {dst.shape}")
        _arrays.numpy_module().copyto(dst, array, casting="same_kind")


def _outputs_of(problem: Problem) -> set[str]:
    if problem.pass_ == "forward":
        return {"dst"}
    return {"diff_src"} if problem.pass_ == "backward_data" else {"diff_wei", "diff_bias"}


class _Nothing:
    """Stands for arrays while a preset is asked whether it can be used."""

    weight = bias = property(lambda self: self, lambda self, _: None)
    data = property(lambda self: self, lambda self, _: None)

    def transpose(self, _):
        return self

    def __call__(self, *_, **__):
        return self


class _Absent(dict):
    """The inputs of a problem without their data."""

    def __init__(self, problem: Problem):
        super().__init__({name: _Nothing() for name in problem.dims})


def target(like: Optional[str] = None, **options: Any) -> Callable[[Callable[..., Any]], Target]:
    """Makes a function a target, for `python -m convict fuzz FILE:NAME` and for `convict.trial`.

    >>> @target(like="torch.conv2d", dtypes=["f32", "f64"])
    ... def mine(input, weight, bias, stride, padding, dilation, groups):
    ...     ...
    """
    return lambda function: Target(function, like, **options)
