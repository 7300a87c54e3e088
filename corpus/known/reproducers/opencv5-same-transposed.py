# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: the result of a strided transposed convolution with auto_pad SAME_UPPER is too small.
#     python3 opencv5-same-transposed.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

# The page of ConvTranspose: with SAME_UPPER, output_shape = input_shape * strides.
image, weights = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 1, 4), numpy.ones((1, 1, 1, 2), "float32")
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[1, 2], strides=[1, 2],
                        auto_pad="SAME_UPPER")
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 1, 1, 8])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward()
print("a result of shape", result.shape, "must be (1, 1, 1, 8)", flush=True)
sys.exit(0 if result.shape == (1, 1, 1, 8) else 1)
