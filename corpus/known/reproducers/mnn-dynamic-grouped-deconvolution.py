# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a grouped transposed convolution whose weights are an input takes other weights.
#     python3 mnn-dynamic-grouped-deconvolution.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, save

# Four channels in, two out, in two groups.
values = {"x": numpy.arange(1, 5, dtype="float32").reshape(1, 4, 1, 1),
          "w": numpy.arange(1, 5, dtype="float32").reshape(4, 1, 1, 1)}
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], group=2)
described = [helper.make_tensor_value_info(name, 1, one.shape) for name, one in values.items()]
graph = helper.make_graph([node], "graph", described, [helper.make_tensor_value_info("y", 1, None)])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", list(values), ["y"])
    results = module.forward([F.const(one, list(one.shape), F.NCHW) for one in values.values()])
result = results[0].read().ravel().tolist()
print("results", result, "must be [5, 25]", flush=True)
sys.exit(0 if result == [5, 25] else 1)
