# SPDX-License-Identifier: Apache-2.0
# OpenVINO: its importer of ONNX crops the end alone where a grouped ConvTranspose has an output_shape.
#     python3 openvino-onnx-output-shape.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
from onnx import TensorProto, helper

# Two groups of one channel of four elements, and kernels of one: total_padding is 4 - 2 = 2, one at each end.
described = [helper.make_tensor_value_info(name, TensorProto.FLOAT, extents)
             for name, extents in (("src", [1, 2, 4]), ("wei", [2, 1, 1]), ("dst", [1, 2, 2]))]
node = helper.make_node("ConvTranspose", ["src", "wei"], ["dst"], output_shape=[2], group=2)
graph = helper.make_graph([node], "graph", described[:2], described[2:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
core = openvino.Core()
compiled = core.compile_model(core.read_model(model.SerializeToString(), b""), "CPU",
                              {"INFERENCE_PRECISION_HINT": "f32"})
image = numpy.array([1, 2, 3, 4, 5, 6, 7, 8], "float32").reshape(1, 2, 4)
result = compiled([image, numpy.ones((2, 1, 1), "float32")])[0][0].tolist()
print("output_shape [2] of 1, 2, 3, 4 and 5, 6, 7, 8:", result, "instead of", image[0, :, 1:3].tolist())
sys.exit(0 if result == image[0, :, 1:3].tolist() else 1)
