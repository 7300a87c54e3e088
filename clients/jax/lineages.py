# SPDX-License-Identifier: Apache-2.0
"""From a function of src and wei to the results of a pass, op by op or compiled."""
import jax
import jax.numpy as jnp
import numpy

import calls
from convict import forward
from convolutions import Padded

MOST_KEPT = 128  # compiled problems; JAX's own caches are cleared with ours
_kept = {}


class Lineage:
    def __init__(self, way, jits=True):
        self.way, self.jits, self.layout = way, jits, way.layout

    def refusal(self, problem):
        return calls.refusal(problem) or self.way.refusal(problem)

    def refusal_of_data(self, problem, tensors):
        return calls.holes_refusal(problem, tensors, are_real=isinstance(self.way, Padded))

    def compute(self, problem, tensors, outputs):
        """The results by name."""
        tensors = {name: calls.typed(array, problem.dtypes[name]) for name, array in tensors.items()}
        if hasattr(self.way, "whole"):
            return self.compute_whole(problem, tensors, outputs)
        given = {name: self.layout.given(name, array) for name, array in tensors.items() if name not in outputs}
        results = self.kept(problem, self.make)(given)
        return {name: self.result(problem, name, self.layout.taken(name, numpy.asarray(value)))
                for name, value in results.items()}

    @staticmethod
    def result(problem, name, value):
        return value.view("uint16") if problem.dtypes[name] == "bf16" else value

    def compute_whole(self, problem, tensors, outputs):
        form = forward.form_of(problem)
        arrays = forward.operands(problem, tensors, form, self.way.operation)
        value = numpy.asarray(self.kept(problem, self.way.whole)(*arrays))
        name, = outputs
        result = numpy.empty(tensors[name].shape, value.dtype)
        forward.store(problem, {name: result}, form, value)
        return {name: self.result(problem, name, result)}

    def kept(self, problem, make):
        """What make(problem) returns, made and compiled once."""
        key = (id(self), calls.key(problem))
        if key not in _kept:
            if len(_kept) >= MOST_KEPT:
                _kept.clear()
                jax.clear_caches()
            function = make(problem)
            _kept[key] = jax.jit(function) if self.jits else function
        return _kept[key]

    def make(self, problem):
        """A function from operands to results, both by name."""
        convolve, shapes = self.with_bias(problem), self.shapes(problem)
        wanted = {"forward": None, "backward_data": "src", "backward_weights": "wei"}[problem.pass_]

        def function(given):
            operands = {name: given[name] if name in given else jnp.zeros(*shape) for name, shape in shapes.items()}
            if not wanted:
                return {"dst": convolve(**operands)}
            _, pull = jax.vjp(lambda value: convolve(**{**operands, wanted: value}), operands[wanted])
            return {"diff_" + wanted: pull(given["diff_dst"])[0]}

        return function

    def with_bias(self, problem):
        convolve = self.way.function(problem)
        return lambda src, wei, bias=None: (convolve(src, wei) if bias is None else
                                            convolve(src, wei) + self.layout.of_channels(problem.rank, bias))

    def shapes(self, problem):
        """Extents and types of the operands of the forward problem."""
        shapes = {}
        for name, dims in problem.dims.items():
            plain = name.removeprefix("diff_")
            if plain in ("src", "wei", "bias"):
                shapes[plain] = (self.layout.extents(plain, dims), calls.TYPES[problem.dtypes[name]])
        return shapes
