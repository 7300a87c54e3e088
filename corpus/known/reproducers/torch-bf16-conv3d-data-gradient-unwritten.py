# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16: the data gradient of conv3d leaves what no window meets as it finds it.
#     python3 torch-bf16-conv3d-data-gradient-unwritten.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

image = torch.ones(1, 3, 4, 3, 276, dtype=torch.bfloat16, requires_grad=True)
weights = torch.ones(1, 3, 3, 3, 3, dtype=torch.bfloat16)
wrong = 0
for turn in range(20):
    left = [torch.full((9936,), 7, dtype=torch.bfloat16) for each in range(20)]  # memory with other numbers
    del left
    dst = torch.nn.functional.conv3d(image, weights, stride=2)
    gradient = torch.autograd.grad(dst, image, torch.ones_like(dst))[0]
    wrong = max(wrong, int((gradient[:, :, 3] != 0).sum()))  # the fourth plane is in no window
print(f"PyTorch {torch.__version__}: {wrong} elements are not 0 where no window is")
sys.exit(wrong > 0)
