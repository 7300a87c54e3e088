# SPDX-License-Identifier: Apache-2.0
"""Programs that a client calls, such as compilers."""
from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import Any, Sequence


class ToolFailed(Exception):
    """A program reported an error; the text is the first one that it printed."""


def run_tool(command: Sequence[str], **options: Any) -> bytes:
    """What a program prints on its stdout; options are those of `subprocess.run`. A client whose program dies, dies of
    the same signal: that is a crash, and the end of what the program said goes into its certificate."""
    done = subprocess.run(command, capture_output=True, check=False, **options)
    name, text = os.path.basename(command[0]), done.stderr.decode(errors="replace")
    if done.returncode < 0:
        sys.stderr.write(f"{text[-3000:]}{name} died of signal {-done.returncode}\n")
        sys.stderr.flush()
        signal.signal(-done.returncode, signal.SIG_DFL)
        signal.raise_signal(-done.returncode)
    if done.returncode > 0:
        found = re.search(r"error: (.*)", text)
        raise ToolFailed(f"{name}: {found.group(1) if found else text.strip()[:200]}"[:300])
    return done.stdout
