# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a convolution of rank 1 that is the last operator has a result of rank 2.
#     python3 mnn-conv1d-last.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

image = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 4)
weights = numpy.arange(1, 3, dtype="float32").reshape(1, 1, 2)
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[2])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().shape
print("a result of shape", result, "must be (1, 1, 3)", flush=True)
sys.exit(0 if result == (1, 1, 3) else 1)
