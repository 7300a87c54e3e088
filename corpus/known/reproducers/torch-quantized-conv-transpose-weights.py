# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv_transpose2d by the engines x86 (the default) and onednn mixes up the weights.
#     python3 torch-quantized-conv-transpose-weights.py
# Exit code: 0 right, 1 wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
src = torch.tensor([1, 10], dtype=torch.uint8).reshape(1, 2, 1, 1)
wei = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int8).reshape(2, 3, 1, 1)
right = torch.nn.functional.conv_transpose2d(src.float(), wei.float()).flatten().tolist()
wrong = False
for engine in ("fbgemm", "qnnpack", "onednn", "x86"):
    torch.backends.quantized.engine = engine
    image = torch._make_per_tensor_quantized_tensor(src, 1.0, 0)
    weights = torch._make_per_tensor_quantized_tensor(wei, 1.0, 0)
    packed = torch.ops.quantized.conv_transpose2d_prepack(weights, None, [1, 1], [0, 0], [0, 0], [1, 1], 1)
    dst = torch.ops.quantized.conv_transpose2d(image, packed, 1.0, 0).dequantize().flatten().tolist()
    print(engine, "computes", dst, "and must compute", right)
    wrong = wrong or dst != right
sys.exit(wrong)
