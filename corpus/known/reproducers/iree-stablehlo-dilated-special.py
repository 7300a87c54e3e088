# SPDX-License-Identifier: Apache-2.0
# IREE: a filter of two ones with dilation 2 reads elements 0 and 2 of the image, and not the infinity between them.
#     python3 iree-stablehlo-dilated-special.py
# Exit code 0: right. 1: wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

TEXT = """
func.func @main(%image: tensor<1x3x4xf32>, %filter: tensor<2x2x2xf32>) -> tensor<1x1x2xf32> {
  %r = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [2]}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64} :
    (tensor<1x3x4xf32>, tensor<2x2x2xf32>) -> tensor<1x1x2xf32>
  return %r : tensor<1x1x2xf32>
}"""
code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="stablehlo",
                                 extra_args=["--iree-llvmcpu-target-cpu=generic"])
image = numpy.ones((1, 3, 4), "float32")
image[0, 1, 0] = numpy.inf
module = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")
values = numpy.asarray(module.main(image, numpy.ones((2, 2, 2), "float32"))).ravel().tolist()
print("computed", values, "right is [4.0, 4.0]")
sys.exit(0 if values == [4.0, 4.0] else 1)
