# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16: transposed convolution of one row ends the process where padding crops all rows that its taps reach.
#     python3 torch-bf16-conv-transpose-beyond.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import torch

image, weights = torch.ones(1, 8, 1, 5).bfloat16(), torch.ones(8, 8, 2, 2).bfloat16()
got = torch.nn.functional.conv_transpose2d(image, weights, padding=(1, 0), dilation=(3, 1))
print(f"PyTorch {torch.__version__}: rows 1 and 2 of 0 to 3, which no tap reaches: {got.abs().max().item()}, must be 0")
sys.exit(0 if (got == 0).all() else 1)
