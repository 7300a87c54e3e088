# SPDX-License-Identifier: Apache-2.0
"""torch.compile: Inductor chooses layouts, calls the convolution as it is, and writes C++ for what is around it:
padding, a sum with the old contents, a ReLU. What has been compiled for a shape is used for all data, relations and
repeats of it."""
import types

import torch
import torch.nn.functional as F

import functions

MOST_KEPT = 200  # compiled functions
compiled = {}  # by problem and strides


def refusal(problem):
    if problem.beta and problem.pass_ != "forward":
        return "a sum is forward only"
    if problem.beta and problem.dtypes["dst"] in ("f16", "bf16"):
        return "in 16 bits, a sum of what was rounded"
    return None


def function_of(problem):
    """A function of its own for each problem: code that is shared would be compiled for eight of them only, and run as
    it is for others (torch._dynamo.config.recompile_limit)."""
    def forward(src, wei, bias, old):
        dst = functions.convolve(problem, src, wei, bias)
        if problem.beta:
            dst = dst + problem.beta * old
        return F.relu(dst) if problem.relu else dst

    own = types.FunctionType(forward.__code__.replace(), globals(), "forward", None, forward.__closure__)
    return torch.compile(own, fullgraph=True, dynamic=False)


def call(problem, given, old):
    """Says so if it ran what it had not compiled."""
    from torch._dynamo.utils import counters  # loads the compiler, which takes seconds: not for who does not use it

    key = (repr(problem), *[None if one is None else one.stride() for one in (*given, old)])
    if key in compiled:
        return compiled[key](*given, old)
    if len(compiled) >= MOST_KEPT:
        compiled.clear()
        torch._dynamo.reset()
    torch._inductor.config.compile_threads = 1  # in this process, and not in a pool of others
    before, compiled[key] = counters["stats"]["calls_captured"], function_of(problem)
    dst = compiled[key](*given, old)
    if counters["stats"]["calls_captured"] == before:
        raise RuntimeError("torch.compile has not compiled it")
    return dst


def compute(problem, tensors):
    given = [tensors.get(name) for name in functions.GIVEN[problem.pass_]]
    if problem.pass_ == "forward":
        with torch.no_grad():
            return {"dst": call(problem, given, tensors["dst"] if problem.beta else None)}
    names = [name for name in functions.COMPUTED[problem.pass_] if name in tensors]
    wanted = [tensors[name].requires_grad_() for name in names]
    return dict(zip(names, torch.autograd.grad(call(problem, given, None), wanted, tensors["diff_dst"])))
