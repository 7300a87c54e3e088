# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a convolution of rank 3 that is dilated in depth adds planes that are not those of its taps.
#     python3 mnn-conv3d-depth-dilation.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

# Four planes of one number, two taps, two planes apart.
image = numpy.arange(1, 5, dtype="float32").reshape(1, 1, 4, 1, 1)
weights = numpy.arange(1, 3, dtype="float32").reshape(1, 1, 2, 1, 1)
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[2, 1, 1], dilations=[2, 1, 1])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [7, 10]", flush=True)
sys.exit(0 if result == [7, 10] else 1)
