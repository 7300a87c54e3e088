# SPDX-License-Identifier: Apache-2.0
"""`convict.serve`: a process that is copied where that is safe."""
import os
import shlex
import subprocess
import sys

import pytest

CASE = "conv2d in=5 k=3 d=2 p=2"
FUNCTION = """
def mine(x, w, b, stride, padding, dilation, groups):
    y = torch_like_conv(x, w, b, stride, padding, dilation, groups)
    if dilation[0] > 1:
        y.flat[0] += 1
    return y
"""
NOTE = "import os\nopen('starts.txt', 'a').write('x')\nfrom kernels import torch_like_conv\n"
THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True, name='ticks').start()\n"


def starts_for(folder, text, serve="-m convict serve mine.py:mine --like torch.conv2d"):
    """How often `convict repro` starts a client."""
    (folder / "mine.py").write_text(text)
    result = subprocess.run([os.environ["CONVICT"], "repro", "--oracle=none", CASE, "--command",
                             f"{shlex.quote(sys.executable)} {serve}"], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "wrong-exact" in result.stdout
    return len((folder / "starts.txt").read_text())


def test_a_file_is_imported_once(tmp_path):
    assert starts_for(tmp_path, NOTE + FUNCTION) == 1


def test_a_process_with_threads_is_not_copied(tmp_path):
    assert starts_for(tmp_path, NOTE + THREAD + FUNCTION) == 2


@pytest.mark.parametrize("forks, starts", [("None", 1), ("True", 1), ("False", 2)])
def test_who_serves_decides(tmp_path, forks, starts):
    end = f"import convict\nconvict.serve([convict.target(like='torch.conv2d')(mine)], forks={forks})\n"
    assert starts_for(tmp_path, NOTE + FUNCTION + end, serve="mine.py") == starts


def said(text):
    """What a client says that is not asked anything."""
    return subprocess.run([sys.executable, "-c", text], stdin=subprocess.DEVNULL, capture_output=True, text=True).stderr


def test_why_it_is_not_copied_is_said_only_if_asked_for():
    assert "'ticks'" in said(THREAD + "import convict\nconvict.serve([], forks=True)")
    assert said(THREAD + "import convict\nconvict.serve([])") == ""
    assert said("import convict\nconvict.serve([], forks=True)") == ""
