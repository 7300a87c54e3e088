# SPDX-License-Identifier: Apache-2.0
# TVM: ReLU of NaN is zero. In ONNX, PyTorch and TensorFlow it is NaN.
#     python3 tvm-relu-nan.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import relax

builder = relax.BlockBuilder()
x = relax.Var("x", relax.TensorType((2,), "float32"))
with builder.function("main", [x]):
    with builder.dataflow():
        y = builder.emit_output(relax.op.nn.relu(x))
    builder.emit_func_output(y)
machine = relax.VirtualMachine(tvm.compile(builder.get(), "llvm"), tvm.cpu())
got = machine["main"](tvm.runtime.tensor(numpy.array([numpy.nan, 1], "float32"))).numpy()
print(f"ReLU of NaN and 1 is {got}, must be [nan  1.]")
sys.exit(0 if numpy.isnan(got[0]) else 1)
