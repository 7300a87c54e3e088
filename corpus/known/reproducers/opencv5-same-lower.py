# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: auto_pad SAME_LOWER is computed as SAME_UPPER.
#     python3 opencv5-same-lower.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

image, weights = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 1, 4), numpy.array([[[[1, 2]]]], "float32")
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 2], auto_pad="SAME_LOWER")
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 1, 1, 4])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward()
print("results", result.ravel().tolist(), "must be [2, 5, 8, 11]", flush=True)
sys.exit(0 if result.ravel().tolist() == [2, 5, 8, 11] else 1)
