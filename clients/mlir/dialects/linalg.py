# SPDX-License-Identifier: Apache-2.0
"""A form in the linalg dialect, on tensors."""
import functools
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


def image_lines(form, shape, kind):
    """Lines that insert zeros into %a0, crop it and pad it; the name of what comes out, and its extents."""
    channels = len(shape) - 1 - len(form.image)  # axes
    insert, low, high = ([outer, *inner, *[outer] * channels] for inner, outer in
                         ((form.insert, 1), (form.low, 0), (form.high(), 0)))
    lines, name, type_of = [], "%a0", functools.partial(tensor_type, kind=kind)
    if max(insert) > 1:
        narrow, shape = shape, [(size - 1) * step + 1 for size, step in zip(shape, insert)]
        lines += [f"%wide = tensor.empty() : {type_of(shape)}",
                  f"%zeros = linalg.fill ins(%zero : {kind}) outs(%wide : {type_of(shape)}) -> {type_of(shape)}",
                  f"%spread = tensor.insert_slice {name} into %zeros{[0] * len(shape)} {narrow} {insert} : "
                  f"{type_of(narrow)} into {type_of(shape)}"]
        name = "%spread"
    if min(*low, *high) < 0:
        whole, shape = shape, [size + min(a, 0) + min(b, 0) for size, a, b in zip(shape, low, high)]
        lines.append(f"%cut = tensor.extract_slice {name}{[max(-pad, 0) for pad in low]} {shape} {[1] * len(shape)} : "
                     f"{type_of(whole)} to {type_of(shape)}")
        name = "%cut"
    if max(*low, *high) > 0:
        low, high = ([max(pad, 0) for pad in pads] for pads in (low, high))
        inner, shape = shape, [sum(sizes) for sizes in zip(shape, low, high)]
        indices = ", ".join(f"%i{axis}: index" for axis in range(len(shape)))
        lines.append(f"%padded = tensor.pad {name} low{low} high{high} {{\n  ^bb0({indices}):\n"
                     f"    tensor.yield %zero : {kind}\n  }} : {type_of(inner)} to {type_of(shape)}")
        name = "%padded"
    return lines, name, shape


def body(problem, form, here, shapes, kind):
    """Lines that return the result of %a0, %a1 and, if it is there, %a2; `shapes` has theirs, and the result's."""
    result = tensor_type(shapes[-1], kind)
    lines, image, image_shape = image_lines(form, list(shapes[0]), kind)
    start = f"linalg.fill ins(%zero : {kind}) outs(%empty : {result}) -> {result}"
    if form.bias:
        start = (f"linalg.broadcast ins(%a2 : {tensor_type(shapes[2], kind)}) outs(%empty : {result}) "
                 f"dimensions = {list(range(len(shapes[-1]) - len(shapes[2])))}")
    attributes = ", ".join(f"{name} = dense<{values}> : tensor<{len(values)}xi64>"
                           for name, values in (("dilations", form.dilation), ("strides", form.stride)))
    types = f"{tensor_type(image_shape, kind)}, {tensor_type(shapes[1], kind)}"
    return [f"%zero = arith.constant 0.0 : {kind}", *lines, f"%empty = tensor.empty() : {result}",
            f"%start = {start}", f"%result = linalg.{here.name} {{{attributes}}} ins({image}, %a1 : {types}) "
            f"outs(%start : {result}) -> {result}", f"return %result : {result}"]
