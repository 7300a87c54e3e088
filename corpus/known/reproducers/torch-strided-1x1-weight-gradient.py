# SPDX-License-Identifier: Apache-2.0
# PyTorch, on processors with AVX-512: the gradient of the weights of a strided 1x1 convolution ends the process.
#     python3 torch-strided-1x1-weight-gradient.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import torch

torch.set_num_threads(1)
src = torch.ones(2, 3, 80, 80).contiguous(memory_format=torch.channels_last)
wei = torch.ones(8, 3, 1, 1, requires_grad=True)
for _ in range(3):
    dst = torch.nn.functional.conv2d(src, wei, stride=2)
    gradient, = torch.autograd.grad(dst.sum(), wei)
print("gradient", gradient.flatten().unique().tolist(), "must be", [2 * 40 * 40])
sys.exit(not bool((gradient == 2 * 40 * 40).all()))
