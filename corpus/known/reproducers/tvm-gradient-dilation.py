# SPDX-License-Identifier: Apache-2.0
# TVM: the gradient of a dilated conv2d of a 3x3 image has 4x4 elements.
#     python3 tvm-gradient-dilation.py
# Exit code 0: right. 1: wrong.
import sys

from tvm import relax

builder = relax.BlockBuilder()
image = relax.Var("image", relax.TensorType((1, 1, 3, 3), "float32"))
filters = relax.Var("filters", relax.TensorType((1, 1, 2, 2), "float32"))
with builder.function("main", [image, filters]):
    with builder.dataflow():
        call = builder.normalize(relax.op.nn.conv2d(image, filters, strides=2, padding=1, dilation=2))
        result = builder.emit(call)
        ones = builder.emit(relax.op.ones_like(result))
        gradient = builder.emit(call.op.get_attr("FPrimalGradient")(result, call, ones, builder)[0])
        output = builder.emit_output(gradient)
    builder.emit_func_output(output)
shape = [int(extent) for extent in gradient.ty.shape]
print(f"the gradient of an image of 1x1x3x3 has the extents {'x'.join(map(str, shape))}")
sys.exit(0 if shape == [1, 1, 3, 3] else 1)
