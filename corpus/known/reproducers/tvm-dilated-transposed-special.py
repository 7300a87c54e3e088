# SPDX-License-Identifier: Apache-2.0
# TVM: a transposed convolution with dilation makes NaN of an infinity at positions that it does not reach.
#     python3 tvm-dilated-transposed-special.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import relax

builder = relax.BlockBuilder()
image = relax.Var("image", relax.TensorType((1, 1, 1), "float32"))
filters = relax.Var("filters", relax.TensorType((1, 1, 2), "float32"))
with builder.function("main", [image, filters]):
    with builder.dataflow():
        result = builder.emit_output(relax.op.nn.conv1d_transpose(image, filters, dilation=2))
    builder.emit_func_output(result)
machine = relax.VirtualMachine(tvm.compile(builder.get(), "llvm"), tvm.cpu())
given = numpy.full((1, 1, 1), numpy.inf, "float32"), numpy.ones((1, 1, 2), "float32")
got = machine["main"](*map(tvm.runtime.tensor, given)).numpy().ravel()
print(f"inf times a kernel of two ones, two apart: {got}, must be [inf 0. inf]")
sys.exit(0 if got[1] == 0 else 1)
