# SPDX-License-Identifier: Apache-2.0
"""Ways to a model of one convolution: Conv and ConvTranspose, or QLinearConv and ConvInteger, as the pages of ONNX have
them. Each has a refusal, and makes a model and its inputs by name."""
import numpy
from onnx import TensorProto, helper, numpy_helper

import onnx_model

INTEGERS = {"s8": TensorProto.INT8, "u8": TensorProto.UINT8, "s32": TensorProto.INT32}
ARRAYS = {"s8": numpy.int8, "u8": numpy.uint8, "s32": numpy.int32}


class Floats:
    """`padding` as in onnx_model. `are_inputs`: weights and bias are inputs, otherwise constants."""

    def __init__(self, padding="numbers", are_inputs=False, dtype="f32"):
        self.padding, self.are_inputs, self.dtype = padding, are_inputs, dtype

    def refusal(self, problem):
        if set(problem.dtypes.values()) != {self.dtype}:
            return f"all operands are of type {self.dtype}"
        return onnx_model.refusal(problem, self.padding)

    def refusal_of_data(self, problem, given):
        if problem.relu and not all(numpy.isfinite(one).all() for one in given.values()):
            return "ReLU of what is not finite"
        return None

    def model(self, problem, given):
        made = onnx_model.model(problem, self.padding, opset=22)
        inputs = given
        if not self.are_inputs:
            onnx_model.fix(made, {name: array for name, array in given.items() if name != "src"})
            inputs = {"src": given["src"]}
        if problem.relu:
            onnx_model.add_relu(made)
        return made.SerializeToString(), inputs


class Integers:
    """QLinearConv, or ConvInteger where the result is s32. The scale is that of the weights, the others are 1. Weights,
    scales and zero points are constants, since ONNX Runtime packs those."""

    def __init__(self, name):
        self.name = name

    def refusal(self, problem):
        types = [problem.dtypes.get(name) for name in ("src", "wei", "dst")]
        if problem.op != "conv" or types[0] not in ("u8", "s8") or types[1] != "s8" or problem.relu:
            return "convolutions of u8 and s8 by s8, without ReLU"
        if types[2] != ("s32" if self.name == "ConvInteger" else types[0]):
            return "ConvInteger has results of s32, QLinearConv those of the image"
        if self.name == "ConvInteger" and problem.bias:
            return "ConvInteger has no bias"
        return None

    def refusal_of_data(self, problem, given):
        if "bias" not in given:
            return None
        steps = given["bias"].astype("float64") / given.get("scale", numpy.ones(1))
        return None if (steps == numpy.rint(steps)).all() and numpy.abs(steps).max() < 2 ** 31 else (
            "a bias is a whole multiple of its scale")

    def model(self, problem, given):
        source = problem.dtypes["src"]
        zero = numpy.array(problem.src_zero_point, ARRAYS[source])
        values = {"wei": given["wei"], "zero": zero}
        names = ["src", "wei", "zero"]
        if self.name == "QLinearConv":
            scale = given.get("scale", numpy.ones(1, "float32")).astype("float32")
            values |= {"one": numpy.array(1, "float32"), "none": numpy.zeros(problem.oc, "int8"),
                       "scale": scale, "after": numpy.array(problem.dst_zero_point, ARRAYS[source])}
            if scale.size == 1:
                values |= {"scale": scale.reshape(()), "none": numpy.array(0, "int8")}
            names = ["src", "one", "zero", "wei", "scale", "none", "one", "after"]
            if problem.bias:
                values["bias"] = numpy.rint(given["bias"].astype("float64") / scale).astype("int32")
                names.append("bias")
        node = helper.make_node(self.name, names, ["dst"], kernel_shape=problem.kernel, strides=problem.stride,
                                dilations=problem.dilation, group=problem.groups,
                                pads=[*problem.pad_begin, *problem.pad_end])
        described = [helper.make_tensor_value_info(name, INTEGERS[problem.dtypes[name]], problem.dims[name])
                     for name in ("src", "dst")]
        graph = helper.make_graph([node], "problem", described[:1], described[1:],
                                  [numpy_helper.from_array(array, name) for name, array in values.items()])
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
        return made.SerializeToString(), {"src": given["src"]}
