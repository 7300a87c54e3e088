# SPDX-License-Identifier: Apache-2.0
"""Functions whose parameters have the usual names."""
import numpy as np
import pytest

import convict
from convict import _trial
from kernels import both, conv, conv_transpose
from thorough import thorough

np.seterr(all="ignore")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path))


def pairs(number):
    return (number, number) if np.isscalar(number) else tuple(number)


def my_conv2d(x, w, stride=1, pad=0):
    return conv(x, w, None, pairs(stride), both(pairs(pad)), (1, 1), 1)


def conv_transpose2d(x, w, *, strides, output_padding=(0, 0), b=None, group=1):
    return conv_transpose(x, w, b, strides, both((0, 0)), output_padding, group, (1, 1))


def test_what_it_has_is_passed_by_name():
    seen = []

    def conv2d(x, w, stride=1, pad=0):
        seen.append((stride, pad))
        return my_conv2d(x, w, stride, pad)

    convict.trial(conv2d, cases=60, seed=1)
    assert any(isinstance(stride, int) and stride > 1 for stride, _ in seen)
    assert any(isinstance(stride, tuple) for stride, _ in seen) and any(pad != 0 for _, pad in seen)


@pytest.mark.parametrize("like", [None, "torch.conv_transpose2d", "torch.nn.functional.conv_transpose2d"])
def test_transposed(like):
    convict.trial(conv_transpose2d, like=like, cases=60, seed=1)


@pytest.mark.parametrize("where, lacks", [
    ("d=2 g=1 bias=0", "dilation"), pytest.param("g=2 d=1 bias=0", "groups", marks=thorough),
    pytest.param("bias=1 g=1 d=1", "bias", marks=thorough)])
def test_what_it_lacks_is_refused_for_it(where, lacks):
    with pytest.raises(convict.Refused, match=f"no parameter for {lacks}"):
        convict.trial(my_conv2d, cases=20, seed=1, where=where)


def test_a_fault_is_found():
    def conv2d(x, w, stride=(1, 1), padding=0):
        y = my_conv2d(x, w, stride, padding)
        if stride[0] == 3:
            y[:, :, -1] = 0
        return y

    with pytest.raises(convict.Falsified, match=r"@convict.example\(\"conv2d .*s=3"):
        convict.trial(conv2d, cases=60, seed=1, shrink="1s", where="s[0]=3")


def more_is_needed2d(x, w, stride, mystery):
    return x + w + stride + mystery


def test_what_cannot_be_passed_is_wrong_use():
    with pytest.raises(convict.WrongUse, match=r"valid without like=: f\(problem, tensors\)"):
        convict.trial(more_is_needed2d, cases=5)


def test_a_name_may_go_on_behind_the_operation():
    def conv2d_fast(x, w, stride=1, pad=0):
        return my_conv2d(x, w, stride, pad)

    convict.trial(conv2d_fast, cases=30, seed=1)


def fast(x, w, stride=1, pad=0):
    return my_conv2d(x, w, stride, pad)


def conv2d_backward_data(x, w, stride=1, pad=0):
    return my_conv2d(x, w, stride, pad)


@pytest.mark.parametrize("function", [fast, conv2d_backward_data])
def test_a_name_that_says_no_operation_is_wrong_use(function):
    with pytest.raises(convict.WrongUse, match="takes stride, and its name does not say which convolution it is; valid: like="):
        convict.trial(function, cases=5)


def test_a_plain_function_stays_one():
    def conv2d(problem, tensors, verbose=False):
        assert not verbose
        pads = list(zip(problem.pad_begin, problem.pad_end))
        tensors["dst"][...] = conv(tensors["src"], tensors["wei"], tensors.get("bias"), problem.stride, pads,
                                   problem.dilation, problem.groups)

    convict.trial(conv2d, cases=30, seed=1, where="conv2d.forward")
