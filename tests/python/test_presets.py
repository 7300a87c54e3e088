# SPDX-License-Identifier: Apache-2.0
"""Every signature, with a function that is right."""
import numpy as np
import pytest

import convict
from convict import _trial
from kernels import both, conv, conv_transpose

np.seterr(all="ignore")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path))


class Module:
    """As torch.nn.ConvNd, in numpy."""

    def __init__(self, ic, oc, kernel, stride, padding, dilation, groups, bias, output_padding=None):
        self.rest, self.output_padding = (stride, both(padding)), output_padding
        self.dilation, self.groups = dilation, groups
        self.weight, self.bias = _Parameter(), _Parameter()

    def __call__(self, x):
        if self.output_padding is None:
            return conv(x, self.weight.data, self.bias.data, *self.rest, self.dilation, self.groups)
        return conv_transpose(x, self.weight.data, self.bias.data, *self.rest, self.output_padding, self.groups,
                              self.dilation)


class _Parameter:
    data = None


def jax_like(x, w, strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count):
    assert set(lhs_dilation) == {1} and dimension_numbers[0].startswith("NC")
    return conv(x, w, None, strides, padding, rhs_dilation, feature_group_count)


def tf_like(x, w, strides, padding, dilations):
    y = conv(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), None, strides, padding[1:-1], dilations, 1)
    return y.transpose(0, 2, 3, 1)


class Tensor:
    """As one of TensorFlow, which numpy understands, and which has no `transpose`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        return self.array


def tf_like_tensors(*words):
    return Tensor(tf_like(*words))


def tosa_like(x, w, b, pad, stride, dilation):
    last = x.ndim - 1
    first = (0, last, *range(1, last))
    y = conv(x.transpose(first), w.transpose(first), b, stride, list(zip(pad[::2], pad[1::2])), dilation, 1)
    return y.transpose(0, *range(2, x.ndim), 1)


def onnx_like(x, w, b, strides, pads, dilations, group):
    rank = x.ndim - 2
    return conv(x, w, b, strides, list(zip(pads[:rank], pads[rank:])), dilations, group)


@pytest.mark.parametrize("like, function", [
    ("torch.nn.Conv2d", Module), ("torch.nn.ConvTranspose2d", Module), ("jax.lax.conv_general_dilated", jax_like),
    ("tf.nn.conv2d", tf_like), ("tf.nn.conv2d", tf_like_tensors),
    ("tosa.conv2d", tosa_like), ("tosa.conv3d", tosa_like), ("onnx.Conv", onnx_like)])
def test_a_function_that_is_right(like, function):
    convict.trial(function, like=like, cases=60, seed=1)


def test_every_preset_says_its_signature():
    assert all(text.startswith("f(") for text in convict.presets().values())


@pytest.mark.parametrize("like", ["torch.conv2d", "torch.conv_transpose1d"])
def test_pytorch_itself(like):
    torch = pytest.importorskip("torch")
    convict.trial(getattr(torch, like[6:]), like=like, xp="torch", cases=40, seed=1, where="fill=int n>=1 ic>=1 oc>=1 in>=1")
