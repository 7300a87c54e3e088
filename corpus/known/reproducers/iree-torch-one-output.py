# SPDX-License-Identifier: Apache-2.0
# IREE: a filter of two elements and stride 2 has one window on three elements, and the last element is not read.
#     python3 iree-torch-one-output.py
# Exit code 0: right. 1: it does not compile, or is wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

TEXT = """
func.func @main(%image: tensor<1x3x1xf32>, %filter: tensor<2x1x1xf32>) -> tensor<1x1x1xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %sum = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
    ins(%image, %filter : tensor<1x3x1xf32>, tensor<2x1x1xf32>) outs(%zero : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %sum : tensor<1x1x1xf32>
}"""
try:
    code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"])
except iree.compiler.CompilerToolError as error:
    sys.exit("does not compile: " + str(error).partition("error: ")[2].partition("\n")[0])
module = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")
value = float(numpy.asarray(module.main(numpy.ones((1, 3, 1), "f"), numpy.ones((2, 1, 1), "f")))[0, 0, 0])
print("computed", value, "right is 2")
sys.exit(0 if value == 2 else 1)
