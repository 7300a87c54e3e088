# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: a transposed convolution with output_shape has a result of another shape.
#     python3 opencv5-output-shape.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

image, weights = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 1, 4), numpy.array([[[[1, 2]]]], "float32")
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[1, 2], strides=[1, 1],
                        output_shape=[1, 5])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 1, 1, 5])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8),
                              engine=cv2.dnn.ENGINE_NEW)
net.setInput(image, "x")
result = net.forward()
print("a result of shape", result.shape, "must be (1, 1, 1, 5)", flush=True)
sys.exit(0 if result.shape == (1, 1, 1, 5) else 1)
