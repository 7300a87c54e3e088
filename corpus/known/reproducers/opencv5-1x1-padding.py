# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: a convolution with a kernel of 1x1 ignores its padding.
#     python3 opencv5-1x1-padding.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

# A row of 1 to 4 with a zero in front, and two filters of one: each result is the padded row.
image, weights = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 1, 4), numpy.ones((2, 1, 1, 1), "float32")
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 1], pads=[0, 1, 0, 0])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 2, 1, 5])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward()[0, 0, 0].tolist()
print("the first four of a row", result[:4], "must be [0, 1, 2, 3]", flush=True)
sys.exit(0 if result == [0, 1, 2, 3, 4] else 1)
