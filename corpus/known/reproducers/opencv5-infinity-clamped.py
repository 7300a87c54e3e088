# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: a convolution makes the largest finite number of an infinite result, without an activation.
#     python3 opencv5-infinity-clamped.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

image, weights = numpy.array([[[[numpy.inf, 1]]]], "float32"), numpy.full((1, 1, 1, 1), 2, "float32")
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 1])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, image.shape)], [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward().ravel().tolist()
print("results", result, "must be [inf, 2]", flush=True)
sys.exit(0 if result == [numpy.inf, 2] else 1)
