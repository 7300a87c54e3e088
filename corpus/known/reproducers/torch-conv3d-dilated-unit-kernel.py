# SPDX-License-Identifier: Apache-2.0
# PyTorch, f32, channels-last: conv3d with a 1x1x1 kernel that is given a dilation, which means nothing, ends the process.
#     python3 torch-conv3d-dilated-unit-kernel.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import torch

image = torch.ones(3, 15, 5, 2, 1).to(memory_format=torch.channels_last_3d)
weights = torch.ones(1, 15, 1, 1, 1).to(memory_format=torch.channels_last_3d)
for turn in range(10):
    got = torch.nn.functional.conv3d(image, weights, torch.zeros(1), (1, 1, 2), (0, 3, 1), (1, 3, 2))
right = torch.nn.functional.conv3d(image.double(), weights.double(), torch.zeros(1).double(), (1, 1, 2), (0, 3, 1))
print(f"PyTorch {torch.__version__}: {'right' if (got == right).all() else 'wrong'}")
sys.exit(0 if (got == right).all() else 1)
