# SPDX-License-Identifier: Apache-2.0
"""Functions as text, and the module that IREE's compiler makes of them."""
import contextlib
import os
import tempfile

import iree.runtime
from iree.compiler.api import Output, Session, Source

MOST = 1 << 22  # multiply-adds of a problem


def text(name, parameters, result, lines, attributes=""):
    head = ", ".join(f"%a{i}: {one}" for i, one in enumerate(parameters))
    return f"func.func @{name}({head}) -> {result}{attributes} {{\n  " + "\n  ".join(lines) + "\n}"


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
