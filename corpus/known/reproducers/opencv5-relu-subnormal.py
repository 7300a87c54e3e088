# SPDX-License-Identifier: Apache-2.0
# OpenCV 5.0.0: a ReLU behind a transposed convolution leaves negative subnormal numbers as they are.
#     python3 opencv5-relu-subnormal.py
# Exit code 0: right. 1: wrong.
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

# Of three columns, no pixel reaches the second one: it is the bias, which is negative.
image, weights = numpy.ones((1, 1, 1, 2), "float32"), numpy.ones((1, 1, 1, 1), "float32")
constants = {"w": weights, "b": numpy.array([-1e-40], "float32")}
nodes = [helper.make_node("ConvTranspose", ["x", "w", "b"], ["sum"], kernel_shape=[1, 1], strides=[1, 2]),
         helper.make_node("Relu", ["sum"], ["y"])]
graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, [1, 1, 1, 3])],
                          [numpy_helper.from_array(one, name) for name, one in constants.items()])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
net.setInput(image, "x")
result = net.forward().ravel().tolist()
print("results", result, "must be [1, 0, 1]", flush=True)
sys.exit(0 if min(result) >= 0 else 1)
