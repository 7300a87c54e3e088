# SPDX-License-Identifier: Apache-2.0
# IREE: rows 1 2 and 3 4 with a zero between their numbers, then padded: the zero is gone.
#     python3 iree-strided-insert-padded.py
# Exit code 0: right. 1: wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

TEXT = """
func.func @main(%image: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %spread = tensor.insert_slice %image into %zeros[0, 0] [2, 2] [1, 2] : tensor<2x2xf32> into tensor<2x3xf32>
  %padded = tensor.pad %spread low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index): tensor.yield %zero : f32
  } : tensor<2x3xf32> to tensor<2x5xf32>
  return %padded : tensor<2x5xf32>
}"""
module = iree.runtime.load_vm_flatbuffer(iree.compiler.compile_str(TEXT, target_backends=["vmvx"]), driver="local-sync")
values = numpy.asarray(module.main(numpy.float32([[1, 2], [3, 4]]))).tolist()
print("computed", values, "right is [[0, 1, 0, 2, 0], [0, 3, 0, 4, 0]]")
sys.exit(0 if values == [[0, 1, 0, 2, 0], [0, 3, 0, 4, 0]] else 1)
