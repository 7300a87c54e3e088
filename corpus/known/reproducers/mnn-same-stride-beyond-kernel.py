# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: SAME crops the image where the stride is beyond the kernel.
#     python3 mnn-same-stride-beyond-kernel.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

# Eight columns, every fifth: the first and the sixth.
image = numpy.arange(1, 9, dtype="float32").reshape(1, 1, 1, 8)
weights = numpy.arange(1, 2, dtype="float32").reshape(1, 1, 1, 1)
node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", kernel_shape=[1, 1], strides=[1, 5])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [1, 6]", flush=True)
sys.exit(0 if result == [1, 6] else 1)
