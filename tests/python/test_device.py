# SPDX-License-Identifier: Apache-2.0
"""Arrays by DLPack: of libraries that numpy does not know, and on a device that is made up, and counts its copies."""
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import convict
from convict import _trial
from kernels import torch_like_conv

SMALL = "k<=3"  # what names more takes seconds to look for


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / "convict"))
    monkeypatch.chdir(tmp_path)


class Foreign:
    """An array that has DLPack, and nothing else."""

    def __init__(self, array):
        self.data = array

    def __dlpack__(self, **_):
        return self.data.__dlpack__()

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


class Device:
    """A library whose arrays are on a device: memory that is played by that of the host."""

    def __init__(self):
        self.there, self.back = 0, 0
        device = self

        class OnDevice(Foreign):
            def __dlpack__(self, stream=None, dl_device=None, **_):
                if dl_device != (1, 0):
                    raise BufferError("on a device")
                device.back += 1
                return self.data.copy().__dlpack__()

            def __dlpack_device__(self):
                return (2, 0)

        self.array = OnDevice
        self.module = types.SimpleNamespace(from_dlpack=None, asarray=self.to_device)

    def to_device(self, array, device):
        assert device == "cuda"
        self.there += 1
        return self.array(array.copy())

    def conv(self, x, w, b, *rest):
        bias = None if b is None else b.data
        return self.array(torch_like_conv(x.data, w.data, bias, *rest))


@pytest.fixture
def device():
    return Device()


def test_an_array_that_only_has_dlpack_is_a_result():
    convict.trial(lambda *words: Foreign(torch_like_conv(*words)), like="torch.conv2d", cases=15, seed=1, where=SMALL)
    with pytest.raises(convict.Falsified):
        convict.trial(lambda *words: Foreign(torch_like_conv(*words) + 1), like="torch.conv2d", cases=5, seed=1,
                      where=SMALL, shrink="none")


def test_a_library_that_takes_no_views_gets_copies():
    given = []

    def from_dlpack(array):
        if not array.flags.c_contiguous:
            raise RuntimeError("only compact striding is supported")
        given.append(array)
        return array

    convict.trial(torch_like_conv, like="torch.conv2d", xp=types.SimpleNamespace(from_dlpack=from_dlpack), cases=40,
                  seed=1, where=SMALL)
    assert given


def test_operands_are_copied_to_the_device_once_and_the_result_back_once(device):
    calls = []

    def counted(*words):
        calls.append(2 + (words[2] is not None))
        return device.conv(*words)

    convict.trial(counted, like="torch.conv2d", xp=device.module, device="cuda", cases=15, seed=1, where=SMALL)
    assert len(calls) > 15 and device.there == sum(calls) + 1  # and once to see whether there is such a device
    assert len(calls) >= device.back >= 15  # what is only asked about comes not back


def test_what_is_written_on_the_device_is_copied_back(device):
    def mine(problem, tensors):
        if problem.name != "conv2d" or problem.pass_ != "forward" or "bias" in tensors:
            raise convict.Refused("other operations")
        if problem.pad_begin != problem.pad_end:
            raise convict.Refused("padding differs")
        tensors["dst"].data[...] = torch_like_conv(
            tensors["src"].data, tensors["wei"].data, None, problem.stride, problem.pad_begin, problem.dilation,
            problem.groups)

    where = "conv2d.forward bias=no"
    convict.trial(mine, xp=device.module, device="cuda", cases=8, seed=1, where=where)
    with pytest.raises(convict.Falsified):
        convict.trial(lambda problem, tensors: (mine(problem, tensors), tensors["dst"].data.fill(3)) and None,
                      xp=device.module, device="cuda", cases=8, seed=1, where=where, shrink="none")


def test_a_result_that_its_library_does_not_copy_says_so(device):
    class Stubborn(Foreign):
        def __dlpack__(self, **_):
            raise BufferError("no way back")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises((convict.WrongUse, convict.Falsified), match="on a device, which cannot be copied"):
        convict.trial(lambda x, *_: Stubborn(x), like="torch.conv2d", cases=5, seed=1, where=SMALL, shrink="none")


def test_numpy_has_no_device():
    with pytest.raises(convict.WrongUse, match="xp='torch', 'cupy'"):
        convict.trial(torch_like_conv, like="torch.conv2d", device="cuda")


def test_a_device_that_is_not_there_is_wrong_use(device):
    def missing(array, device):
        raise RuntimeError("no such device")

    device.module.asarray = missing
    with pytest.raises(convict.WrongUse, match="device='cuda': no such device"):
        convict.trial(device.conv, like="torch.conv2d", xp=device.module, device="cuda")


def lost_for(monkeypatch, device, isolate):
    """A device that answers no more after one kind of case, as CUDA after an illegal access."""
    state = {"lost": ""}
    monkeypatch.setattr("convict._target.why_lost", lambda: state["lost"])

    def mine(x, w, b, stride, padding, dilation, groups):
        if state["lost"] or dilation[0] == 2:
            state["lost"] = "an illegal memory access was encountered"
            raise RuntimeError(state["lost"])
        return device.conv(x, w, b, stride, padding, dilation, groups)

    convict.trial(mine, like="torch.conv2d", xp=device.module, device="cuda", cases=40, seed=1, where=SMALL,
                  shrink="2s", isolate=isolate)


def test_a_lost_device_ends_a_trial_in_this_process(monkeypatch, device):
    with pytest.raises(convict.DeviceLost, match="illegal memory access"):
        lost_for(monkeypatch, device, isolate=False)


def test_isolated_a_lost_device_costs_its_case(monkeypatch, device):
    with pytest.raises(convict.Falsified) as caught:
        lost_for(monkeypatch, device, isolate=True)
    assert [one.verdict for one in caught.value.causes] == ["crash"]  # and no refusals of all that came after it
    assert "d=2" in caught.value.case


def test_from_a_shell(tmp_path):
    (tmp_path / "mine.py").write_text("import convict\n\n\n@convict.target(like='torch.conv2d')\n"
                                      "def mine(x, w, b, stride, padding, dilation, groups):\n    return x\n")
    said = subprocess.run([sys.executable, "-m", "convict", "fuzz", "mine.py:mine", "--device", "cuda"], cwd=tmp_path,
                          env=os.environ, capture_output=True, text=True)
    assert said.returncode == 2 and "device= is given for mine" in said.stderr


def test_a_client_does_not_start_without_its_device(tmp_path):
    (tmp_path / "mine.py").write_text("import types\n\nimport convict\n\n\ndef asarray(array, device):\n"
                                      "    raise RuntimeError(f'no {device} here')\n\n\n"
                                      "@convict.target(like='torch.conv2d', device='cuda',\n"
                                      "                xp=types.SimpleNamespace(from_dlpack=None, asarray=asarray))\n"
                                      "def mine(x, w, b, stride, padding, dilation, groups):\n    return x\n")
    said = subprocess.run([sys.executable, "-m", "convict", "serve", "mine.py:mine"], cwd=tmp_path, env=os.environ,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert said.returncode == 2 and said.stderr == "convict: device='cuda': no cuda here\n"
