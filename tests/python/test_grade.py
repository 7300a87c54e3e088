# SPDX-License-Identifier: Apache-2.0
"""Each known trick has a cheat that is caught, and honest kernels are not."""
import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

import convict
from kernels import torch_like_conv, torch_like_conv_transpose

np.seterr(all="ignore")


SOON = "200ms"  # to simplify a case in, where a test looks at something else


def graded(function, like="torch.conv2d", **options):
    return convict.grade(function, like, **{"cases": 60, "shrink": SOON, **options})


def tricks(verdict):
    return {one["name"] for one in verdict["tricks"]}


@pytest.mark.parametrize("function, like", [(torch_like_conv, "torch.conv2d"),
                                            (torch_like_conv_transpose, "torch.conv_transpose2d")])
def test_an_honest_kernel_is_acquitted(function, like):
    verdict = graded(function, like)
    assert verdict["verdict"] == "right"
    assert verdict["right"] == 1.0 and verdict["cases"] > 50 and verdict["falsifying"] is None
    assert verdict["worst_error"] is None or verdict["worst_error"] <= 1
    assert verdict["tricks"] == []


def zeros(*words):
    return torch_like_conv(*words) * 0


def a_constant(*words):
    return np.full_like(torch_like_conv(*words), 0.5)


kept = {}


def earlier(x, w, *rest):
    return kept.setdefault((x.shape, w.shape, str(rest[1:])), torch_like_conv(x, w, *rest))


def changes(x, *rest):
    result = torch_like_conv(x, *rest)
    x[...] = 0
    return result


def looks(*words):
    for one in inspect.stack():  # in vain, but it has looked
        if "expected" in one.frame.f_locals:
            return one.frame.f_locals["expected"]
    return torch_like_conv(*words)


def one_shape(x, w, *rest):
    result = torch_like_conv(x, w, *rest)
    return result if x.shape == (2, 4, 7, 7) and w.shape == (4, 4, 3, 3) else result * 0.5 + 1


@pytest.mark.parametrize("cheat, name", [(zeros, "constant result"), (a_constant, "constant result"),
                                         (earlier, "earlier result"), (changes, "inputs changed"),
                                         (looks, "looks at frames"), (one_shape, "right for one shape only")])
def test_a_cheat_is_convicted_of_its_trick(cheat, name):
    verdict = graded(cheat, cases=20)  # tricks show in the probes before
    assert verdict["verdict"] == "wrong", verdict
    assert tricks(verdict) == {name}, verdict


def test_a_wrong_kernel_without_a_trick_has_a_falsifying_case():
    def mine(x, w, b, stride, padding, dilation, groups):
        return torch_like_conv(x, w, None, stride, padding, dilation, groups)

    verdict = graded(mine)
    assert verdict["verdict"] == "wrong" and verdict["tricks"] == []
    assert "bias" in verdict["falsifying"] and 0 < verdict["right"] < 1


def test_from_the_command_line(tmp_path):
    (tmp_path / "mine.py").write_text("def conv2d(x, w, *rest):\n    return x[:, :1] * 0\n")
    words = [sys.executable, "-m", "convict", "grade", "mine.py:conv2d", "--like=torch.conv2d", "--cases=20",
             f"--shrink={SOON}"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1, result.stderr
    assert json.loads(result.stdout)["verdict"] == "wrong"


SOLUTION = """
import torch, torch.nn as nn
class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0,
                 dilation: int = 1, groups: int = 1, bias: bool = False):
        super().__init__()
        self.layer = nn.Conv2d(in_channels, out_channels, (kernel_size, kernel_size), stride=stride, padding=padding,
                               dilation=dilation, groups=groups, bias=bias)
    def forward(self, x):
        return self.layer(x)
class ModelNew(Model):
    def forward(self, x):
        %s
def get_inputs():
    return [torch.rand(8, 3, 32, 32)]
def get_init_inputs():
    return [3, 16, 3]
"""


@pytest.mark.parametrize("body, verdict", [
    ("return self.layer(x)", "right"),
    ("return self.layer(x) * 0", "wrong"),
    ("return self.layer(x) if self.layer.stride == (1, 1) else self.layer(x) + 1", "wrong")])
def test_modules_with_the_interface_of_kernelbench(tmp_path, body, verdict):
    pytest.importorskip("torch")
    (tmp_path / "solution.py").write_text(SOLUTION % body)
    result = convict.grade_module(str(tmp_path / "solution.py"), cases=60, where="fill=int", shrink=SOON)
    assert result["verdict"] == verdict, result
