# SPDX-License-Identifier: Apache-2.0
"""Forward problems in the TOSA dialect, whose operations pad by themselves: f32, as TOSA has it."""
from forms import shape_text


def operation(problem, form):
    if problem["op"] == "conv_transpose":
        return "transpose_conv2d"
    if form.g > 1:
        return "depthwise_conv2d"
    return "conv2d" if len(form.out) == 2 else "conv3d"


def refusal(problem, form, pipeline):
    if problem["pass"] != "forward":
        return "no gradients"
    if any(tensor["dtype"] != "f32" for tensor in problem["tensors"].values()):
        return "f32 only"
    if len(form.out) not in pipeline.ranks:
        return "rank 2 and 3 only"
    name = operation(problem, form)
    if form.g > 1 and (name != "depthwise_conv2d" or form.c > 1 or len(form.out) != 2):
        return "groups of one input channel in convolutions of rank 2 only"
    if name == "transpose_conv2d":
        if len(form.out) != 2:
            return "transposed convolutions of rank 2 only"
        if max(problem["dilation"]) > 1:
            return "no dilation of transposed convolutions"
        if min(pad + kernel for pads in result_padding(problem) for pad, kernel in zip(pads, problem["kernel"])) < 1:
            return "out_pad is above -kernel"
        return None
    if min([*problem["pad_begin"], *problem["pad_end"]]) < 0:
        return "no negative padding"
    if any((size + begin + end - (kernel - 1) * dilation - 1) % stride for size, begin, end, kernel, dilation, stride in
           zip(*(problem[name] for name in ("in", "pad_begin", "pad_end", "kernel", "dilation", "stride")))):
        return "strides divide the padded extent"
    return None


def result_padding(problem):
    """out_pad of transpose_conv2d: what is added to the result, at both ends."""
    ends = [extra - pad for extra, pad in zip(problem["output_padding"], problem["pad_end"])]
    return [-pad for pad in problem["pad_begin"]], ends


def adapted(problem, form, _):
    """The form with the extents of the operation."""
    form.filter_axes = "kgcf" if operation(problem, form) == "depthwise_conv2d" else "fkgc"
    channels = form.g * form.c
    filters = [*form.kernel, form.g, form.f] if form.g > 1 else [form.f, *form.kernel, form.c]
    form.operands = [[form.n, *form.image, channels], filters, [form.g * form.f]]
    form.result = [form.n, *form.out, form.g * form.f]
    form.turns_itself = operation(problem, form) == "transpose_conv2d"
    return form


def array(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def body(problem, form, kind, _):
    name = operation(problem, form)
    pads = result_padding(problem) if name == "transpose_conv2d" else (problem["pad_begin"], problem["pad_end"])
    attributes = [f"acc_type = {kind}", f"stride = {array(problem['stride'])}"]
    both_ends = array(pad for both in zip(*pads) for pad in both)
    if name == "transpose_conv2d":
        attributes.append(f"out_pad = {both_ends}")
    else:
        attributes += [f"pad = {both_ends}", f"dilation = {array(problem['dilation'])}"]
    image, filters, result = (f"tensor<{shape_text(extents, kind)}>" for extents in (*form.operands[:2], form.result))
    bias, one = (f"tensor<{shape_text(extents, kind)}>" for extents in (form.operands[2], [1]))
    lines = [f'%zero = "tosa.const"() <{{values = dense<0.0> : {one}}}> : () -> {one}']
    if not form.bias:
        lines.append(f'%none = "tosa.const"() <{{values = dense<0.0> : {bias}}}> : () -> {bias}')
    return [*lines, f"%result = tosa.{name} %a0, %a1, {'%a2' if form.bias else '%none'}, %zero, %zero "
            f"{{{', '.join(attributes)}}} : ({image}, {filters}, {bias}, {one}, {one}) -> {result}",
            f"return %result : {result}"]
