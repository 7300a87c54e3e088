# SPDX-License-Identifier: Apache-2.0
# IREE with im2col: a depthwise convolution of two images with two channels. All is ones by threes.
#     python3 iree-im2col-depthwise.py
# Exit code 0: right. 1: it does not compile, or is wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

IMAGE, FILTER, RESULT = "tensor<2x1x1x2xf32>", "tensor<1x1x2x1xf32>", "tensor<2x1x1x2x1xf32>"
TEXT = f"""
func.func @main(%image: {IMAGE}, %filter: {FILTER}) -> {RESULT} {{
  %zero = arith.constant dense<0.0> : {RESULT}
  %sum = linalg.depthwise_conv_2d_nhwc_hwcm ins(%image, %filter : {IMAGE}, {FILTER}) outs(%zero : {RESULT}) -> {RESULT}
  return %sum : {RESULT}
}}"""
try:
    code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"],
                                     extra_args=["--iree-global-opt-use-im2col-for-convs"])
except iree.compiler.CompilerToolError as error:
    sys.exit("does not compile: " + str(error).partition("error: ")[2].partition("\n")[0])
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync").main
values = numpy.asarray(run(numpy.ones((2, 1, 1, 2), "f"), numpy.full((1, 1, 2, 1), 3, "f"))).ravel().tolist()
print("computed", values, "right is 3.0 four times")
sys.exit(0 if values == [3, 3, 3, 3] else 1)
