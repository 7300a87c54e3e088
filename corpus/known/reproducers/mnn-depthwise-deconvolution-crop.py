# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a depthwise transposed convolution ends the process where padding crops all that a pixel adds.
#     python3 mnn-depthwise-deconvolution-crop.py
# Exit code 0: right. 1: wrong, a segmentation fault.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

# A row of five, three apart, kernels of three. The first pixel lands left of the result.
image = numpy.arange(1, 11, dtype="float32").reshape(1, 2, 1, 5)
weights = numpy.arange(1, 7, dtype="float32").reshape(2, 1, 1, 3)
WANTED = [4, 6, 3, 6, 9, 4, 8, 35, 42, 32, 40, 48, 36, 45]
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], group=2, strides=[1, 3], pads=[0, 4, 0, 4])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be", WANTED, flush=True)
sys.exit(0 if result == WANTED else 1)
