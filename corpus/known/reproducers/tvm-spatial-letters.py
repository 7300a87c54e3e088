# SPDX-License-Identifier: Apache-2.0
# TVM: relax.op.nn.conv2d in the layout NCWH says W before H. Padding of H, as the first of the two, is given to W.
#     python3 tvm-spatial-letters.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import relax

builder = relax.BlockBuilder()
image = relax.Var("image", relax.TensorType((1, 1, 2, 2), "float32"))
filters = relax.Var("filters", relax.TensorType((1, 1, 1, 1), "float32"))
with builder.function("main", [image, filters]):
    with builder.dataflow():
        # One row above the image, and one column behind it.
        result = builder.emit_output(relax.op.nn.conv2d(image, filters, padding=(1, 0, 0, 1), data_layout="NCWH"))
    builder.emit_func_output(result)
machine = relax.VirtualMachine(tvm.compile(builder.get(), "llvm"), tvm.cpu())
given = numpy.ones((1, 1, 2, 2), "float32"), numpy.ones((1, 1, 1, 1), "float32")
got = machine["main"](*map(tvm.runtime.tensor, given)).numpy()[0, 0].T.tolist()  # as rows of columns
print("2x2 ones with a row of zeros above and a column of zeros behind:", got)
sys.exit(0 if got == [[0, 0, 0], [1, 1, 0], [1, 1, 0]] else 1)
