# SPDX-License-Identifier: Apache-2.0
# PyTorch: a frozen model in channels-last is wrong where a kernel of one output channel covers the whole image of
# 6x6 elements or more. Here is the operator that torch.compile puts into such models (torch._inductor.config.freezing).
#     python3 torch-fused-one-output.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

generator = torch.Generator().manual_seed(0)
image = torch.randint(-4, 5, (2, 3, 6, 6), generator=generator).float()
weights = torch.randint(-4, 5, (1, 3, 6, 6), generator=generator).float()
how = [0, 0], [1, 1], [1, 1], 1
packed = torch.ops.mkldnn._reorder_convolution_weight(weights.to(memory_format=torch.channels_last), *how, [2, 3, 6, 6])
got = torch.ops.mkldnn._convolution_pointwise(image, packed, None, *how, "none", [], "").flatten().tolist()
right = (image * weights).sum((1, 2, 3)).tolist()
print(f"PyTorch {torch.__version__}: {got}, must be {right}")
sys.exit(0 if got == right else 1)
