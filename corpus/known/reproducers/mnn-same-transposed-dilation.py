# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a dilated transposed convolution with SAME padding is shifted.
#     python3 mnn-same-transposed-dilation.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy
from onnx import helper, numpy_helper, save

# Two channels in, since one in and out is depthwise. Three taps, two apart: two columns are cropped on each side.
image = numpy.arange(1, 9, dtype="float32").reshape(1, 2, 1, 4)
weights = numpy.arange(1, 7, dtype="float32").reshape(2, 1, 1, 3)
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], auto_pad="SAME_UPPER", kernel_shape=[1, 3],
                        dilations=[1, 2])
graph = helper.make_graph([node], "graph", [helper.make_tensor_value_info("x", 1, image.shape)],
                          [helper.make_tensor_value_info("y", 1, None)], [numpy_helper.from_array(weights, "w")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), folder + "/m.onnx")
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", folder + "/m.onnx", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["x"], ["y"])
    result = module.forward([F.const(image, list(image.shape), F.NCHW)])[0].read().ravel().tolist()
print("results", result, "must be [58, 70, 74, 90]", flush=True)
sys.exit(0 if result == [58, 70, 74, 90] else 1)
