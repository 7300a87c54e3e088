# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv3d by the default engine is wrong for one plane with padding before it.
#     python3 torch-quantized-conv3d-one-plane.py
# Exit code: 0 right, 1 wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.manual_seed(1)
src = torch.randint(0, 4, (1, 1, 1, 3, 3), dtype=torch.uint8)
wei = torch.randint(-2, 3, (17, 1, 3, 3, 3), dtype=torch.int8)
right = 100 + torch.nn.functional.conv3d(src.double(), wei.double(), padding=(1, 0, 0)).flatten()
wrong = {}
for engine in ("fbgemm", "x86"):
    torch.backends.quantized.engine = engine
    image = torch._make_per_tensor_quantized_tensor(src, 1.0, 0)
    weights = torch._make_per_tensor_quantized_tensor(wei, 1.0, 0)
    packed = torch.ops.quantized.conv3d_prepack(weights, None, [1, 1, 1], [1, 0, 0], [1, 1, 1], 1)
    dst = torch.ops.quantized.conv3d(image, packed, 1.0, 100).int_repr().flatten()
    wrong[engine] = int((dst != right).sum())
print("wrong elements", wrong, "of", right.numel())
sys.exit(wrong["x86"] > 0)
