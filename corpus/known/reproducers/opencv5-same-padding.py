# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: auto_pad SAME_UPPER pads a strided convolution as one of stride 1.
#     python3 opencv5-same-padding.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

# The page of Conv: out = ceil(4 / 2), which needs one row of padding, and SAME_UPPER has it at the end.
image, weights = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 1, 4), numpy.array([[[[1, 10, 100]]]], "float32")
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 3], strides=[1, 2], auto_pad="SAME_UPPER")
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 1, 1, 2])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward().ravel().tolist()
print("results", result, "must be [321, 43]", flush=True)
sys.exit(0 if result == [321, 43] else 1)
