# SPDX-License-Identifier: Apache-2.0
"""Programs that a client calls: what they print, what they report, and what happens where they die."""
import signal
import subprocess
import sys

import pytest

import convict


def test_the_output_of_a_program():
    assert convict.run_tool(["cat"], input=b"text") == b"text"


@pytest.mark.parametrize("printed, told", [("note: x\na.c:1: error: no y\nerror: no z", "sh: no y"), ("no y", "sh: no y")])
def test_a_program_that_fails_tells_its_first_error(printed, told):
    with pytest.raises(convict.ToolFailed) as caught:
        convict.run_tool(["/bin/sh", "-c", 'printf "$1" >&2; exit 3', "sh", printed])
    assert str(caught.value) == told


def test_who_calls_a_program_that_dies_dies_of_the_same_signal():
    called = "import convict; convict.run_tool(['sh', '-c', 'echo last words >&2; kill -SEGV $$'])"
    done = subprocess.run([sys.executable, "-c", called], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGSEGV
    assert "last words\nsh died of signal 11\n" in done.stderr
