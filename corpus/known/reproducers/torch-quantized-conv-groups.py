# SPDX-License-Identifier: Apache-2.0
# PyTorch: a quantized convolution with groups of more than 32 output channels is wrong if there is a zero point.
#     python3 torch-quantized-conv-groups.py
# Exit code: 0 right, 1 the engine x86, which is the default, is wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
generator = torch.Generator().manual_seed(0)
image = torch.randint(0, 9, (1, 2, 8, 8), generator=generator).to(torch.uint8)
weights = torch.randint(-4, 5, (80, 1, 3, 3), generator=generator).to(torch.int8)
right = (torch.nn.functional.conv2d(image.double() - 3, weights.double(), padding=1, groups=2) + 100).clamp(0, 255)
src = torch._make_per_tensor_quantized_tensor(image, 1.0, 3)
wei = torch._make_per_tensor_quantized_tensor(weights, 1.0, 0)
wrong = {}
for engine in ("x86", "fbgemm"):
    torch.backends.quantized.engine = engine
    packed = torch.ops.quantized.conv2d_prepack(wei, None, [1, 1], [1, 1], [1, 1], 2)
    wrong[engine] = int((torch.ops.quantized.conv2d(src, packed, 1.0, 100).int_repr() != right).sum())
print(f"PyTorch {torch.__version__}: wrong elements of 5120: {wrong}")
sys.exit(wrong["x86"] > 0)
