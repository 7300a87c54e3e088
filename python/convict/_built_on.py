# SPDX-License-Identifier: Apache-2.0
"""What a function is built on: the framework whose code it calls. What is known to be wrong with that is known of it."""
from __future__ import annotations

import functools
import inspect
import sys
import types
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Union

from ._errors import WrongUse

_MOST_LOOKED_AT = 500  # functions, classes and modules


@dataclass(frozen=True)
class Framework:
    """`implementations` are those of `convict list` whose code a plain call may run."""

    implementations: tuple[str, ...]
    lineage: str


FRAMEWORKS = {
    "torch": Framework(("torch:eager", "torch:compile", "libtorch:native", "libtorch:onednn"), "aten+onednn"),
    "tensorflow": Framework(("tf:eager", "tf:graph", "tf:xla"), "tensorflow"),
    "jax": Framework(("jax:eager", "jax:jit"), "xla"),
}
_PARTS = {"jaxlib": "jax", "keras": "tensorflow"}  # packages of a framework that are called otherwise


def framework_of(function: Any, told: Union[None, str, Sequence[str]]) -> Optional[str]:
    """The one that it was told, or else found. A function on several is put down to none: whose version would count?"""
    if told is not None:
        names = [told] if isinstance(told, str) else list(told)
        unknown = [name for name in names if name not in FRAMEWORKS]
        if unknown:
            raise WrongUse(f"built_on={unknown[0]!r} is not known; valid: {', '.join(FRAMEWORKS)}, or [] for none")
    else:
        names = sorted(_found_in(function))
    return names[0] if len(names) == 1 else None


def version_of(framework: str) -> str:
    return str(getattr(sys.modules.get(framework), "__version__", ""))


def _found_in(function: Any) -> set[str]:
    """Follows what code names: globals, what it closes over, classes, modules of the user's."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = [function]
    while waiting and len(seen) < _MOST_LOOKED_AT:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        package = _package_of(one)
        if package in FRAMEWORKS:
            found.add(package)
        elif package != __package__:
            waiting += _named_by(one)
    return found


def _package_of(one: Any) -> str:
    """The package that it is from; for an object of a class that a framework's class is a base of, the framework."""
    if isinstance(one, types.ModuleType):
        names = [one.__name__]
    elif inspect.isclass(one):
        names = [base.__module__ for base in one.__mro__]
    elif isinstance(one, types.FunctionType):
        names = [one.__module__, one.__globals__.get("__name__")]  # a wrapper says that it is from elsewhere
    else:
        owner = getattr(one, "__self__", one)
        names = [getattr(one, "__module__", None), (owner if inspect.isclass(owner) else type(owner)).__module__]
    packages = [str(name).partition(".")[0] for name in names if name]
    packages = [_PARTS.get(name, name) for name in packages]
    return next((name for name in packages if name in FRAMEWORKS), packages[0] if packages else "")


def _named_by(one: Any) -> list[Any]:
    if isinstance(one, functools.partial):
        return [one.func]
    if inspect.isclass(one):
        return [value for value in vars(one).values() if callable(value)]
    if isinstance(one, types.MethodType):
        return [one.__func__, type(one.__self__)]
    code = getattr(one, "__code__", None)
    if not isinstance(code, types.CodeType):
        wrapped = getattr(one, "__wrapped__", None)
        is_mere_data = isinstance(one, types.ModuleType) or not callable(one)
        return [] if is_mere_data else [type(one), *([wrapped] if wrapped else [])]
    names = set(_names_in(code))
    values = [one.__globals__[name] for name in names if name in one.__globals__]
    values += [sys.modules[name] for name in names if name in FRAMEWORKS and name in sys.modules]  # imported inside
    for module in [value for value in values if isinstance(value, types.ModuleType)]:
        values += [getattr(module, name) for name in names if _package_of(module) not in FRAMEWORKS
                   and name in vars(module)]
    values += [cell.cell_contents for cell in one.__closure__ or () if cell != types.CellType()]
    return [value for value in values if callable(value) or isinstance(value, types.ModuleType)]


def _names_in(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
