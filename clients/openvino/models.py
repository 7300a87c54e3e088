# SPDX-License-Identifier: Apache-2.0
"""Ways to a model of one convolution. Each has a refusal, and makes a model and its inputs from operands in f32."""
import numpy
import openvino
import openvino.opset13 as op

import onnx_model

FUNCTIONS = {("conv", False): op.convolution, ("conv", True): op.group_convolution,
             ("conv_transpose", False): op.convolution_backprop_data,
             ("conv_transpose", True): op.group_convolution_backprop_data}


def node(problem, src, wei, auto_pad=None, output_shape=None):
    """The operator of a problem, as documented in the pages of the operation sets. Weights of groups have a first axis
    of groups."""
    is_conv = problem.op == "conv"
    function = FUNCTIONS[problem.op, problem.groups > 1]
    pads = {"pads_begin": problem.pad_begin, "pads_end": problem.pad_end}
    if auto_pad or output_shape is not None:
        pads = {"pads_begin": [0] * problem.rank, "pads_end": [0] * problem.rank, "auto_pad": auto_pad or "explicit"}
    if is_conv:
        return function(src, wei, problem.stride, dilations=problem.dilation, **pads)
    if output_shape is not None:
        return function(src, wei, problem.stride, output_shape=output_shape, dilations=problem.dilation, **pads)
    return function(src, wei, problem.stride, dilations=problem.dilation, output_padding=problem.output_padding, **pads)


def weights(problem, array):
    if problem.groups == 1:
        return array
    return array.reshape(problem.groups, array.shape[0] // problem.groups, *array.shape[1:])


class Operators:
    """`are_inputs`: weights and bias are inputs. `is_dynamic`: batch and axes of the image are open."""

    def __init__(self, are_inputs=False, is_dynamic=False, by_name=False, by_shape=False):
        self.are_inputs, self.is_dynamic, self.by_name, self.by_shape = are_inputs, is_dynamic, by_name, by_shape

    def refusal(self, problem):
        if self.by_name and (problem.padding == "explicit" or problem.op == "conv_transpose" and (
                problem.padding != "valid")):
            return "the padding has no name, or is that of a transposed convolution, where SAME is no padding"
        if self.by_shape and problem.op == "conv":
            return "no output_shape of a convolution"
        return None if not self.by_shape or name_of_shape(problem) else "not the padding of an output_shape"

    def model(self, core, problem, given):
        arrays = [weights(problem, given["wei"])]
        if problem.bias:
            arrays.append(given["bias"].reshape(1, -1, *[1] * problem.rank))
        axes = [-1] * problem.rank
        shape = [-1, problem.ic, *axes] if self.is_dynamic else given["src"].shape
        src = op.parameter(list(shape), numpy.float32)
        others = [op.parameter(list(one.shape), numpy.float32) if self.are_inputs else op.constant(one)
                  for one in arrays]
        name = problem.padding if self.by_name else name_of_shape(problem) if self.by_shape else None
        dst = node(problem, src, others[0], name, op.constant(problem.out, numpy.int64) if self.by_shape else None)
        dst = op.add(dst, others[1]) if problem.bias else dst
        dst = op.relu(dst) if problem.relu else dst
        return openvino.Model([dst], [src, *(others if self.are_inputs else [])]), [
            given["src"], *(arrays if self.are_inputs else [])]


def name_of_shape(problem):
    """The auto_pad by which an output_shape leads to the padding of a problem: total_padding of the page of
    ConvolutionBackpropData. With explicit and valid it crops the end alone, which the page does not say."""
    totals = [begin + end - more for begin, end, more in
              zip(problem.pad_begin, problem.pad_end, problem.output_padding)]
    for name, begins in (("same_lower", [total // 2 for total in totals]),
                         ("same_upper", [total - total // 2 for total in totals])):
        if min(totals) >= 0 and begins == problem.pad_begin:
            return name
    return None


class Imported:
    """The ONNX importer, where weights and bias are inputs."""

    def __init__(self, padding):
        self.padding = padding

    def refusal(self, problem):
        return onnx_model.refusal(problem, self.padding)

    def model(self, core, problem, given):
        serialized = onnx_model.model(problem, self.padding, opset=17).SerializeToString()
        names = ["src", "wei", *(["bias"] if problem.bias else [])]
        return core.read_model(serialized, b""), [given[name] for name in names]


constant, parameter, dynamic = Operators(), Operators(are_inputs=True), Operators(is_dynamic=True)
auto_pad, output_shape = Operators(by_name=True), Operators(by_shape=True)
onnx, onnx_auto_pad, onnx_output_shape = Imported("numbers"), Imported("name"), Imported("shape")
