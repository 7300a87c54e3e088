# SPDX-License-Identifier: Apache-2.0
"""Problems as functions of the dialects that have forward convolutions only: linalg, TOSA and StableHLO."""
import re
from types import SimpleNamespace

import numpy

from compiler import MOST, text
from convict import forward
from dialects import linalg, tensor_type, tosa


class Formed:
    """One forward convolution for each of the six operations."""

    kind = "none"

    def refusal_of_data(self, problem, tensors):
        """Zeros that are inserted between the elements of the image are multiplied."""
        weights = tensors[forward.PASSES[problem.op, problem.pass_][1][0]]
        return max(forward.form_of(problem).insert) > 1 and not numpy.isfinite(weights).all()

    def operands(self, problem, tensors):
        form = forward.form_of(problem)
        return forward.operands(problem, tensors, form, self.operation(problem, form))

    def store(self, problem, tensors, results):
        forward.store(problem, tensors, forward.form_of(problem), results[0])

    def function(self, problem):
        form, kind = forward.form_of(problem), next(iter(problem.dtypes.values()))
        operation = self.operation(problem, form)
        shapes = [form.shape(operation.image, form.image), form.shape(operation.filter, form.kernel),
                  *([form.shape(operation.bias)] if form.bias else []), form.shape(operation.result, form.out)]
        *parameters, result = [tensor_type(shape, kind) for shape in shapes]
        return text(parameters, result, self.body(problem, form, operation, shapes, kind))


class Linalg(Formed):
    """As the client of MLIR says it."""

    dialect = linalg

    def __init__(self, dense_3x3=False):
        self.pipeline = SimpleNamespace(transform=0, plain_2d=dense_3x3, dense=dense_3x3, longest_vector=0)

    def refusal(self, problem):
        why = forward.refusal(problem, MOST)
        if why:
            return why
        form = forward.form_of(problem)
        if form.crops_an_axis():
            return "crops the whole of an axis"
        # Of an image with zeros between its elements, which strides lead to, no contract says how Winograd rounds.
        strides = [*form.stride, *problem.stride]
        if self.pipeline.dense and (form.kernel != [3, 3] or max(strides) > 1 or problem.dtypes.get("wei") != "f32"):
            return "3x3 with stride 1 in f32 only, no gradients of the weights"
        return self.dialect.refusal(problem, form, self.pipeline)

    def operation(self, problem, form):
        return self.dialect.operation(problem, form, self.pipeline)

    def body(self, *how):
        return self.dialect.body(*how)


class Tosa(Linalg):
    dialect, kind = tosa, "tosa"

    def refusal_of_data(self, problem, tensors):
        return False

    def body(self, *how):
        """Operations in the generic form, which is the same in all versions of TOSA."""
        return [re.sub(r"tosa\.(conv\w+|\w+_conv\w+) (.*) \{(.*)\} :", r'"tosa.\1"(\2) <{\3}> :', line)
                for line in super().body(*how)]


class StableHlo(Formed):
    """stablehlo.convolution, whose attributes have all of a form."""

    kind = "stablehlo"

    def __init__(self, channels_last=True):
        self.last = channels_last
        self.said = forward.Operation("convolution", *(("nSgc", "Scgf") if channels_last else ("ngcS", "gfcS")), "nSF")

    def refusal(self, problem):
        return forward.refusal(problem, MOST)

    def operation(self, *_):
        return self.said

    def body(self, _, form, here, shapes, kind):
        spatial = ", ".join(str(axis) for axis in range(len(form.out)))
        n, c, f, k = [form.n], [form.g * form.c], [form.g * form.f], [form.c]
        if self.last:
            numbers = f"[b, {spatial}, f]x[{spatial}, i, o]->[b, {spatial}, f]"
            image, filters, result = n + form.image + c, form.kernel + k + f, n + form.out + f
        else:
            numbers = f"[b, f, {spatial}]x[o, i, {spatial}]->[b, f, {spatial}]"
            image, filters, result = n + c + form.image, f + k + form.kernel, n + f + form.out
        image, filters, result, last = (tensor_type(one, kind) for one in (image, filters, result, shapes[-1]))
        given = [tensor_type(shape, kind) for shape in shapes]
        lines = [f"%i = stablehlo.reshape %a0 : ({given[0]}) -> {image}",
                 f"%w = stablehlo.reshape %a1 : ({given[1]}) -> {filters}",
                 f"%d = stablehlo.convolution(%i, %w) dim_numbers = {numbers}, window = {{stride = {form.stride}, pad = "
                 f"{[list(pads) for pads in zip(form.low, form.high())]}, lhs_dilate = {form.insert}, rhs_dilate = "
                 f"{form.dilation}}} {{batch_group_count = 1 : i64, feature_group_count = {form.g} : i64}} : "
                 f"({image}, {filters}) -> {result}", "%l = " + self.turned("%d", result, last, len(form.out))]
        if not form.bias:
            return [*lines, f"return %l : {last}"]
        return [*lines, f"%b = stablehlo.broadcast_in_dim %a2, dims = [{len(shapes[-1]) - 1}] : ({given[2]}) -> {last}",
                f"%s = stablehlo.add %l, %b : {last}", f"return %s : {last}"]

    def turned(self, name, kind, last, rank):
        if self.last:
            return f"stablehlo.reshape {name} : ({kind}) -> {last}"
        return f"stablehlo.transpose {name}, dims = {[0, *range(2, rank + 2), 1]} : ({kind}) -> {last}"
