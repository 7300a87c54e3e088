# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: auto_pad of a convolution of rank 3 is ignored: the result has the shape of no padding.
#     python3 mnn-onnx-auto-pad-rank3.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

image = numpy.arange(1, 4, dtype="float32").reshape(1, 1, 3, 1, 1)
weights = numpy.arange(1, 4, dtype="float32").reshape(1, 1, 3, 1, 1)
node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", kernel_shape=[3, 1, 1])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().shape
print("a result of shape", result, "must be (1, 1, 3, 1, 1)", flush=True)
sys.exit(0 if result == (1, 1, 3, 1, 1) else 1)
