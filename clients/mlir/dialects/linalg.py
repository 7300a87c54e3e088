# SPDX-License-Identifier: Apache-2.0
"""A form in the linalg dialect, on tensors."""
import math

from forms import shape_text

PLAIN = {1: "conv_1d_nwc_wcf", 2: "conv_2d_nhwc_hwcf", 3: "conv_3d_ndhwc_dhwcf"}
DEPTHWISE = {1: "depthwise_conv_1d_nwc_wcm", 2: "depthwise_conv_2d_nhwc_hwcm", 3: "depthwise_conv_3d_ndhwc_dhwcm"}


def operation(form, pipeline):
    rank = len(form.out)
    if pipeline.transform:
        return "conv_2d_nhwc_fhwc"
    if form.g == 1:
        return PLAIN[rank]
    return DEPTHWISE[rank] if form.c == 1 else "conv_2d_nhwgc_gfhwc"


def refusal(problem, form, pipeline):
    if len(form.out) not in pipeline.ranks:
        return "rank 2 only"
    if form.g > 1 and not pipeline.groups:
        return "no groups"
    if form.g > 1 and form.c > 1 and len(form.out) != 2:
        return "groups of several channels in rank 2 only"
    if pipeline.dense and max(form.dilation) > 1:
        return "no dilation"
    if pipeline.transform and (form.kernel != [3, 3] or max(*form.stride, *problem["stride"]) > 1):
        return "3x3 with stride 1 only"
    if pipeline.transform and problem["pass"] == "backward_weights":
        return "no gradients of the weights"
    if pipeline.transform and problem["tensors"]["wei"]["dtype"] != "f32":
        return "no transforms of f64"  # MLIR 22 has them, with constants that are rounded to f32
    if pipeline.longest_vector:  # all of a row is one vector, and every tap of it is unrolled; fills are vectors, too
        padded = [low + size + high for low, size, high in zip(form.low, form.inserted(), form.high())]
        whole = [math.prod(padded) * form.c, math.prod(form.out) * form.f]
        if form.n * max(whole) > 16 * pipeline.longest_vector:
            return "its vectors would be too long"
        row = (form.out[1] - 1) * form.stride[1] + (form.kernel[1] - 1) * form.dilation[1] + 1
        if max(row * form.c, form.out[1] * form.f, form.kernel[1] * form.c * form.f) > pipeline.longest_vector:
            return "its vectors would be too long"
    return None


def adapted(_, form, pipeline):
    """The form with the extents of the operation."""
    grouped = [form.g] if form.g > 1 else []
    depthwise = form.g > 1 and form.c == 1
    form.filter_axes = "fkc" if pipeline.transform else "kcf" if form.g == 1 else "kgf" if depthwise else "gfkc"
    if form.g == 1:
        form.filter_axes = form.filter_axes.replace("c", "gc", 1)  # an axis of extent 1 in the array only
    elif depthwise:
        form.filter_axes = "kgcf"
    extents = [extent for letter, extent in zip_axes(form) if not (letter == "g" and form.g == 1)
               and not (letter == "c" and depthwise)]
    image = [form.n, *form.image, *grouped, *([] if depthwise else [form.c])]
    form.operands = [image, extents, [*grouped, form.f]]
    form.result = [form.n, *form.out, *grouped, form.f]
    return form


def zip_axes(form):
    extents = {"k": form.kernel, "g": [form.g], "c": [form.c], "f": [form.f]}
    return [(letter, extent) for letter in form.filter_axes for extent in extents[letter]]


def bracket(values):
    return "[" + ", ".join(map(str, values)) + "]"


def framed(form, kind):
    """Lines that insert zeros, cut off and pad; the name of the image after them and its extents."""
    shape, name, lines = form.operands[0], "%a0", []
    rank, tail = len(form.out), form.operands[0][1 + len(form.out):]
    around = lambda inner, outer: [outer, *inner, *[outer] * len(tail)]

    def step(operation, extents):
        nonlocal shape, name
        types = f"tensor<{shape_text(shape, kind)}> to tensor<{shape_text(extents, kind)}>"
        shape, name = extents, f"%x{len(lines)}"
        lines.append(f"{name} = {operation} : {types}")

    if max(form.insert) > 1:
        wide = [form.n, *form.inserted(), *tail]
        text = f"tensor<{shape_text(wide, kind)}>"
        lines += [f"%wide = tensor.empty() : {text}",
                  f"%zeros = linalg.fill ins(%zero : {kind}) outs(%wide : {text}) -> {text}"]
        where = f"{bracket([0] * len(shape))} {bracket(shape)} {bracket(around(form.insert, 1))}"
        lines.append(f"%spread = tensor.insert_slice %a0 into %zeros{where} : "
                     f"tensor<{shape_text(shape, kind)}> into {text}")
        shape, name = wide, "%spread"
    low, high = form.low, form.high()
    if min([*low, *high]) < 0:
        begin = [max(-pad, 0) for pad in low]
        sizes = [size + min(a, 0) + min(b, 0) for size, a, b in zip(form.inserted(), low, high)]
        extents = [form.n, *sizes, *tail]
        where = f"{bracket(around(begin, 0))} {bracket(extents)} {bracket([1] * len(extents))}"
        step(f"tensor.extract_slice {name}{where}", extents)
    if max([*low, *high]) > 0:
        low, high = ([max(pad, 0) for pad in pads] for pads in (low, high))
        extents = [form.n, *[size + a + b for size, a, b in zip(shape[1:1 + rank], low, high)], *tail]
        indices = ", ".join(f"%i{d}: index" for d in range(len(extents)))
        step(f"tensor.pad {name} low{bracket(around(low, 0))} high{bracket(around(high, 0))} "
             f"{{\n  ^bb0({indices}):\n    tensor.yield %zero : {kind}\n  }}", extents)
    return lines, name, shape


def body(_, form, kind, pipeline):
    lines, image, shape = framed(form, kind)
    result = f"tensor<{shape_text(form.result, kind)}>"
    start = f"linalg.fill ins(%zero : {kind}) outs(%empty : {result}) -> {result}"
    if form.bias:
        axes = bracket(range(len(form.result) - len(form.operands[2])))
        start = (f"linalg.broadcast ins(%a2 : tensor<{shape_text(form.operands[2], kind)}>) outs(%empty : {result}) "
                 f"dimensions = {axes}")
    attributes = ", ".join(f"{name}s = dense<{bracket(values)}> : tensor<{len(values)}xi64>"
                           for name, values in (("dilation", form.dilation), ("stride", form.stride)))
    types = f"tensor<{shape_text(shape, kind)}>, tensor<{shape_text(form.operands[1], kind)}>"
    return [f"%zero = arith.constant 0.0 : {kind}", *lines, f"%empty = tensor.empty() : {result}", f"%start = {start}",
            f"%result = linalg.{operation(form, pipeline)} {{{attributes}}} ins({image}, %a1 : {types}) "
            f"outs(%start : {result}) -> {result}", f"return %result : {result}"]
