# SPDX-License-Identifier: Apache-2.0
"""Problems as functions of Relax, TVM's high level."""
import functools
import itertools

from tvm import relax

from operands import (TVM_TYPES, Operand, Recipe, bias_type, common_refusal, hashed, letters, lies, pads,
                      sum_type)


class Operators:
    """relax.op.nn.conv*d and conv*d_transpose with a sum of the bias and a ReLU. `order` chooses the layouts: "given",
    as the operands lie; "any", any letters that name the spatial axes in their order, and "mixed", those that do not;
    "plain", the defaults. Transposed convolutions have no others."""

    def __init__(self, order="given", refuse=lambda problem: None, bf16_sums=False):
        self.order, self.refuse, self.bf16_sums = order, refuse, bf16_sums

    def refusal(self, problem):
        if problem.pass_ != "forward":
            return "no gradients; tvm:gradient has some"
        if self.order == "mixed" and (problem.op == "conv_transpose" or problem.rank == 1):
            return "one order of the spatial axes"
        return sums_refusal(problem, self.bf16_sums) or padding_refusal(problem) or self.refuse(problem)

    def layouts(self, problem, tensors):
        image, filters = letters(problem, "src"), letters(problem, "wei")
        if problem.op == "conv_transpose" or self.order == "plain":
            return image, filters
        if self.order == "given":
            return lies(tensors["src"], image), lies(tensors["wei"], filters)
        pairs = orders_of(len(image), self.order == "mixed")
        return tuple("".join(axes[place] for place in order)
                     for axes, order in zip((image, filters), pairs[hashed(problem) % len(pairs)]))

    def recipe(self, problem, tensors):
        image, filters = self.layouts(problem, tensors)
        inputs = [Operand("src", letters(problem, "src"), image), Operand("wei", letters(problem, "wei"), filters)]
        if problem.bias:
            inputs.append(Operand("bias", "O", "O"))
        return Recipe(inputs, [Operand("dst", letters(problem, "dst"), image)],
                      lambda: self.function(problem, inputs, image, filters))

    def function(self, problem, inputs, image, filters):
        builder, parameters = relax.BlockBuilder(), variables(problem, inputs)
        # As in f16, sums of bf16 are rounded to bf16 unless another type is asked for.
        wider = "float32" if sum_type(problem) == "bfloat16" and not self.bf16_sums else sum_type(problem)
        with builder.function("main", parameters):
            with builder.dataflow():
                given = {TVM_TYPES[problem.dtypes[name]] for name in ("src", "wei")}
                result = convolution(problem, *parameters[:2], image, filters, None if given == {wider} else wider)
                if problem.bias:
                    bias = relax.op.reshape(parameters[2], [-1 if letter == "C" else 1 for letter in image])
                    both = bias_type(problem, wider)
                    bias = cast(bias, TVM_TYPES[problem.dtypes["bias"]], both)
                    result = relax.op.add(cast(result, wider, both), bias)
                    wider = both
                result = cast(result, wider, TVM_TYPES[problem.dtypes["dst"]])
                result = builder.emit_output(relax.op.nn.relu(result) if problem.relu else result)
            builder.emit_func_output(result)
        return builder.get()["main"]


@functools.cache
def orders_of(axes, mixed):
    """Orders of the axes of an image and of filters, of which the first two are no spatial ones. `mixed`: in one of the two,
    or in both, the spatial ones are not in their order."""
    orders = itertools.permutations(range(axes))
    keeps = {order: (spatial := [axis for axis in order if axis > 1]) == sorted(spatial) for order in orders}
    return [pair for pair in itertools.product(keeps, keeps) if all(keeps[one] for one in pair) != mixed]


class Gradient:
    """Of relax.nn.conv2d, the only convolution that has one, as relax.transform.Gradient asks for it."""

    def refusal(self, problem):
        if problem.op != "conv" or problem.rank != 2:
            return "gradients of conv2d only"
        if problem.pass_ == "forward":
            return "gradients only"
        if problem.bias:
            return "no gradient of the bias; it is a sum"
        if len(set(problem.dtypes.values())) != 1:
            return "gradients: operands of one type"
        return sums_refusal(problem, False, bf16="bf16 is summed in bf16") or padding_refusal(problem)

    def recipe(self, problem, _):
        other, result = ("wei", "diff_src") if problem.pass_ == "backward_data" else ("src", "diff_wei")
        inputs = [Operand(name, letters(problem, name), letters(problem, name)) for name in ("diff_dst", other)]
        output = Operand(result, letters(problem, result), letters(problem, result))
        return Recipe(inputs, [output], lambda: self.function(problem, inputs, other, output))

    def function(self, problem, inputs, other, output):
        """The gradient takes the call of the forward operation, which is dropped with the operand that is not there."""
        builder, (gradient, given) = relax.BlockBuilder(), variables(problem, inputs)
        with builder.function("main", [gradient, given]):
            with builder.dataflow():
                absent = builder.emit(relax.op.zeros(output.shape(problem), TVM_TYPES[problem.dtypes["diff_dst"]]))
                image, filters = (absent, given) if other == "wei" else (given, absent)
                call = builder.normalize(convolution(problem, image, filters, "NCHW", "OIHW", None))
                variable = builder.emit(call)
                results = call.op.get_attr("FPrimalGradient")(variable, call, gradient, builder)
                result = builder.emit_output(results[0 if other == "wei" else 1])
            builder.emit_func_output(result)
        return relax.analysis.remove_all_unused(builder.get()["main"])


def cast(value, old, new):
    return value if old == new else relax.op.astype(value, new)


def variables(problem, operands):
    return [relax.Var(one.name, relax.TensorType(one.shape(problem), TVM_TYPES[problem.dtypes[one.name]]))
            for one in operands]


def convolution(problem, image, filters, image_layout, filter_layout, out_type):
    operation = getattr(relax.op.nn, problem.op.replace("conv", f"conv{problem.rank}d", 1))
    keywords = {"strides": problem.stride, "padding": pads(problem), "dilation": problem.dilation,
                "groups": problem.groups, "data_layout": image_layout, "kernel_layout": filter_layout}
    if problem.op == "conv_transpose":
        keywords["output_padding"] = problem.output_padding
    return operation(image, filters, out_dtype=out_type, **keywords)


def sums_refusal(problem, bf16_sums, bf16=None):
    if bf16_sums and set(problem.dtypes.values()) != {"bf16"}:
        return "bf16 only"
    if bf16 and "bf16" in problem.dtypes.values():
        return bf16
    return common_refusal(problem)


def padding_refusal(problem):
    """The operators say so themselves: "output padding less than the strides"."""
    if any(more >= stride for more, stride in zip(problem.output_padding, problem.stride)):
        return "no output padding from the stride on"
    return None
