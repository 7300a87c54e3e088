# SPDX-License-Identifier: Apache-2.0
"""Notes what a function does beside computing, while the probes of a grade run: a line of JSON a call."""
from __future__ import annotations

import hashlib
import json
import sys
from typing import Any, Iterable

from . import _arrays

_FRAME_EVENTS = ("sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers")


class _Hook:
    """Hooks of this kind cannot be removed, so there is one, for whoever observes at the time."""

    installed = False
    observer: Any = None
    busy = False

    @classmethod
    def hear(cls, event: str, _: Any) -> None:
        if event not in _FRAME_EVENTS or cls.observer is None or cls.busy:
            return
        cls.busy = True
        try:
            frame = sys._getframe(1)
            while frame is not None and frame.f_globals.get("__name__") in ("inspect", "traceback"):
                frame = frame.f_back
            if frame is not None and frame.f_code.co_filename == cls.observer.source:
                cls.observer.frames = True
        finally:
            cls.busy = False


class Observer:
    """`source` is the file of the function; notes go to the file `notes`, which processes share."""

    def __init__(self, source: str, notes: str):
        self.source, self.notes = source, notes
        self.inputs: dict[str, Any] = {}
        self.before = ""
        self.frames = False
        if not _Hook.installed:
            sys.addaudithook(_Hook.hear)
            _Hook.installed = True

    def begin(self, inputs: dict[str, Any]) -> None:
        self.inputs, self.before, self.frames = inputs, _digest(inputs.values()), False
        _Hook.observer = self

    def end(self, outputs: Iterable[Any]) -> None:
        _Hook.observer = None
        results = list(outputs)
        note = {
            "inputs": self.before,
            "changed": self.before != _digest(self.inputs.values()),
            "result": _digest(results),
            "constant": all(array.size < 2 or bool((array == array.flat[0]).all()) for array in results),
            "frames": self.frames,
        }
        with open(self.notes, "a") as file:
            file.write(json.dumps(note) + "\n")


def _digest(arrays: Iterable[Any]) -> str:
    numpy = _arrays.numpy_module()
    sum_ = hashlib.blake2b(digest_size=16)
    for one in arrays:
        sum_.update(repr(one.shape).encode() + numpy.ascontiguousarray(one).tobytes())
    return sum_.hexdigest()
