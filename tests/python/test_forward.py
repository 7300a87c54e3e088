# SPDX-License-Identifier: Apache-2.0
"""All six operations by one forward convolution that is written down as its formula."""
import itertools

import numpy as np
import pytest

import convict
from convict import _trial, forward

np.seterr(all="ignore")  # special values are part of the trial
OPERATION = forward.Operation("formula", "nSgc", "Sgcf", "nSgf")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / "convict"))


def formula(form, image, kernel):
    spread = np.zeros(form.shape("nSgc", form.inserted()), image.dtype)
    spread[(slice(None), *[slice(None, None, step) for step in form.insert])] = image
    result = np.zeros(form.shape("nSgf", form.out), image.dtype)
    for r in itertools.product(*map(range, form.kernel)):
        places = [np.arange(n) * s + b * d - low for n, s, b, d, low in zip(form.out, form.stride, r, form.dilation, form.low)]
        inside = [np.flatnonzero((0 <= at) & (at < size)) for at, size in zip(places, form.inserted())]
        read = spread[(slice(None), *np.ix_(*(at[o] for at, o in zip(places, inside))))]
        result[(slice(None), *np.ix_(*inside))] += np.einsum("n...gc,gcf->n...gf", read, kernel[r])
    return result


def by_the_formula(problem, tensors):
    if problem.bias and problem.pass_ == "backward_weights":
        raise convict.Refused("no gradient of the bias")
    form = forward.form_of(problem)
    image, kernel, *bias = forward.operands(problem, tensors, form, OPERATION)
    result = formula(form, image, kernel)
    forward.store(problem, tensors, form, result + bias[0] if bias else result)


@pytest.mark.parametrize("operation", ["conv", "conv_transpose"])
@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weights"])
def test_a_pass_is_a_forward_convolution(operation, direction):
    convict.trial(by_the_formula, cases=60, seed=1, where=f"{operation}.{direction} fill=int dt=f32 beta=0 relu=0")
