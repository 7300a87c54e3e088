# SPDX-License-Identifier: Apache-2.0
"""Forward problems in the TOSA dialect, whose operations pad by themselves: f32, as TOSA has it."""
from convict.forward import Operation
from dialects import tensor_type


def operation(problem, form, _):
    if problem.op == "conv_transpose":
        return Operation("transpose_conv2d", "nSc", "fSc", "nSf", turns=True)
    if form.g > 1:
        return Operation("depthwise_conv2d", "nSg", "Sgf", "nSF")
    return Operation(f"conv{problem.rank}d", "nSc", "fSc", "nSf")


def refusal(problem, form, _):
    transposed = problem.op == "conv_transpose"
    if problem.pass_ != "forward":
        return "no gradients"
    if set(problem.dtypes.values()) != {"f32"}:
        return "f32 only"
    if problem.rank == 1 or (transposed and problem.rank == 3):
        return "rank 2 and 3 only, transposed convolutions of rank 2 only"
    if form.g > 1 and (transposed or form.c > 1 or problem.rank != 2):
        return "groups of one input channel in convolutions of rank 2 only"
    if transposed and max(form.dilation) > 1:
        return "no dilation of transposed convolutions"
    if not transposed and form.high() != problem.pad_end:
        return "strides divide the padded extent"
    return "no negative padding" if min(*form.low, *form.high()) < 0 else None


def body(problem, form, here, shapes, kind):
    """Lines that return the result of %a0, %a1 and, if it is there, %a2; `shapes` has theirs, and the result's."""
    # out_pad is added to the result: what the image is padded by, without what the kernel alone adds to the result.
    pads = [pad - (kernel - 1 if here.turns else 0) for *both, kernel in zip(form.low, form.high(), form.kernel)
            for pad in both]
    lists = {"out_pad": pads} if here.turns else {"pad": pads, "dilation": problem.dilation}
    attributes = ", ".join(f"{name} = array<i64: {str(values)[1:-1]}>"
                           for name, values in {"stride": problem.stride, **lists}.items())
    image, filters, result, bias, one = (tensor_type(shape, kind) for shape in
                                         (*shapes[:2], shapes[-1], form.shape(here.bias), [1]))
    lines = [f'%zero = "tosa.const"() <{{values = dense<0.0> : {one}}}> : () -> {one}']
    if not form.bias:
        lines.append(f'%a2 = "tosa.const"() <{{values = dense<0.0> : {bias}}}> : () -> {bias}')
    return [*lines, f"%result = tosa.{here.name} %a0, %a1, %a2, %zero, %zero {{acc_type = {kind}, {attributes}}} : "
            f"({image}, {filters}, {bias}, {one}, {one}) -> {result}", f"return %result : {result}"]
