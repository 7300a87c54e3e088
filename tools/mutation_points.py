# SPDX-License-Identifier: Apache-2.0
"""Where code can be changed by one operator, and what it becomes: for tools/mutation.py. Parsed by libclang.

The operators are those of Offutt et al., "An experimental determination of sufficient mutant operators", TOSEM 5(2),
1996, without those of absolute values, and with the removal of a statement.
"""
import dataclasses
import os
import pathlib
import random

from clang import cindex

OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}
FLAGS = ["-std=c++20", "-Isrc", "-I.", '-DCONVICT_VERSION="0"', "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx",
         "-DSQLITE_ENABLE_COLUMN_METADATA", "-DFMT_SHARED"]
KIND = cindex.CursorKind


@dataclasses.dataclass
class Point:
    """A place in a file: bytes begin to end become `text`, in which @ stands for the question whether it is changed."""
    file: str
    line: int
    begin: int
    end: int
    text: str
    change: str


class Reader:
    """All points of the functions of one file."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.source = file.read()
        self.points = []
        unit = cindex.Index.create().parse(path, args=FLAGS)
        for cursor in unit.cursor.get_children():
            if cursor.location.file and cursor.location.file.name == path:
                self.walk(cursor, None, False)

    def walk(self, cursor, parent, in_body):
        if in_body and self.is_plain(cursor):
            self.expression(cursor, parent)
        in_body = in_body or cursor.kind == KIND.COMPOUND_STMT
        is_constant = cursor.kind == KIND.VAR_DECL and b"constexpr" in self.slice(cursor)[:40]
        if is_constant or cursor.kind == KIND.STATIC_ASSERT:
            return
        for child in cursor.get_children():
            self.walk(child, cursor, in_body)

    def slice(self, cursor):
        return self.source[cursor.extent.start.offset:cursor.extent.end.offset]

    def is_plain(self, cursor):
        """Not from a macro, and not what is checked by one."""
        line = self.source[self.source.rfind(b"\n", 0, cursor.extent.start.offset) + 1:cursor.extent.end.offset]
        return (cursor.extent.start.file and cursor.extent.start.file.name == self.path and b"assert(" not in line
                and cursor.extent.end.offset > cursor.extent.start.offset)

    def add(self, cursor, text, change):
        begin, end = cursor.extent.start, cursor.extent.end
        self.points.append(Point(self.path, begin.line, begin.offset, end.offset, text, change))

    def expression(self, cursor, parent):
        text = self.slice(cursor).decode(errors="replace")
        children = list(cursor.get_children())
        if cursor.kind == KIND.BINARY_OPERATOR and len(children) == 2:
            left, right = map(lambda child: self.slice(child).decode(errors="replace"), children)
            operator = self.source[children[0].extent.end.offset:children[1].extent.start.offset].decode().strip()
            if operator in OTHER and text.startswith(left) and text.endswith(right):
                other = OTHER[operator]
                self.add(cursor, f"(@ ? ({left} {other} {right}) : ({text}))", f"{operator} -> {other}")
        if cursor.kind == KIND.UNARY_OPERATOR and text.startswith("!"):
            self.add(cursor, f"(@ != static_cast<bool>({text}))", "! ->")
        if cursor.kind == KIND.INTEGER_LITERAL and self.is_number(cursor):
            self.add(cursor, f"(@ ? {text} + 1 : {text})", f"{text} -> {text} + 1")
        if cursor.kind == KIND.IF_STMT and children and not text.startswith("if constexpr"):
            condition = children[0]
            if condition.kind not in (KIND.VAR_DECL, KIND.DECL_STMT) and self.is_plain(condition):
                said = self.slice(condition).decode(errors="replace")
                if text.startswith(f"if ({said})"):
                    self.add(condition, f"(@ != static_cast<bool>({said}))", "if (c) -> if (!c)")
        if parent and parent.kind == KIND.COMPOUND_STMT and cursor.kind in (
                KIND.CALL_EXPR, KIND.COMPOUND_ASSIGNMENT_OPERATOR, KIND.BINARY_OPERATOR) and text:
            self.add(cursor, f"if (!@) {text}", "statement ->")

    def is_number(self, cursor):
        before = self.source[:cursor.extent.start.offset].rstrip()[-1:]
        after = self.source[cursor.extent.end.offset:].lstrip()[:1]
        return before not in b"<[" and after not in b">]" and not self.slice(cursor).startswith(b"0x")


def files_of(folder):
    return sorted(map(str, pathlib.Path(folder).rglob("*.cpp")))


def choose(count, seed, progress):
    """`count` points of src/ in the current folder: a file by its size, a point of it, no two on one line."""
    drawn = random.Random(seed)
    files = files_of("src")
    sizes = [os.path.getsize(file) for file in files]
    readers, chosen, lines = {}, [], set()
    while len(chosen) < count:
        file = drawn.choices(files, sizes)[0]
        if file not in readers:
            readers[file] = Reader(file)
        points = [point for point in readers[file].points if (file, point.line) not in lines]
        if points:
            point = drawn.choice(points)
            clash = any(other.file == file and other.begin < point.end and point.begin < other.end for other in chosen)
            if not clash:
                lines.add((file, point.line))
                chosen.append(point)
                progress(len(chosen))
    return chosen
