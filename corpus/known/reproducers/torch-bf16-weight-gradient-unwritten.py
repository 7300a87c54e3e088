# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16, channels-last: weight gradients of convolutions that stride beyond the image have numbers that nobody
# wrote. Memory that was used before has NaN here.
#     python3 torch-bf16-weight-gradient-unwritten.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

torch.set_num_threads(1)


def gradient(channels):
    image = torch.ones(1, channels, 4, 1, dtype=torch.bfloat16).to(memory_format=torch.channels_last)
    weights = torch.ones(channels, 1, 1, 3, dtype=torch.bfloat16, requires_grad=True)
    torch.nn.functional.conv2d(image, weights, stride=2, padding=(0, 2), groups=channels).sum().backward()
    return weights.grad.flatten(1)


wrong = 0
for turn in range(200):
    for size in (1 << exponent for exponent in range(4, 16)):
        torch.full((size,), float("nan"))  # is freed at once
    got = gradient(32)
    if not (got == torch.tensor([2, 0, 2])).all():
        wrong += 1
        example = got[(got != torch.tensor([2, 0, 2])).any(1)][0].tolist()
print(f"PyTorch {torch.__version__}: {wrong} of 200 gradients are wrong" +
      (f", such as {example} instead of [2, 0, 2]" if wrong else ""))
sys.exit(1 if wrong else 0)
