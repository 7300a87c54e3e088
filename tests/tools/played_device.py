#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client that plays a GPU, whose memory is that of the host: for `tools/gpu_trial.sh --dry-run`. fake:engine-0 is right,
fake:engine-1 leaves out the last column if there is a stride, and fake:engine-2 loses the device once: then all it is
asked fails, until a new process begins. The file that PLAYED_DEVICE_LOST names says that it was lost."""
import os
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/python")]
import convict  # noqa: E402
from convict import _target  # noqa: E402
from kernels import torch_like_conv, torch_like_conv_transpose  # noqa: E402

MARK = pathlib.Path(os.environ.get("PLAYED_DEVICE_LOST", "played_device_lost"))
lost = []  # why, once it is
_target.why_lost = lambda: "".join(lost)


class OnDevice:
    """An array in the memory of the device, which is copied when the host asks for it."""

    def __init__(self, array):
        self.data = array

    def __dlpack__(self, dl_device=None, **_):
        if dl_device != (1, 0):
            raise BufferError("on a device")
        return self.data.copy().__dlpack__()

    def __dlpack_device__(self):
        return (2, 0)


def on_device(function):
    def called(x, w, b, *rest):
        if lost:
            raise RuntimeError(lost[0])
        return OnDevice(function(x.data, w.data, None if b is None else b.data, *rest))
    return called


def without_the_last_column(x, w, b, stride, *rest):
    result = torch_like_conv(x, w, b, stride, *rest)
    if stride[-1] > 1:
        result[..., -1] = 0
    return result


def loses_the_device_once(x, w, b, stride, padding, output_padding, groups, dilation):
    if dilation[-1] > 1 and not MARK.exists():
        MARK.touch()
        lost.append("an illegal memory access was encountered")
        raise RuntimeError(lost[0])
    return torch_like_conv_transpose(x, w, b, stride, padding, output_padding, groups, dilation)


MEMORY = types.SimpleNamespace(from_dlpack=None, asarray=lambda array, device: OnDevice(array.copy()))
ENGINES = [(torch_like_conv, "torch.conv2d"), (without_the_last_column, "torch.conv2d"),
           (loses_the_device_once, "torch.conv_transpose2d")]

if __name__ == "__main__":
    convict.serve([convict.Target(on_device(function), like, name=f"fake:engine-{place}", xp=MEMORY, device="cuda")
                   for place, (function, like) in enumerate(ENGINES)], "1.0")
