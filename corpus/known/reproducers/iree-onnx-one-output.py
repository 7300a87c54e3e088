# SPDX-License-Identifier: Apache-2.0
# IREE: onnx.Conv with a filter of two elements and stride 2 has one window on three elements; the last is not read.
#     python3 iree-onnx-one-output.py
# Exit code 0: right. 1: it does not compile, or is wrong.
import sys

import iree.compiler
import iree.runtime
import numpy

IMAGE, FILTER, RESULT = ("!torch.vtensor<[1,1,%d],f32>" % extent for extent in (3, 2, 1))
TEXT = f"""
func.func @main(%image: {IMAGE}, %filter: {FILTER}) -> {RESULT}
    attributes {{torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64}} {{
  %r = torch.operator "onnx.Conv"(%image, %filter) {{torch.onnx.strides = [2 : si64]}} : ({IMAGE}, {FILTER}) -> {RESULT}
  return %r : {RESULT}
}}"""
try:
    code = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="onnx")
except iree.compiler.CompilerToolError as error:
    sys.exit("does not compile: " + str(error).partition("error: ")[2].partition("\n")[0])
module = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")
value = float(numpy.asarray(module.main(numpy.ones((1, 1, 3), "f"), numpy.ones((1, 1, 2), "f")))[0, 0, 0])
print("computed", value, "right is 2")
sys.exit(0 if value == 2 else 1)
