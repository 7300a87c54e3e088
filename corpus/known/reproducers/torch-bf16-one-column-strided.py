# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16: conv2d is wrong if its result has one column, and columns are strided.
#     python3 torch-bf16-one-column-strided.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

# Row r of the image is r + 1 in all 8 channels; a window has 2 rows and 2 columns. All numbers are exact in bf16.
image = torch.arange(1, 14, dtype=torch.bfloat16).reshape(1, 1, 13, 1).expand(1, 8, 13, 3).contiguous()
got = torch.nn.functional.conv2d(image, torch.ones(10, 8, 2, 2, dtype=torch.bfloat16), stride=(1, 2))
right = [16 * (2 * row + 3) for row in range(12)]
print(f"PyTorch {torch.__version__}: {got[0, 0, :, 0].tolist()}\nmust be {right}")
sys.exit(0 if got[0, :, :, 0].tolist() == [right] * 10 else 1)
