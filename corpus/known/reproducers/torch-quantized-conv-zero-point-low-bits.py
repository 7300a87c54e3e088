# SPDX-License-Identifier: Apache-2.0
# PyTorch on processors with AMX: quantized convolution loses low bits if its zero point times the weights of a window is
# above 2^24: here 200 * 127 * 2295. Pixels are the zero point, but for the first channel's, so that all is taken off.
#     python3 torch-quantized-conv-zero-point-low-bits.py
# Exit code: 0 right, 1 wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
image = torch.full((1, 256, 8, 8), 200, dtype=torch.uint8)
image[0, 0] += (torch.arange(64) % 3).reshape(8, 8).to(torch.uint8)
weights = torch.full((1, 256, 3, 3), 127, dtype=torch.int8)
weights[0, 0] = 1
right = torch.nn.functional.conv2d(image.double() - 200, weights.double()) + 100
src = torch._make_per_tensor_quantized_tensor(image, 1.0, 200)
wei = torch._make_per_tensor_quantized_tensor(weights, 1.0, 0)
wrong = {}
for engine in ("x86", "fbgemm"):
    torch.backends.quantized.engine = engine
    packed = torch.ops.quantized.conv2d_prepack(wei, None, [1, 1], [0, 0], [1, 1], 1)
    wrong[engine] = int((torch.ops.quantized.conv2d(src, packed, 1.0, 100).int_repr() != right).sum())
print(f"PyTorch {torch.__version__}: wrong elements of 36: {wrong}")
sys.exit(any(wrong.values()))
