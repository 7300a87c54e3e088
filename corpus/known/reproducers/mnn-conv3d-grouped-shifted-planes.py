# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a grouped convolution of rank 3 is wrong where padding shifts as many planes as the kernel has.
#     python3 mnn-conv3d-grouped-shifted-planes.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

# Two planes, one of padding before them: the only window reads padding and the first plane.
image = numpy.arange(1, 17, dtype="float32").reshape(1, 4, 2, 1, 2)
weights = numpy.arange(1, 17, dtype="float32").reshape(2, 2, 2, 1, 2)
node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[2, 1, 2], strides=[2, 1, 1],
                        pads=[1, 0, 0, 0, 0, 0], group=2)
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [94, 638]", flush=True)
sys.exit(0 if result == [94, 638] else 1)
