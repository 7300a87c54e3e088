# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv2d ends the process where both rows of the kernel are in the padding.
#     python3 torch-quantized-conv-idle-windows.py
# Exit code: 0 right; a segmentation fault is the bug.
import warnings

import torch

warnings.simplefilter("ignore")
torch.backends.quantized.engine = "x86"  # the default
image = torch._make_per_tensor_quantized_tensor(torch.ones(1, 8, 1, 40, dtype=torch.uint8), 1.0, 0)
weights = torch._make_per_tensor_quantized_tensor(torch.ones(1, 8, 2, 2, dtype=torch.int8), 1.0, 0)
packed = torch.ops.quantized.conv2d_prepack(weights, None, [1, 1], [2, 2], [4, 4], 1)
for _ in range(3):
    dst = torch.ops.quantized.conv2d(image, packed, 1.0, 0)
print("sum", dst.dequantize().sum().item(), "must be 0")
