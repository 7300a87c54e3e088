# SPDX-License-Identifier: Apache-2.0
# PyTorch on processors with AMX: a convolution of few channels is wrong where a row of the kernel fills whole blocks:
# in bf16, 8 channels by 8 taps; quantized, 16 channels by 8 taps.
#     python3 torch-amx-few-channels.py
# Exit code: 0 right, 1 wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
generator = torch.Generator().manual_seed(0)
image = torch.randint(0, 4, (1, 8, 1, 40), generator=generator).double()
weights = torch.randint(-1, 2, (1, 8, 1, 8), generator=generator).double()
right = torch.nn.functional.conv2d(image, weights)
got = torch.nn.functional.conv2d(image.bfloat16(), weights.bfloat16()).double()
wrong = {"bf16": int((got != right).sum())}

image = torch.randint(0, 4, (1, 16, 1, 40), generator=generator).double()
weights = torch.randint(-1, 2, (1, 16, 1, 8), generator=generator).double()
right = torch.nn.functional.conv2d(image, weights) + 128
src = torch._make_per_tensor_quantized_tensor(image.to(torch.uint8), 1.0, 0)
wei = torch._make_per_tensor_quantized_tensor(weights.to(torch.int8), 1.0, 0)
for engine in ("x86", "fbgemm"):
    torch.backends.quantized.engine = engine
    packed = torch.ops.quantized.conv2d_prepack(wei, None, [1, 1], [0, 0], [1, 1], 1)
    wrong[engine] = int((torch.ops.quantized.conv2d(src, packed, 1.0, 128).int_repr() != right).sum())
print(f"PyTorch {torch.__version__}: wrong elements of 33: {wrong}")
sys.exit(any(wrong.values()))
