# SPDX-License-Identifier: Apache-2.0
"""Wrong use, which is no verdict on a kernel: what is no function, takes other arguments, or returns no array. Each is
a one-line error that names it and says what is valid. So is a compiler that lacks something: Refused."""
from __future__ import annotations

import ast
import inspect
import os
import re
import types
import warnings
from typing import Any, Optional

from . import _arrays
from ._by_name import usual_parameter
from ._errors import Refused, WrongUse
from ._presets import PRESETS, Signature
from ._problem import Problem

_PLAIN = "f(problem, tensors)"  # what a function without `like` is called as
_TYPOS = (NameError, ImportError, SyntaxError)  # of a function, and no matter of the problem


def plain_problem(operation: str, dtype: str) -> Problem:
    """One that every kernel takes: two channels, an image of 5, a kernel of 3, no more."""
    op, rank = operation[:-2], int(operation[-2])
    out = 3 if op == "conv" else 7
    shapes = {"src": [1, 2] + [5] * rank, "wei": [2, 2] + [3] * rank, "dst": [1, 2] + [out] * rank}
    axes = {"in_": [5] * rank, "out": [out] * rank, "kernel": [3] * rank, "stride": [1] * rank, "dilation": [1] * rank,
            "pad_begin": [0] * rank, "pad_end": [0] * rank, "output_padding": [0] * rank}
    return Problem(op, "forward", rank, batch=1, groups=1, ic=2, oc=2, **axes, bias=False, beta=0.0, relu=False,
                   threads=1, src_zero_point=0, dst_zero_point=0, dtypes=dict.fromkeys(shapes, dtype), dims=shapes)


def called(function: Any) -> str:
    """What it is called, in messages."""
    return getattr(function, "__name__", type(function).__name__).strip("<>")


def check_function(function: Any, name: str, like: Optional[str], signature: Optional[Signature]) -> None:
    """What shows without a call."""
    if isinstance(function, types.ModuleType):
        raise WrongUse(f"{name} is a module; valid: a function of it")
    if not callable(function):
        raise WrongUse(f"{name} is {_a(type(function).__name__)}; valid: a function")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise WrongUse(f"{name} is async, so that a call computes nothing; valid: a function that returns the output, "
                       f"such as lambda *words: asyncio.run({name}(*words))")
    if inspect.isgeneratorfunction(function):
        raise WrongUse(f"{name} is a generator, so that a call computes nothing; valid: `return` instead of `yield`")
    try:
        parameters = inspect.signature(function)
    except (TypeError, ValueError):  # of a compiled function, which shows when it is called
        return
    words, named = _arguments(signature)
    try:
        parameters.bind(*words, **named)
    except TypeError as why:
        valid = _what_is_valid(parameters, name, like)
        raise WrongUse(f"{name}{_short(parameters)} is not called like this: {why}; {valid}") from None
    usual = "" if signature else usual_parameter(parameters)
    if usual:
        raise WrongUse(f"{name} takes {usual}, and its name does not say which convolution it is; valid: "
                       "like='torch.conv2d', or a name such as my_conv2d")


def takes_all(function: Any, signature: Optional[Signature]) -> bool:
    """Whether the function can be called so, and has no further parameters without a signature to say what they are."""
    try:
        parameters = inspect.signature(function)
        words, named = _arguments(signature)
        parameters.bind(*words, **named)
    except (TypeError, ValueError):
        return False
    return signature is not None or len(parameters.parameters) == len(words)


def check_call(function: Any, name: str, problem: Problem, like: Optional[str], call: Any) -> None:
    """What shows when `call` calls it for a plain problem."""
    arrays = {role: _arrays.plain(problem, role) for role in problem.dims}
    output = arrays["dst"].copy()
    try:
        with warnings.catch_warnings():  # torch.compile goes on for minutes, to no end
            warnings.filterwarnings("error", message="Can't find Python.h")
            result = call(problem, arrays)
    except Refused:
        return
    except (Exception, SystemExit) as error:  # pylint: disable=broad-except
        _explain(function, name, like, error)
        return  # it is a finding, with a case
    if like:
        _check_result(result, name, output)
    elif result is not None and (arrays["dst"] == output).all():
        raise WrongUse(f'{name} returns {_kind(result)} and writes nothing; valid: it writes into tensors["dst"], or '
                       "with like= it returns the output")


