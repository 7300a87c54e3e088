# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: a convolution with a kernel of 1x9 is wrong; it is computed as if the kernel was 3x3.
#     python3 opencv5-nine-taps.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

# A row of 1 to 9, and two filters of nine ones: each result is 45.
image, weights = numpy.arange(1, 10, dtype="float32").reshape(1, 1, 1, 9), numpy.ones((2, 1, 1, 9), "float32")
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 9])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 2, 1, 1])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward().ravel().tolist()
print("results", result, "must be [45, 45]", flush=True)
sys.exit(0 if result == [45, 45] else 1)
