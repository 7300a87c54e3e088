# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: the bias of a transposed convolution of rank 3 is added only where the last plane of its kernel lands.
#     python3 mnn-conv-transpose3d-bias.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper

image = numpy.arange(1, 3, dtype="float32").reshape(1, 1, 2, 1, 1)
weights = {"w": numpy.arange(1, 3, dtype="float32").reshape(1, 1, 2, 1, 1)}
weights["b"] = numpy.array([100], "float32")
WANTED = [101, 104, 104]
node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], kernel_shape=[2, 1, 1])
values = {"x": image}
constants = [numpy_helper.from_array(one, name) for name, one in weights.items()]
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], constants)
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/m.onnx", "wb") as file:
        file.write(model.SerializeToString())
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", list(values), ["y"])
    results = module.forward([F.const(one, list(one.shape), F.NCHW) for one in values.values()])
result = numpy.array(results[0].read()) if results else numpy.array([])
print("results", result.ravel().tolist(), "must be", WANTED, flush=True)
sys.exit(0 if result.ravel().tolist() == WANTED else 1)
