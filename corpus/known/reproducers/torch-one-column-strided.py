# SPDX-License-Identifier: Apache-2.0
# PyTorch, f32, channels-last: conv2d of one channel is wrong from its second row on if the result has one column and
# columns are strided.
#     python3 torch-one-column-strided.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

image = torch.arange(80.0).reshape(1, 1, 5, 16).to(memory_format=torch.channels_last)
weights = torch.ones(8, 1, 4, 16).to(memory_format=torch.channels_last)
torch.set_num_threads(1)
got = torch.nn.functional.conv2d(image, weights, stride=(1, 3))[0, :, :, 0]
right = [float(sum(range(64))), float(sum(range(16, 80)))]
print(f"PyTorch {torch.__version__}: {got[0].tolist()}, must be {right}")
sys.exit(0 if got.tolist() == [right] * 8 else 1)
