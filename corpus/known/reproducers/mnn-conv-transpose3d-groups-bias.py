# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a grouped transposed convolution of rank 3 loses the bias of groups, and may add other memory.
#     python3 mnn-conv-transpose3d-groups-bias.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

image = numpy.arange(1, 5, dtype="float32").reshape(1, 4, 1, 1, 1)
weights = numpy.arange(1, 5, dtype="float32").reshape(4, 1, 1, 1, 1)
bias = numpy.array([100, 200, 300, 400], "float32")
node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], kernel_shape=[1, 1, 1], group=4)
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)],
                          [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [101, 204, 309, 416]", flush=True)
sys.exit(0 if result == [101, 204, 309, 416] else 1)
