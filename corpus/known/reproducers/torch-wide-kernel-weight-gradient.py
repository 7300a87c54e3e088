# SPDX-License-Identifier: Apache-2.0
# PyTorch, f32: the weight gradient of a kernel of 32x14 that is as large as the image is wrong.
#     python3 torch-wide-kernel-weight-gradient.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

# The result is one number for each output channel, and its gradient is 1: that of the weights is the image.
torch.manual_seed(0)
image = torch.randint(1, 5, (1, 3, 32, 14)).float()
weights = torch.ones(16, 3, 32, 14, requires_grad=True)
torch.nn.functional.conv2d(image, weights).sum().backward()
wrong = (weights.grad != image).sum().item()
print(f"PyTorch {torch.__version__}: {wrong} of {weights.numel()} gradients are wrong, by up to "
      f"{(weights.grad - image).abs().max().item()}, where none is above 4")
sys.exit(1 if wrong else 0)
