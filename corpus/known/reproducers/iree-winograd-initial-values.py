# SPDX-License-Identifier: Apache-2.0
# IREE, Winograd's convolution: ones by ones are 9, and 100 where the sum begins (the bias) makes 109.
#     python3 iree-winograd-initial-values.py
# Exit code 0: right. 1: wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

TEXT = """
func.func @main(%image: tensor<1x8x8x1xf32>, %filter: tensor<3x3x1x1xf32>) -> tensor<1x6x6x1xf32> {
  %bias = arith.constant dense<100.0> : tensor<1x6x6x1xf32>
  %sum = linalg.conv_2d_nhwc_hwcf ins(%image, %filter : tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>)
    outs(%bias : tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32>
  return %sum : tensor<1x6x6x1xf32>
}"""
PASS = "iree-linalg-ext-convert-conv2d-to-winograd{replace-all-convs=true}"
code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], extra_args=[
    "--iree-llvmcpu-target-cpu=generic", f"--iree-preprocessing-pass-pipeline=builtin.module(util.func({PASS}))"])
module = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")
value = float(numpy.asarray(module.main(numpy.ones((1, 8, 8, 1), "f"), numpy.ones((3, 3, 1, 1), "f")))[0, 0, 0, 0])
print("computed", value, "right is 109")
sys.exit(0 if abs(value - 109) < 1 else 1)
