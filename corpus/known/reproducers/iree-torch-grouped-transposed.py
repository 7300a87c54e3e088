# SPDX-License-Identifier: Apache-2.0
# IREE: a transposed convolution of two channels, in two groups, from PyTorch's operator. Each is multiplied by 3.
#     python3 iree-torch-grouped-transposed.py
# Exit code 0: right. 1: it does not compile, or is wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

TENSOR, LIST = "!torch.vtensor<[1,2,1],f32>", "!torch.list<int>"
TEXT = f"""
func.func @main(%x: {TENSOR}, %w: !torch.vtensor<[2,1,1],f32>) -> {TENSOR} {{
  %i0 = torch.constant.int 0 %i1 = torch.constant.int 1 %i2 = torch.constant.int 2 %true = torch.constant.bool true
  %none = torch.constant.none %one = torch.prim.ListConstruct %i1 : (!torch.int) -> {LIST}
  %no = torch.prim.ListConstruct %i0 : (!torch.int) -> {LIST}
  %r = torch.aten.convolution %x, %w, %none, %one, %no, %one, %true, %no, %i2 : {TENSOR},
    !torch.vtensor<[2,1,1],f32>, !torch.none, {LIST}, {LIST}, {LIST}, !torch.bool, {LIST}, !torch.int -> {TENSOR}
  return %r : {TENSOR} }}"""
try:
    code = iree.compiler.compile_str(TEXT, input_type="torch", target_backends=["llvm-cpu"])
except iree.compiler.CompilerToolError as error:
    sys.exit("does not compile: " + str(error).partition("error: ")[2].partition("\n")[0])
module = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")
values = numpy.asarray(module.main(numpy.ones((1, 2, 1), "f"), numpy.full((2, 1, 1), 3, "f"))).ravel().tolist()
print("computed", values, "right is [3.0, 3.0]")
sys.exit(0 if values == [3, 3] else 1)
