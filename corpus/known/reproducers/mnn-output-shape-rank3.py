# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: output_shape of a transposed convolution of rank 3 is ignored.
#     python3 mnn-output-shape-rank3.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper

image, weights = numpy.ones((1, 1, 1, 1, 2), "float32"), numpy.ones((1, 1, 1, 1, 2), "float32")
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_shape=[1, 1, 2], kernel_shape=[1, 1, 2])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/m.onnx", "wb") as file:
        file.write(model.SerializeToString())
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    results = module.forward([F.const(image, list(image.shape), F.NCHW)])
    result = numpy.array(results[0].read())
print("a result of shape", result.shape, "must be (1, 1, 1, 1, 2)", flush=True)
sys.exit(0 if result.shape == (1, 1, 1, 1, 2) else 1)
