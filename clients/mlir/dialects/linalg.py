# SPDX-License-Identifier: Apache-2.0
"""A form in the linalg dialect, on tensors."""
import math

from convict.forward import Operation
from dialects import tensor_type


def operation(_, form, pipeline):
    rank = len(form.out)
    axes = "dhw"[3 - rank:]
    if pipeline.transform:
        return Operation("conv_2d_nhwc_fhwc", "nSc", "fSc", "nSf")
    if form.g == 1:
        return Operation(f"conv_{rank}d_n{axes}c_{axes}cf", "nSc", "Scf", "nSf")
    if form.c == 1:
        return Operation(f"depthwise_conv_{rank}d_n{axes}c_{axes}cm", "nSg", "Sgf", "nSgf")
    return Operation("conv_2d_nhwgc_gfhwc", "nSgc", "gfSc", "nSgf")


def refusal(problem, form, pipeline):
    if problem.rank != 2 and pipeline.plain_2d:
        return "rank 2 only"
    if form.g > 1 and pipeline.plain_2d:
        return "no groups"
    if form.g > 1 and form.c > 1 and problem.rank != 2:
        return "groups of several channels in rank 2 only"
    if pipeline.dense and max(form.dilation) > 1:
        return "no dilation"
    if pipeline.transform and (form.kernel != [3, 3] or max(*form.stride, *problem.stride) > 1):
        return "3x3 with stride 1 only"
    if pipeline.transform and problem.pass_ == "backward_weights":
        return "no gradients of the weights"
    if pipeline.transform and problem.dtypes["wei"] != "f32":
        return "no transforms of f64"  # MLIR 22 has them, with constants that are rounded to f32
    if pipeline.longest_vector and longest_vector(form) > pipeline.longest_vector:
        return "its vectors would be too long"
    return None


def longest_vector(form):
    """All of a row is one vector, every tap of it is unrolled. Fills are vectors too, which may be 16 times longer."""
    padded = [low + size + high for low, size, high in zip(form.low, form.inserted(), form.high())]
    whole = form.n * max(math.prod(padded) * form.c, math.prod(form.out) * form.f)
    row = (form.out[1] - 1) * form.stride[1] + (form.kernel[1] - 1) * form.dilation[1] + 1
    return max(row * form.c, form.out[1] * form.f, form.kernel[1] * form.c * form.f, math.ceil(whole / 16))


class Image:
    """The image on its way through operations, as lines. Its first axis is the batch, the last ones are channels."""

    def __init__(self, shape, rank, kind):
        self.name, self.shape, self.kind, self.lines = "%a0", shape, kind, []
        self.channels = list(shape[1 + rank:])

    def around(self, inner, outer):
        return [outer, *inner, *[outer] * len(self.channels)]

    def step(self, name, line, sizes, preposition="to"):
        """A line that makes an image with these spatial extents."""
        shape = [self.shape[0], *sizes, *self.channels]
        self.lines.append(f"{name} = {line.format(shape=shape)} : {tensor_type(self.shape, self.kind)} {preposition} "
                          f"{tensor_type(shape, self.kind)}")
        self.name, self.shape = name, shape

    def insert_zeros(self, sizes, insert):
        wide = tensor_type([self.shape[0], *sizes, *self.channels], self.kind)
        self.lines += [f"%wide = tensor.empty() : {wide}",
                       f"%zeros = linalg.fill ins(%zero : {self.kind}) outs(%wide : {wide}) -> {wide}"]
        self.step("%spread", f"tensor.insert_slice {self.name} into %zeros{[0] * len(self.shape)} {list(self.shape)} "
                  f"{self.around(insert, 1)}", sizes, "into")

    def cut(self, low, high):
        self.step("%cut", f"tensor.extract_slice {self.name}{self.around([max(-pad, 0) for pad in low], 0)} {{shape}} "
                  f"{[1] * len(self.shape)}", [size + min(a, 0) + min(b, 0)
                                               for size, a, b in zip(self.shape[1:], low, high)])

    def pad(self, low, high):
        low, high = ([max(pad, 0) for pad in pads] for pads in (low, high))
        indices = ", ".join(f"%i{axis}: index" for axis in range(len(self.shape)))
        self.step("%padded", f"tensor.pad {self.name} low{self.around(low, 0)} high{self.around(high, 0)} "
                  f"{{{{\n  ^bb0({indices}):\n    tensor.yield %zero : {self.kind}\n  }}}}",
                  [size + a + b for size, a, b in zip(self.shape[1:], low, high)])


def body(problem, form, here, shapes, kind):
    """Lines that return the result of %a0, %a1 and, if it is there, %a2; `shapes` has theirs, and the result's."""
    result, low, high = tensor_type(shapes[-1], kind), form.low, form.high()
    image = Image(shapes[0], problem.rank, kind)
    if max(form.insert) > 1:
        image.insert_zeros(form.inserted(), form.insert)
    if min([*low, *high]) < 0:
        image.cut(low, high)
    if max([*low, *high]) > 0:
        image.pad(low, high)
    start = f"linalg.fill ins(%zero : {kind}) outs(%empty : {result}) -> {result}"
    if form.bias:
        start = (f"linalg.broadcast ins(%a2 : {tensor_type(shapes[2], kind)}) outs(%empty : {result}) "
                 f"dimensions = {list(range(len(shapes[-1]) - len(shapes[2])))}")
    attributes = ", ".join(f"{name} = dense<{values}> : tensor<{len(values)}xi64>"
                           for name, values in (("dilations", form.dilation), ("strides", form.stride)))
    types = f"{tensor_type(image.shape, kind)}, {tensor_type(shapes[1], kind)}"
    return [f"%zero = arith.constant 0.0 : {kind}", *image.lines, f"%empty = tensor.empty() : {result}",
            f"%start = {start}", f"%result = linalg.{here.name} {{{attributes}}} ins({image.name}, %a1 : {types}) "
            f"outs(%start : {result}) -> {result}", f"return %result : {result}"]
