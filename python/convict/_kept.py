# SPDX-License-Identifier: Apache-2.0
"""Falsifying cases between runs: a file for each function, FOLDER/FILE/NAME.cases, with a case a line."""
from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any, Iterable


def place_of(function: Any) -> tuple[str, str]:
    """The file where a function is, or the module if it has none; and its qualified name. What wraps a function, as
    torch.compile does, is another one."""
    inner = inspect.unwrap(function)
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    try:
        file = inspect.getfile(named)
    except TypeError:
        file = str(getattr(named, "__module__", None) or type(getattr(named, "__self__", named)).__module__)
    name = named.__qualname__
    if inner is not function:
        name += "@" + (getattr(function, "__globals__", None) or {"__name__": type(function).__module__})["__name__"]
    return file, name


class KeptCases:
    """`place` is that of place_of()."""

    def __init__(self, folder: str, place: tuple[str, str]):
        self.folder = Path(folder)
        file, name = place
        root = os.path.abspath(self.folder.parent)
        if os.path.isabs(file):
            inside = os.path.relpath(file, root)
            file = file.lstrip("/") if inside.startswith("..") else inside
        self.path = self.folder / file / (name.replace("/", "_") + ".cases")

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []

    def add(self, lines: Iterable[str]) -> None:
        """The newest come first."""
        self._write([*lines, *self.lines()])

    def remove(self, lines: Iterable[str]) -> None:
        gone = set(lines)
        if gone:
            self._write([one for one in self.lines() if one not in gone])

    def _write(self, lines: list[str]) -> None:
        if lines:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / ".gitignore").write_text("*\n")
            self.path.write_text("".join(line + "\n" for line in dict.fromkeys(lines)))
        elif self.path.exists():
            self.path.unlink()
