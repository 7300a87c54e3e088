# SPDX-License-Identifier: Apache-2.0
# PyTorch: the convolutions that Inductor calls in frozen models ignore the stride of a bias.
#     python3 torch-fused-strided-bias.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

src, wei = torch.zeros(1, 1, 2, 2), torch.zeros(3, 1, 1, 1)
bias = torch.tensor([1.0, -7.0, 2.0, -7.0, 3.0])[::2]
ones, zeros = [1, 1], [0, 0]
fused = torch.ops.mkldnn._convolution_pointwise(src, wei, bias, zeros, ones, ones, 1, "none", [], "")
eager = torch.nn.functional.conv2d(src, wei, bias)
print("fused", fused[0, :, 0, 0].tolist(), "eager", eager[0, :, 0, 0].tolist(), "must be", bias.tolist())
sys.exit(not torch.equal(fused, eager))
