# SPDX-License-Identifier: Apache-2.0
# PyTorch: quantized conv_transpose2d ends the process where the taps of a row lie in what padding crops.
#     python3 torch-quantized-conv-transpose-beyond.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys
import warnings

import torch

warnings.simplefilter("ignore")
src = torch._make_per_tensor_quantized_tensor(torch.ones(1, 8, 1, 1, dtype=torch.uint8), 1.0, 0)
wei = torch._make_per_tensor_quantized_tensor(torch.ones(8, 8, 2, 3, dtype=torch.int8), 1.0, 0)
# The two rows of the kernel are three apart. They reach the first and the last of four rows, which padding crops.
packed = torch.ops.quantized.conv_transpose2d_prepack(wei, None, [1, 1], [1, 0], [0, 0], [3, 1], 1)
got = torch.ops.quantized.conv_transpose2d(src, packed, 1.0, 0).int_repr()
print(f"PyTorch {torch.__version__}: {int((got != 0).sum())} elements are not 0")
sys.exit(bool((got != 0).any()))
