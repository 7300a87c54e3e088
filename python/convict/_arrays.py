# SPDX-License-Identifier: Apache-2.0
"""Operands as arrays: views of the shared file, never copies."""
from __future__ import annotations

import functools
import importlib
import math
from typing import Any, Callable, Optional, Union

from ._device import from_anywhere, from_device, is_on_device, mover
from ._errors import ProgramMissing, WrongUse

# numpy has no bf16: its bits come as uint16, and go back as such.
NUMPY_TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "uint16", "s8": "int8", "u8": "uint8",
               "s32": "int32", "s16": "int16", "s64": "int64"}


def numpy_module() -> Any:
    try:
        import numpy
    except ImportError:
        raise ProgramMissing("operands are handed over as numpy arrays, and numpy is not installed; install the "
                             "package python3-numpy") from None
    return numpy


@functools.lru_cache(maxsize=None)
def _ndarray_and_type(name: str) -> tuple:
    numpy = numpy_module()
    return numpy.ndarray, numpy.dtype(NUMPY_TYPES[name])


def array_of(file: Any, tensor: dict) -> Any:
    """A numpy array over the operand's bytes in the file, with its strides."""
    ndarray, dtype = _ndarray_and_type(tensor["dtype"])
    size = dtype.itemsize
    return ndarray(tensor["dims"], dtype, file, tensor["at"], [stride * size for stride in tensor["strides"]])


def zeros(problem: Any) -> dict[str, Any]:
    """Operands of a problem that is only asked about."""
    numpy = numpy_module()
    return {name: numpy.zeros(dims, NUMPY_TYPES[problem.dtypes[name]]) for name, dims in problem.dims.items()}


def plain(problem: Any, name: str) -> Any:
    """An operand of small numbers."""
    numpy = numpy_module()
    dims = problem.dims[name]
    return (numpy.arange(math.prod(dims)) % 5).astype(NUMPY_TYPES[problem.dtypes[name]]).reshape(dims)


def converter(xp: Union[str, Any], device: Optional[str] = None) -> Callable[[Any, str], Any]:
    """What makes of a numpy array what the function wants: for "numpy" itself; else `xp.from_dlpack` of a module or of
    its name, such as "torch"; with a device, the one copy of it there. With "torch", bf16 becomes torch.bfloat16."""
    if xp == "numpy" and device in (None, "cpu"):
        return lambda array, _: array
    if isinstance(xp, str):
        try:
            xp = importlib.import_module(xp)
        except ImportError as why:
            raise WrongUse(f"xp={xp!r}: {why}; valid: numpy, torch, or another module with from_dlpack") from None
    if not hasattr(xp, "from_dlpack"):
        raise WrongUse(f"xp={getattr(xp, '__name__', xp)!r} has no from_dlpack; valid: numpy, torch, or another module "
                       "with it")
    handed_over = mover(xp, device) if device else lambda array: _shared(xp, array)

    def convert(array: Any, dtype: str) -> Any:
        if dtype != "bf16":
            return handed_over(array)
        if not hasattr(xp, "bfloat16"):
            return handed_over(array.view("int16"))
        return handed_over(array.view("int16")).view(xp.bfloat16)

    return convert


def _shared(xp: Any, array: Any) -> Any:
    """The same memory; or a copy for a module that takes no views with gaps (JAX)."""
    try:
        return xp.from_dlpack(array)
    except Exception:  # pylint: disable=broad-except
        return xp.from_dlpack(array.copy())


def as_numpy(result: Any) -> Any:
    """What a function returned, as a numpy array: a view where its memory can be reached, else the one copy of it."""
    numpy = numpy_module()
    if isinstance(result, numpy.ndarray):
        array = result
    elif hasattr(result, "detach"):  # torch
        result = result.detach().cpu()
        if str(result.dtype) == "torch.bfloat16":
            result = result.view(__import__("torch").int16)
            return result.numpy().view("uint16")
        return result.numpy()
    else:
        array = from_device(result) if is_on_device(result) else from_anywhere(result)
    return array.view("uint16") if array.dtype.name == "bfloat16" else array


def fitting(array: Any, dtype: Any) -> Any:
    """bf16 as modules without that type have it, which are given int16."""
    return array.view("uint16") if (array.dtype, dtype) == ("int16", "uint16") else array
