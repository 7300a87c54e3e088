# SPDX-License-Identifier: Apache-2.0
# TVM: the importer of ONNX models ignores output_shape of ConvTranspose, and computes 4 elements instead of 3.
#     python3 tvm-onnx-output-shape.py
# Exit code 0: right. 1: wrong.
import sys

from onnx import TensorProto, helper
from tvm.relax.frontend.onnx import from_onnx

shapes = {"x": (1, 1, 3), "w": (1, 1, 2), "y": (1, 1, 3)}
x, w, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items())
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_shape=[3])
module = from_onnx(helper.make_model(helper.make_graph([node], "graph", [x, w], [y])))
extent = int(module["main"].ret_ty.shape[2])
print(f"ConvTranspose with output_shape=[3] has {extent} elements")
sys.exit(0 if extent == 3 else 1)
