# SPDX-License-Identifier: Apache-2.0
"""The example in Triton, by its interpreter, which needs no GPU: `make triton` installs both. And PyTorch's client on a
device that is played."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="no Triton here; `make triton` installs it")
torch = pytest.importorskip("torch")

import convict  # noqa: E402
from convict import _trial  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "triton_conv.py"
WRONG, RIGHT = "channel[:, None] * OC + group * oc + o", "(group * oc + o) * ic + channel[:, None]"
SMALL = "n=1 ic<=4 oc<=4 in<=5 k<=2 s=1 d=1"  # the interpreter takes a fortieth of a second for the smallest


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / "convict"))


def conv2d_of(text, folder):
    """The function of a file with this text, which Triton reads, too."""
    file = folder / "triton_conv.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("triton_conv", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.conv2d


def test_the_example_is_found_wrong_and_where(tmp_path):
    text = FILE.read_text()
    assert len(text.splitlines()) <= 60 and text.count(WRONG) == text.count(RIGHT) == 1
    with pytest.raises(convict.Falsified) as caught:
        convict.trial(conv2d_of(text, tmp_path), cases=40, seed=1, where=SMALL + " bias=no p=0", shrink="3m")
    assert caught.value.verdict == "wrong-exact"
    condition = caught.value.causes[0].fails_if
    assert re.search(r"\bic(/g)? >= 2\b", condition) and re.search(r"\boc >= 2\b", condition), condition


def test_repaired_it_is_right(tmp_path):
    text = FILE.read_text().replace(WRONG, RIGHT, 1)
    convict.trial(conv2d_of(text, tmp_path), cases=60, seed=1, where=SMALL)


CLIENT = """
import sys
sys.argv, sys.path[:0] = ["client.py"], [{folder!r}, {shared!r}]
import client, convict, fused, torch
fused.types = lambda: ("f32",)  # of a processor without vectors of 16-bit types
from convict import _use
problem = _use.plain_problem("conv2d", "f32")
arrays = {{name: convict._arrays.plain(problem, name) for name in problem.dims}}
client.DEVICE = "cuda"  # where tensors are not copied to: that is played
torch.Tensor.to = lambda tensor, device: tensor
torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
lost = []

def synchronize():
    if lost:
        raise RuntimeError(lost[0])

def fails(problem, tensors):
    lost.extend({lost!r})
    raise RuntimeError("CUDA error: an illegal memory access was encountered")

torch.cuda.synchronize = synchronize
offered = client.offered()
print(sorted(offered))
target = client.Target("torch:eager", offered["torch:eager"])
announced = target.announcement()
print(announced["name"], announced["contract"].get("summation"), torch.backends.cudnn.allow_tf32)
print(target.refusal(_use.plain_problem("conv2d", "f16")), target.run(problem, arrays, {{"dst"}})["status"])
object.__setattr__(target.lineage, "compute", fails)
print(target.run(problem, arrays, {{"dst"}}))
"""


def played(lost):
    folder = FILE.parents[2] / "clients"
    text = CLIENT.format(folder=str(folder / "torch"), shared=str(folder / "shared"), lost=lost)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)


def test_pytorch_on_a_device_has_its_own_names_and_promises():
    done = played([])
    said = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert "torch:native" in said[0] and "torch:fused" not in said[0] and "torch:qnnpack" not in said[0]
    assert said[1:3] == ["torch:eager@cuda None False", "None ok"]
    assert "'failed'" in said[3]  # an error that does not stay is the case's


def test_pytorchs_client_ends_with_its_device():
    done = played(["an illegal memory access was encountered"])
    assert done.returncode == 1 and "DeviceLost" in done.stderr.splitlines()[-1], done.stderr
