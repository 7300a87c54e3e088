# SPDX-License-Identifier: Apache-2.0
# PyTorch, f64, or f32 without oneDNN: the weight gradient of a channels-last convolution with groups is wrong for one
# image of rows, columns and channels that permute() and unsqueeze(0) have made a batch.
#     python3 torch-grouped-weight-gradient-one-image.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

torch.manual_seed(0)
picture = torch.randint(-4, 5, (4, 6, 8)).double()  # rows, columns, channels
image = picture.permute(2, 0, 1).unsqueeze(0)
model = torch.nn.Conv2d(8, 8, (1, 3), groups=4, bias=False).double().to(memory_format=torch.channels_last)
gradients = []
for one in (image, image.contiguous()):
    model.zero_grad()
    model(one).sum().backward()
    gradients.append(model.weight.grad.flatten())
print(f"PyTorch {torch.__version__}: {gradients[0][:6].tolist()}, must be {gradients[1][:6].tolist()}")
sys.exit(0 if torch.equal(*gradients) else 1)
