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
    if problem.pass_ != "forward":
        return "no gradients"
    if set(problem.dtypes.values()) != {"f32"}:
        return "f32 only"
    if problem.rank == 1:
        return "rank 2 and 3 only"
    if form.g > 1 and (problem.op == "conv_transpose" or form.c > 1 or problem.rank != 2):
        return "groups of one input channel in convolutions of rank 2 only"
    return transposed_refusal(problem) if problem.op == "conv_transpose" else conv_refusal(problem)


def transposed_refusal(problem):
    if problem.rank != 2:
        return "transposed convolutions of rank 2 only"
    if max(problem.dilation) > 1:
        return "no dilation of transposed convolutions"
    if min(pad + kernel for pads in padding(problem) for pad, kernel in zip(pads, problem.kernel)) < 1:
        return "out_pad is above -kernel"
    return None


def conv_refusal(problem):
    if min([*problem.pad_begin, *problem.pad_end]) < 0:
        return "no negative padding"
    if any((size + sum(pads) - (kernel - 1) * dilation - 1) % stride for size, pads, kernel, dilation, stride in
           zip(problem.in_, zip(*padding(problem)), problem.kernel, problem.dilation, problem.stride)):
        return "strides divide the padded extent"
    return None


def padding(problem):
    """At both ends; of transpose_conv2d it is out_pad, which is added to the result."""
    if problem.op == "conv":
        return problem.pad_begin, problem.pad_end
    ends = [extra - pad for extra, pad in zip(problem.output_padding, problem.pad_end)]
    return [-pad for pad in problem.pad_begin], ends


def body(problem, form, here, shapes, kind):
    """Lines that return the result of %a0, %a1 and, if it is there, %a2; `shapes` has theirs, and the result's."""
    both_ends = [pad for both in zip(*padding(problem)) for pad in both]
    lists = ({"out_pad": both_ends} if here.turns else {"pad": both_ends, "dilation": problem.dilation})
    attributes = ", ".join(f"{name} = array<i64: {str(values)[1:-1]}>"
                           for name, values in {"stride": problem.stride, **lists}.items())
    image, filters, result, bias, one = (tensor_type(shape, kind) for shape in
                                         (*shapes[:2], shapes[-1], form.shape(here.bias), [1]))
    lines = [f'%zero = "tosa.const"() <{{values = dense<0.0> : {one}}}> : () -> {one}']
    if not form.bias:
        lines.append(f'%a2 = "tosa.const"() <{{values = dense<0.0> : {bias}}}> : () -> {bias}')
    return [*lines, f"%result = tosa.{here.name} %a0, %a1, %a2, %zero, %zero {{acc_type = {kind}, {attributes}}} : "
            f"({image}, {filters}, {bias}, {one}, {one}) -> {result}", f"return %result : {result}"]