def functions_in(path: str) -> list[str]:
    """The names that a file defines functions and targets by, without running it."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return []
    return [one.name for one in tree.body if isinstance(one, ast.FunctionDef)]


def _explain(function: Any, name: str, like: Optional[str], error: BaseException) -> None:
    text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = "" if trace is None else trace.tb_frame.f_code.co_filename
    if "Python.h" in str(error):  # torch.compile makes a module of Python, in C++
        raise Refused(f"{name}: nothing was judged: torch.compile finds no Python.h; valid: install the package "
                      "python3-dev") from error
    if isinstance(error, (TypeError, AttributeError)) and "ndarray" in text:
        raise WrongUse(f"{name} is given arrays of numpy, and fails: {text}; valid: xp=\"torch\" (--xp torch) for a "
                       "function on tensors of PyTorch") from error
    if like is None and isinstance(error, (TypeError, AttributeError)) and re.search(r"\bProblem\b", text):
        raise WrongUse(f"{name} is called as {_PLAIN}, and fails: {text}; valid: like='torch.conv2d', or another of "
                       "convict.presets(), for a function of arrays") from error
    if isinstance(error, TypeError) and os.path.dirname(file) == os.path.dirname(__file__):
        raise WrongUse(f"{name} is not called like this: {text}; valid with like={like!r}: "
                       f"{_signature_of(like)}") from error
    if isinstance(error, _TYPOS):
        raise WrongUse(f"{name} cannot be called: {text} ({os.path.basename(file)}:{trace.tb_lineno if trace else 0}); "
                       "valid: a function that computes a plain problem") from error


def _check_result(result: Any, name: str, output: Any) -> None:
    wanted = f"valid: it returns the output, an array of shape {output.shape}"
    if result is None:
        raise WrongUse(f"{name} returns None; {wanted}")
    if inspect.iscoroutine(result) or inspect.isgenerator(result):
        result.close()
        raise WrongUse(f"{name} returns {_kind(result)}; {wanted}")
    if isinstance(result, (str, bytes, dict, tuple, set)):
        raise WrongUse(f"{name} returns {_kind(result)}; {wanted}")
    numpy = _arrays.numpy_module()
    try:
        array = _arrays.fitting(_arrays.as_numpy(result), output.dtype)
    except Exception as error:  # pylint: disable=broad-except
        raise WrongUse(f"{name} returns {_kind(result)}, which is no array ({error}); {wanted}") from error
    if not numpy.can_cast(array.dtype, output.dtype, "same_kind"):
        raise WrongUse(f"{name} returns {_kind(result)} of {array.dtype}; {wanted} and of {output.dtype}")


def _kind(result: Any) -> str:
    many = f" of {len(result)}" if isinstance(result, (tuple, list)) else ""
    return _a(type(result).__name__) + many


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _arguments(signature: Optional[Signature]) -> tuple[tuple, dict]:
    """What a function of this signature is called with."""
    if signature is None:
        return (None, None), {}
    passed: list[tuple] = []

    class Taker:
        weight = bias = None

        def __init__(self, *words: Any, **named: Any):
            passed.append((words, named))
            self.weight = self.bias = self

        def __call__(self, *_: Any) -> "Taker":
            return self

        def transpose(self, _: Any) -> "Taker":
            return self

    problem = plain_problem(signature.operations[0], "f32")
    signature.call(Taker, problem, {"src": Taker(), "wei": Taker()})
    return passed[-1]


def _short(parameters: inspect.Signature) -> str:
    return f"({', '.join(parameters.parameters)})"


def _signature_of(like: Optional[str]) -> str:
    return _PLAIN if like is None else " ".join((PRESETS[like].call.__doc__ or "").split())


def _what_is_valid(parameters: inspect.Signature, name: str, like: Optional[str]) -> str:
    """The signature; and which `like` passes what the function takes, if there is one."""
    fitting = []
    for preset, signature in PRESETS.items():
        words, named = _arguments(signature)
        try:
            parameters.bind(*words, **named)
        except TypeError:
            continue
        fitting.append(preset)
    fitting.sort(key=lambda preset: not preset.endswith(f".{name}"))  # one of its name first
    hint = f", or like={fitting[0]!r}, which passes what it takes" if fitting else ""
    told = f"with like={like!r}" if like else "without like="
    return f"valid {told}: {_signature_of(like)}{hint}"
