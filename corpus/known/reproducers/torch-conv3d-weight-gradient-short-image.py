# SPDX-License-Identifier: Apache-2.0
# PyTorch, f32: the weight gradient of a strided conv3d whose kernel has more planes than the image reads beyond the
# image, and writes beyond the gradient.
#     python3 torch-conv3d-weight-gradient-short-image.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import torch

image, shape = torch.ones(1, 1, 2, 1, 1), (1, 1, 7, 6, 4)
how = (2, 1, 1), (6, 3, 2)  # stride, padding
back = torch.ones(torch.nn.functional.conv3d(image, torch.ones(shape), None, *how).shape)
right = torch.nn.grad.conv3d_weight(image.double(), shape, back.double(), *how)
around = torch.full((9, 9, 9), float("nan"))  # what lies before and behind the image
around[4, 4, 4:6] = 1
got = torch.nn.grad.conv3d_weight(around[4, 4, 4:6].view(1, 1, 2, 1, 1), shape, back, *how)
wrong = (got != right).sum().item()
print(f"PyTorch {torch.__version__}: {wrong} of {right.numel()} elements are wrong, e.g. {got[0, 0, 3, 2].tolist()}")
sys.exit(wrong > 0)
