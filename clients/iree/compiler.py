# SPDX-License-Identifier: Apache-2.0
"""Functions as text, and the module that IREE's compiler makes of them."""
import contextlib
import itertools
import os
import re
import tempfile

import iree.runtime
from iree.compiler.api import Output, Session, Source

MOST = 1 << 22  # multiply-adds of a problem
MOST_KEPT = 512  # functions


def text(parameters, result, lines, attributes=""):
    """A function NAME."""
    head = ", ".join(f"%a{i}: {one}" for i, one in enumerate(parameters))
    return f"func.func @NAME({head}) -> {result}{attributes} {{\n  " + "\n  ".join(lines) + "\n}"


class Functions:
    """Compiled ones by their text. Problems that differ in their data alone share one: a compilation takes 0.1 to 0.5 s,
    and a fifth to a half of what convict asks is such."""

    def __init__(self, flags):
        self.flags, self.kept = flags, {}

    def of(self, texts):
        """For each text its function, or the error of its compilation."""
        if len(self.kept) > MOST_KEPT:
            self.kept.clear()
        self.compile([one for one in dict.fromkeys(texts) if one not in self.kept])
        return [self.kept[one] for one in texts]

    def compile(self, texts):
        """As one module; where that cannot be compiled, without the function that the error is in, or each half."""
        if not texts:
            return
        try:
            module = compiled("\n".join(one.replace("NAME", f"f{i}", 1) for i, one in enumerate(texts)), self.flags)
            self.kept.update((one, getattr(module, f"f{i}")) for i, one in enumerate(texts))
        except ValueError as error:
            at, half = place(error, texts), len(texts) // 2
            if at is None:
                self.compile(texts[:half])
                self.compile(texts[half:])
            else:
                self.kept[texts[at]] = error
                self.compile(texts[:at] + texts[at + 1:])


def place(error, texts):
    """Which of them the first error is in. None if it has no line."""
    if len(texts) == 1:
        return 0
    line = re.search(r"source\.mlir:(\d+):\d+: error", str(error))
    ends = itertools.accumulate(one.count("\n") + 1 for one in texts)
    return next((i for i, end in enumerate(ends) if int(line[1]) <= end), None) if line else None


def compiled(text, flags):
    """A module that can be called."""
    session = Session()
    session.set_flags(*flags)
    invocation = session.invocation()
    invocation.enable_console_diagnostics()
    source, output = Source.wrap_buffer(session, text.encode() + b"\0"), Output.open_membuffer()
    with messages() as said:
        done = invocation.parse_source(source) and invocation.execute()
        if not done:
            said.seek(0)
            raise ValueError(" ".join(said.read().split())[:300])
    invocation.output_vm_bytecode(output)
    code = bytes(output.map_memory())
    invocation.close()
    return iree.runtime.load_vm_flatbuffer(code, driver="local-sync")


@contextlib.contextmanager
def messages():
    """A file that gets what the compiler writes on stderr."""
    kept = os.dup(2)
    with tempfile.TemporaryFile("w+", errors="replace") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            os.dup2(kept, 2)
            os.close(kept)
