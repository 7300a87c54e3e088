# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library, by DLPack, and those that live on a device: what is copied there and back, and whether the
device is still there."""
from __future__ import annotations

import importlib
import sys
from typing import Any, Callable

from ._errors import WrongUse

_IN_OUR_MEMORY = (1, 3, 11, 13)  # kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged of dlpack.h
_CPU = (1, 0)


def mover(xp: Any, device: str) -> Callable[[Any], Any]:
    """What makes an array of this module on the device, of one of numpy: one copy."""
    package = getattr(xp, "__name__", "").partition(".")[0]
    if package == "numpy":
        raise WrongUse(f"device={device!r} with arrays of numpy; valid: xp='torch', 'cupy', 'jax.numpy', or another "
                       "module with from_dlpack")
    if package == "torch":
        return lambda array: xp.from_dlpack(array).to(device)
    if package == "cupy":  # which is on devices only
        return xp.asarray
    if package == "jax":
        jax = importlib.import_module("jax")
        return lambda array: jax.device_put(array, jax.devices(device)[0])
    return lambda array: xp.asarray(array, device=device)  # of the array API


def is_on_device(result: Any) -> bool:
    """Whether it says that we cannot reach its memory."""
    says = getattr(result, "__dlpack_device__", None)
    return callable(says) and int(says()[0]) not in _IN_OUR_MEMORY


class _Copied:
    """An array on a device as one that is copied when it is asked for."""

    def __init__(self, array: Any):
        self.array = array

    def __dlpack__(self, **_: Any) -> Any:
        return self.array.__dlpack__(dl_device=_CPU)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def from_device(result: Any) -> Any:
    """The copy of it as a numpy array."""
    if hasattr(result, "get"):  # cupy
        return result.get()
    if hasattr(result, "__array__"):  # jax
        return _numpy().asarray(result)
    try:
        return _numpy().from_dlpack(_Copied(result))
    except (BufferError, RuntimeError, TypeError) as why:  # it copies nothing itself
        if "torch" not in sys.modules:
            raise TypeError(f"it returns a {type(result).__name__} on a device, which cannot be copied from there "
                            f"({why})") from why
        return sys.modules["torch"].from_dlpack(result).cpu().numpy()


def from_anywhere(result: Any) -> Any:
    if hasattr(result, "__dlpack__") and not hasattr(result, "__array__"):
        return _numpy().from_dlpack(result)
    return _numpy().asarray(result)


def why_lost() -> str:
    """What a device says that answers no more, because of an error that stays with its process; "" if it answers."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    try:
        if torch is not None and torch.cuda.is_initialized():
            torch.cuda.synchronize()
        if cupy is not None:
            cupy.cuda.runtime.deviceSynchronize()
    except Exception as error:  # pylint: disable=broad-except
        return str(error).strip().splitlines()[0]
    return ""


def _numpy() -> Any:
    return importlib.import_module("numpy")
