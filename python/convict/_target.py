# SPDX-License-Identifier: Apache-2.0
"""A function as an implementation: what it takes, and how it is called."""
from __future__ import annotations

import inspect
import math
import sys
from typing import Any, Callable, Optional, Sequence, Union

from . import _arrays
from ._built_on import FRAMEWORKS, framework_of, version_of
from ._by_name import by_name
from ._device import why_lost
from ._errors import DeviceLost, Refused, WrongUse
from ._kept import place_of
from ._presets import Signature, preset
from ._problem import Problem
from ._use import called, check_call, check_function, plain_problem, takes_all

Call = tuple[Problem, dict[str, Any], set[str]]  # with the operands as arrays, and the names of the outputs
CONTRACT = {"algorithm": "direct", "min_accumulator": "f32"}
CONTRACT_KEYS = {"algorithm", "min_accumulator", "summation", "sum_block", "winograd_m", "winograd_r", "points",
                 "deterministic", "flushes_subnormals", "accumulates", "fuses_relu", "requantizes", "moves_tiles",
                 "pairs_planes", "operand_bits", "truncates"}

_LONGEST_NAME = 100  # docs/process-targets.md
_BATCH, _BATCH_ON_FRAMEWORK = 32, 4  # calls at once: of what may compile each one for seconds, few
_TRIED_AT_FIRST = 64  # problems; whoever refuses none of them is hardly ever asked in vain
_MOST_TRIED = 1 << 16  # elements of an operand


class _WrongShape(Exception):
    pass


class Target:
    """A function on trial. `trial` and `@convict.target` make one. It can be called as the function. `signature` stands
    for one that `like` does not name, whose functions are not checked."""

    def __init__(self, function: Callable[..., Any], like: Optional[str] = None, *, name: Optional[str] = None,
                 dtypes: Union[str, Sequence[str]] = "f32", contract: Optional[dict] = None,
                 xp: Union[str, Any] = "numpy", device: Optional[str] = None,
                 built_on: Union[None, str, Sequence[str]] = None, batch: Optional[int] = None,
                 signature: Optional[Signature] = None):
        self.function, self.like, self.is_checked = function, like, signature is None
        self.signature = preset(like) if like else signature
        self.name = ascii(name or called(function)).strip("'").replace(" ", "-").replace(",", ";")[:_LONGEST_NAME]
        if self.is_checked:
            if not takes_all(function, self.signature):
                self.like, self.signature = by_name(function, like or self.name) or (like, self.signature)
            check_function(function, self.name, like, self.signature)
        self.dtypes = [dtypes] if isinstance(dtypes, str) else list(dtypes)
        unknown = set(self.dtypes) - set(_arrays.NUMPY_TYPES)
        if unknown or not self.dtypes:
            raise WrongUse(f"dtypes: {unknown.pop() if unknown else []!r} is not known; valid: "
                           f"{', '.join(_arrays.NUMPY_TYPES)}")
        unknown = set(contract or {}) - CONTRACT_KEYS
        if unknown:
            raise WrongUse(f"contract: {unknown.pop()!r} is not known; valid: {', '.join(sorted(CONTRACT_KEYS))}")
        self.contract = {**CONTRACT, **(contract or {})}
        self.convert, self.device = _arrays.converter(xp, device), device if device != "cpu" else None
        self.framework = framework_of(function, built_on)
        self.batch = batch or (_BATCH_ON_FRAMEWORK if self.framework else _BATCH)
        self.place = place_of(function)  # where its cases are kept
        self.observer: Any = None  # sees every call: _observer.py
        self.tries = _TRIED_AT_FIRST  # left; -1 once the function has refused something
        self.errors: dict[str, BaseException] = {}  # what the function raised, by the text that convict was told

    def __call__(self, *words: Any, **named: Any) -> Any:
        return self.function(*words, **named)

    def announcement(self) -> dict:
        base = FRAMEWORKS.get(self.framework or "")
        return {"name": self.name, "description": f"{self.name}, a function in Python",
                "lineage": base.lineage if base else self.name, "built_on": list(base.implementations) if base else [],
                "contract": self.contract, "batch": self.batch}

    def is_like_torch(self) -> bool:
        return (self.like or "").startswith("torch.")

    def version(self) -> str:
        """That of the framework, of which known causes speak; of Python for a function on none."""
        return version_of(self.framework) if self.framework else sys.version.split()[0]

    def check(self) -> None:
        """Calls it for a plain problem. Raises WrongUse if that shows that it cannot be put on trial like this."""
        if not self.is_checked:
            return
        missing = self.why_no_device()
        if missing:
            raise WrongUse(missing)
        operation = self.signature.operations[0] if self.signature else "conv2d"
        problem = plain_problem(operation, self.dtypes[0])
        check_call(self.function, self.name, problem, self.like,
                   lambda problem, arrays: self._call(problem, arrays, {"dst"}))

    def why_no_device(self) -> str:
        """What its library says of a device that it cannot use; "" if it can. Initializes the device."""
        try:
            if self.device:
                self.convert(_arrays.numpy_module().zeros(1, "float32"), "f32")
            return ""
        except Exception as why:  # pylint: disable=broad-except
            return f"device={self.device!r}: {' '.join(str(why).split())[:200]}"

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
        except (Exception, SystemExit):  # pylint: disable=broad-except
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
        except (Exception, SystemExit) as error:  # a function that ends the process would end each one in turn
            text = " ".join(f"{type(error).__name__}: {error}".split())[:400]
            if self.device and why_lost():
                raise DeviceLost(f"{self.name}: {text}") from error
            self.errors[text] = error
            return {"status": "failed", "error": text}

    def _call(self, problem: Problem, arrays: dict[str, Any], outputs: set[str]) -> Any:
        """The data have infinities and NaN on purpose: numpy's warnings of them would be about these, and not about the
        function."""
        is_taken = self.signature is not None and self.device is not None  # the output is not copied there, too
        converted = {name: self.convert(array, problem.dtypes[name]) for name, array in arrays.items()
                     if not (is_taken and name in outputs)}
        with _arrays.numpy_module().errstate(all="ignore"):
            result = self._called(problem, converted, outputs)
        if self.signature is None and self.device:
            for name in outputs & converted.keys():
                self._take(converted[name], arrays[name])
        return result

    def _called(self, problem: Problem, converted: dict[str, Any], outputs: set[str]) -> Any:
        if self.signature is None:
            return self.function(problem, converted)
        inputs = {name: array for name, array in converted.items() if name not in outputs}
        return self.signature.call(self.function, problem, inputs)

    def _take(self, result: Any, dst: Any) -> None:
        if result is None:
            raise TypeError("it returns None, and no array")
        array = _arrays.fitting(_arrays.as_numpy(result), dst.dtype)
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
    return lambda function: target_of(function, like, options)


def target_of(function: Any, like: Optional[str], options: dict[str, Any], also: Sequence[str] = ()) -> Target:
    """The target itself, or a function as one. `also` are the options that the caller takes beside its own."""
    mine = [*inspect.signature(Target).parameters][2:-1]  # without the function, like and the signature
    unknown = [name for name in options if name not in mine]
    if unknown:
        raise WrongUse(f"{unknown[0]}= is not known; valid: {', '.join(['like', *also, *mine])}")
    if not isinstance(function, Target):
        return Target(function, like, **options)
    if like or options:
        given = "like" if like else next(iter(options))
        raise WrongUse(f"{given}= is given for {function.name}, which is a convict.target; valid: in the decorator")
    return function
