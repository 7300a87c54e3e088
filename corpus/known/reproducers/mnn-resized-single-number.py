# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a convolution of rank 1 is wrong for an image of one number, if the module has had a longer one before.
#     python3 mnn-resized-single-number.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper

node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1], kernel_shape=[3])
weights = numpy_helper.from_array(numpy.array([[[1, 2, 3]]], "float32"), "w")
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, ["n", 1, "w"])],
                          [helper.make_tensor_value_info("y", 1, ["n", 1, "v"])], [weights])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/m.onnx", "wb") as file:
        file.write(model.SerializeToString())
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    for shape in ([2, 1, 4], [1, 1, 1]):
        result = module.forward([F.const(numpy.full(shape, 5, "float32"), shape, F.NCHW)])[0].read().ravel().tolist()
print("one pixel of 5, times the middle weight of 2:", result, "must be [10]", flush=True)
sys.exit(0 if result == [10] else 1)
