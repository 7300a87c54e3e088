# SPDX-License-Identifier: Apache-2.0
# PyTorch on processors with AMX: a convolution with 8 columns of 8 channels, or of 16 quantized ones, is wrong.
#     python3 torch-amx-few-channels.py
# Exit code: 0 right, 1 wrong.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
generator, wrong = torch.Generator().manual_seed(0), {}
for engine, channels in (("bf16", 8), ("x86", 16), ("fbgemm", 16)):
    image = torch.randint(0, 4, (1, channels, 1, 40), generator=generator).double()
    weights = torch.randint(-1, 2, (1, channels, 1, 8), generator=generator).double()
    if engine == "bf16":
        got = torch.nn.functional.conv2d(image.bfloat16(), weights.bfloat16()).double()
    else:
        torch.backends.quantized.engine = engine
        src = torch.quantize_per_tensor(image.float(), 1, 0, torch.quint8)
        wei = torch.quantize_per_tensor(weights.float(), 1, 0, torch.qint8)
        packed = torch.ops.quantized.conv2d_prepack(wei, None, [1, 1], [0, 0], [1, 1], 1)
        got = torch.ops.quantized.conv2d(src, packed, 1.0, 128).int_repr().double() - 128
    wrong[engine] = int((got != torch.nn.functional.conv2d(image, weights)).sum())
print(f"PyTorch {torch.__version__}: wrong elements of 33: {wrong}")
sys.exit(any(wrong.values()))
