# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16, channels-last: weight gradients of convolutions that stride beyond the image have numbers that nobody
# wrote. Memory that was used before has NaN here.
#     python3 torch-bf16-weight-gradient-unwritten.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

torch.set_num_threads(1)
right, wrong = torch.tensor([2, 0, 2]), []
for turn in range(200):
    for exponent in range(4, 16):
        torch.full((1 << exponent,), float("nan"))  # is freed at once
    image = torch.ones(1, 32, 4, 1, dtype=torch.bfloat16).to(memory_format=torch.channels_last)
    weights = torch.ones(32, 1, 1, 3, dtype=torch.bfloat16, requires_grad=True)
    torch.nn.functional.conv2d(image, weights, stride=2, padding=(0, 2), groups=32).sum().backward()
    got = weights.grad.flatten(1)
    wrong += got[(got != right).any(1)][:1].tolist()
print(f"PyTorch {torch.__version__}: {len(wrong)} of 200 gradients are wrong, such as {wrong[:1]} for {right.tolist()}")
sys.exit(1 if wrong else 0)
