# SPDX-License-Identifier: Apache-2.0
"""What the program says while it works: kept, and shown. After two seconds it says how far it is, then now and then."""
from __future__ import annotations

import os
import threading
from typing import Optional

_SAVE, _RESTORE, _REST_OF_LINE = b"\x1b7", b"\x1b8", b"\x1b[K"
_LAST_WORD = b"convict: "  # why the program ends, which whoever called it says
_WRAP_OFF, _WRAP_ON = b"\x1b[?7l", b"\x1b[?7h"


class Progress:
    """Reads `descriptor` until its end, in a thread: a call of the function on trial may take long. On a terminal the
    last line stands behind the cursor, where pytest or a shell have left it, and goes away in the end. Elsewhere lines
    are passed on, or with `elsewhere` None they are not. It takes no lock that a fork could copy."""

    def __init__(self, descriptor: int, terminal: int, elsewhere: Optional[int] = None):
        self.descriptor, self.terminal, self.elsewhere = descriptor, terminal, elsewhere
        self.is_terminal = os.isatty(terminal)
        self.said = b""
        self.thread = threading.Thread(target=self._read, name="convict-progress", daemon=True)
        self.thread.start()

    def finish(self) -> str:
        """All that was said."""
        self.thread.join()
        os.close(self.descriptor)
        return self.said.decode(errors="replace")

    def _read(self) -> None:
        shown = 0
        while True:
            data = os.read(self.descriptor, 1 << 16)
            self.said += data
            end = self.said.rfind(b"\n") + 1 if data else len(self.said)
            if end > shown:
                self._show(self.said[shown:end])
                shown = end
            if not data:
                self._show(b"")
                return

    def _show(self, lines: bytes) -> None:
        if self.is_terminal:
            last = b"" if not lines else b"  " + lines.splitlines()[-1]
            os.write(self.terminal, _SAVE + _WRAP_OFF + last + _REST_OF_LINE + _WRAP_ON + _RESTORE)
        elif self.elsewhere is not None:
            shown = [line for line in lines.splitlines(True) if not line.startswith(_LAST_WORD)]
            os.write(self.elsewhere, b"".join(shown))
