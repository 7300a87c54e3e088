# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a convolution of rank 3 with a ReLU behind it becomes a model that does not load.
#     python3 mnn-conv3d-relu.py
# Exit code 0: right. 1: wrong, or an exception of load_module_from_file.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

image = numpy.arange(1, 3, dtype="float32").reshape(1, 1, 2, 1, 1)
weights = numpy.arange(1, 2, dtype="float32").reshape(1, 1, 1, 1, 1)
node = helper.make_node("Conv", ["x", "w"], ["sum"], kernel_shape=[1, 1, 1])
relu = helper.make_node("Relu", ["sum"], ["y"])
graph = helper.make_graph([node, relu], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [1, 2]", flush=True)
sys.exit(0 if result == [1, 2] else 1)
