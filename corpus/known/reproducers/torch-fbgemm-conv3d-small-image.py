# SPDX-License-Identifier: Apache-2.0
# PyTorch, engine fbgemm: a quantized depthwise conv3d whose kernel of five meets an image of one damages the heap.
#     python3 torch-fbgemm-conv3d-small-image.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.backends.quantized.engine = "fbgemm"
src = torch._make_per_tensor_quantized_tensor(torch.ones(1, 16, 1, 5, 5, dtype=torch.uint8), 1.0, 0)
wei = torch._make_per_tensor_quantized_tensor(torch.ones(16, 1, 5, 5, 5, dtype=torch.int8), 1.0, 0)
packed = torch.ops.quantized.conv3d_prepack(wei, None, [1, 1, 1], [2, 2, 2], [1, 1, 1], 16)
for turn in range(30):
    got = torch.ops.quantized.conv3d(src, packed, 1.0, 0).int_repr()[0, 0, 0, 2, 2].item()
print(f"PyTorch {torch.__version__}: {got}, must be 25")
sys.exit(0 if got == 25 else 1)
