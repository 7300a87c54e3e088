# SPDX-License-Identifier: Apache-2.0
# TVM: the gradient of a grouped conv2d of no images, a sum over nothing, fails: "The type is not populated".
#     python3 tvm-gradient-groups-of-nothing.py
# Exit code 0: right. 1: wrong.
import sys

from tvm import relax

builder = relax.BlockBuilder()
image = relax.Var("image", relax.TensorType((0, 2, 3, 3), "float32"))
filters = relax.Var("filters", relax.TensorType((2, 1, 1, 1), "float32"))
try:
    with builder.function("main", [image, filters]):
        call = builder.normalize(relax.op.nn.conv2d(image, filters, groups=2))
        result = builder.emit(call)
        ones = builder.emit(relax.op.ones_like(result))
        builder.emit_func_output(builder.emit(call.op.get_attr("FPrimalGradient")(result, call, ones, builder)[1]))
except Exception as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
