# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16: a convolution some of whose rows of windows see padding alone ends the process.
#     python3 torch-bf16-idle-windows.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import torch

# The kernel has two rows, two apart: above the image, which has one row, and below.
image, weights = torch.ones(1, 2, 1, 5, dtype=torch.bfloat16), torch.ones(8, 1, 2, 2, dtype=torch.bfloat16)
for turn in range(10):
    got = torch.nn.functional.conv2d(image, weights, None, 1, (1, 2), 2, groups=2)
print(f"PyTorch {torch.__version__}: {'right' if (got == 0).all() else 'wrong'}")
sys.exit(0 if (got == 0).all() else 1)
