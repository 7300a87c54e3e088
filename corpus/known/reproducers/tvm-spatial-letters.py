# SPDX-License-Identifier: Apache-2.0
# TVM: relax.op.nn.conv2d in the layout NCWH says W before H. Padding of H, as the first of the two, is given to W.
#     python3 tvm-spatial-letters.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import relax


def convolution(layout):
    builder = relax.BlockBuilder()
    image = relax.Var("image", relax.TensorType((1, 1, 3, 3), "float32"))
    filters = relax.Var("filters", relax.TensorType((1, 1, 1, 1), "float32"))
    with builder.function("main", [image, filters]):
        with builder.dataflow():
            # One row above the image, and one column behind it.
            result = builder.emit_output(relax.op.nn.conv2d(image, filters, padding=(1, 0, 0, 1), data_layout=layout))
        builder.emit_func_output(result)
    machine = relax.VirtualMachine(tvm.compile(builder.get(), "llvm"), tvm.cpu())
    values = numpy.arange(1, 10, dtype="float32").reshape(1, 1, 3, 3)
    order = [layout.index(letter) for letter in "NCHW"]
    given = numpy.ascontiguousarray(values.transpose([order.index(place) for place in range(4)]))
    ones = numpy.ones((1, 1, 1, 1), "float32")
    return machine["main"](*map(tvm.runtime.tensor, (given, ones))).numpy().transpose(order)[0, 0]


plain, swapped = convolution("NCHW"), convolution("NCWH")
print(f"NCHW:\n{plain}\nNCWH, as NCHW:\n{swapped}\nmust be the same")
sys.exit(0 if (plain == swapped).all() else 1)
