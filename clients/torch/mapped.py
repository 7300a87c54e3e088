# SPDX-License-Identifier: Apache-2.0
"""Convolutions under torch.vmap, whose rules make one convolution of many by moving what is mapped into the batch, the
channels or the groups (aten/src/ATen/functorch/BatchRulesConvolution.cpp). What is mapped: images, which share the
weights; filters of each group, which share the image; or groups, which share nothing."""
import dataclasses

import torch

import functions

WEIGHTS, BIASES, SRCS = ("wei", "diff_wei"), ("bias", "diff_bias"), ("src", "diff_src")


def split(problem, axis, name, tensor):
    """The operand with what is mapped as its first axis; None where it is shared."""
    g = problem.groups
    if axis == "images":
        return None if name in WEIGHTS + BIASES else tensor.unsqueeze(1)
    if axis == "groups":
        at = 0 if name in WEIGHTS + BIASES else 1
        return tensor.unflatten(at, (g, tensor.shape[at] // g)).movedim(at, 0)
    if name in SRCS:
        return None
    if name in WEIGHTS and problem.op == "conv_transpose":  # ic, oc/g
        return tensor.movedim(1, 0).unsqueeze(2)
    at = 0 if name in WEIGHTS + BIASES else 1
    return tensor.unflatten(at, (g, problem.oc // g)).movedim(at + 1, 0)


def join(problem, axis, name, tensor):
    """The reverse, for a result. What is shared has a gradient of each, and they are added."""
    if axis == "images":
        return tensor.sum(0) if name in WEIGHTS + BIASES else tensor.squeeze(1)
    if axis == "groups":
        at = 0 if name in WEIGHTS + BIASES else 1
        return tensor.movedim(0, at).flatten(at, at + 1)
    if name in SRCS:
        return tensor.sum(0)
    if name in WEIGHTS and problem.op == "conv_transpose":
        return tensor.squeeze(2).movedim(0, 1)
    at = 0 if name in WEIGHTS + BIASES else 1
    return tensor.movedim(0, at + 1).flatten(at, at + 1)


@dataclasses.dataclass(frozen=True)
class Mapped:
    axis: str

    def refusal(self, problem):
        """vmap maps no axis without extent ("received an empty tensor")."""
        why = functions.refusal(problem, ("f32", "f64", "bf16"))
        if why or problem.groups < 1:
            return why or "not a legal problem"
        if self.axis == "images" and problem.batch == 0:
            return "vmap maps no axis that is empty"
        if problem.ic % problem.groups or problem.oc % problem.groups:
            return "groups do not divide the channels"
        return None

    def compute(self, problem, tensors):
        g, per_group = problem.groups, problem.oc // problem.groups
        one = {"images": {}, "groups": {"groups": 1, "ic": problem.ic // g, "oc": per_group},
               "filters": {"oc": g}}[self.axis]
        inner = dataclasses.replace(problem, **one)
        operands = {name: split(problem, self.axis, name, tensor) for name, tensor in tensors.items()}
        axes = [None if one is None else 0 for one in operands.values()]
        given = [tensors[name] if one is None else one for name, one in operands.items()]
        mapped = torch.vmap(lambda *ones: functions.compute(inner, dict(zip(operands, ones))), in_dims=tuple(axes))
        results = mapped(*given)
        return {name: join(problem, self.axis, name, result) for name, result in results.items()}
