# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv3d ends the process where a kernel of 64 columns covers a padded row, if there is a zero point.
#     python3 torch-quantized-conv3d-wide-kernel.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
src = torch._make_per_tensor_quantized_tensor(torch.ones(1, 2, 1, 1, 62, dtype=torch.uint8), 1.0, 1)
wei = torch._make_per_tensor_quantized_tensor(torch.ones(1, 2, 1, 1, 64, dtype=torch.int8), 1.0, 0)
packed = torch.ops.quantized.conv3d_prepack(wei, None, [1, 1, 1], [0, 0, 1], [1, 1, 1], 1)
for turn in range(3):
    got = torch.ops.quantized.conv3d(src, packed, 1.0, 128).int_repr().item()
print(f"PyTorch {torch.__version__}: {got}, must be 128")
sys.exit(got != 128)
