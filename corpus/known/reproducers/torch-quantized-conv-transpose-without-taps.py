# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv_transpose is wrong in rows that no tap reaches, if there is a zero point.
#     python3 torch-quantized-conv-transpose-without-taps.py
# Exit code: 0 right, 1 the engine x86, which is the default, is wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
wrong = {}
for engine in ("x86", "fbgemm"):
    torch.backends.quantized.engine = engine
    src = torch._make_per_tensor_quantized_tensor(torch.full((1, 4, 8, 8), 255, dtype=torch.uint8), 1.0, 255)  # zeros
    wei = torch._make_per_tensor_quantized_tensor(torch.ones(4, 4, 1, 2, dtype=torch.int8), 1.0, 0)
    packed = torch.ops.quantized.conv_transpose2d_prepack(wei, None, [3, 3], [0, 0], [0, 0], [1, 1], 1)
    got = torch.ops.quantized.conv_transpose2d(src, packed, 1.0, 100).int_repr()
    wrong[engine] = int((got != 100).sum())  # zeros everywhere
print(f"PyTorch {torch.__version__}: wrong elements {wrong} of {got.numel()}")
sys.exit(wrong["x86"] > 0)
