# SPDX-License-Identifier: Apache-2.0
"""The client's side of the protocol of process targets (docs/process-targets.md), for functions in Python."""
from __future__ import annotations

import contextlib
import json
import mmap
import os
import sys
from typing import Any, Optional

from . import _arrays, _forks
from ._errors import ProgramMissing
from ._problem import Problem
from ._target import Call, Target


class Connection:
    """Answers the questions of one connection. Operands lie in the file behind `descriptor`."""

    def __init__(self, targets: list[Any], descriptor: int, version: Optional[str] = None, forks: bool = False):
        self.targets = {target.name: target for target in targets}
        self.descriptor = descriptor
        self.forks = forks
        ours = [target.version() for target in targets if isinstance(target, Target)]
        self.version = version or (ours or [sys.version.split()[0]])[0]
        self.file: Optional[mmap.mmap] = None

    def answer(self, line: bytes) -> bytes:
        question = json.loads(line)
        answer = {"id": question["id"], **self._answer(question)}
        return json.dumps(answer).encode() + b"\n"

    def _answer(self, question: dict) -> dict:
        if "hello" in question:
            announced = [target.announcement() for target in self.targets.values()]
            hello = {"protocol": 1, "version": self.version, "implementations": announced}
            return {"hello": {**hello, "forks": True} if self.forks else hello}
        if "fork" in question:
            return {"fork": self.forks}
        target = self.targets[question["implementation"]]
        if "ask" in question:
            return {"ask": [target.refusal(Problem.of(one)) for one in question["ask"]]}
        file = self._mapped(question["file_bytes"])
        return {"run": target.run_all([self._call(one, file) for one in question["run"]])}

    def _mapped(self, size: int) -> mmap.mmap:
        if self.file is None or len(self.file) < size:  # arrays that a function has kept hold the smaller one
            self.file = mmap.mmap(self.descriptor, size)
        return self.file

    @staticmethod
    def _call(message: dict, file: Any) -> Call:
        tensors = message["tensors"]
        arrays = {name: _arrays.array_of(file, tensor) for name, tensor in tensors.items()}
        return Problem.of(message), arrays, {name for name, one in tensors.items() if one["output"]}


def serve(targets: list[Any], version: Optional[str] = None, forks: Optional[bool] = None) -> None:
    """Answers on stdin and stdout until stdin ends. What is printed meanwhile goes to stderr. Targets are those of
    `convict.target`, or objects that have `name`, `announcement`, `refusal` and `run_all` as they do; the version is
    that of what is on trial, for reports [that of Python].

    `forks`: whether other clients may be copies of this process, as it is now, so that what it has imported is imported
    once [if it can be copied]. With True, it says on stderr why it cannot be copied. Nothing of a device must have been
    initialized."""
    with contextlib.suppress(ProgramMissing):  # which is told when operands come
        _arrays.numpy_module()  # now, and not in each copy
    why_not = "it was told not to" if forks is False else _forks.why_not()
    if forks and why_not:
        print(f"convict: this process is not copied: {why_not}", file=sys.stderr, flush=True)
    requests = _answer_all(targets, version, not why_not)
    while requests is not None:
        _forks.wait(requests)
        requests = _answer_all(targets, version, False)  # a copy is not copied


def _answer_all(targets: list[Any], version: Optional[str], forks: bool) -> Optional[int]:
    """Returns the socket where requests for copies come, once that is asked for."""
    connection = None
    with os.fdopen(os.dup(0), "rb") as questions, os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        for line in questions:
            connection = connection or Connection(targets, json.loads(line)["hello"]["file"], version, forks)
            answers.write(connection.answer(line))
            answers.flush()
            question = json.loads(line) if forks and b'"fork"' in line else {}
            if "fork" in question:
                return question["fork"]["socket"]
    return None
