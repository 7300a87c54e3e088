# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16, channels-last: the weight gradient of a convolution with groups and dilated rows is wrong.
#     python3 torch-bf16-grouped-dilated-weight-gradient.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

# The image and the gradient of the result are 1 everywhere: each weight has the number of outputs, 30, as its gradient.
image = torch.ones(1, 2, 3, 31, dtype=torch.bfloat16).to(memory_format=torch.channels_last)
weights = torch.ones(2, 1, 2, 2, dtype=torch.bfloat16, requires_grad=True)
torch.nn.functional.conv2d(image, weights, dilation=(2, 1), groups=2).sum().backward()
print(f"PyTorch {torch.__version__}: {weights.grad.flatten().tolist()}, each must be 30")
sys.exit(0 if (weights.grad == 30).all() else 1)
