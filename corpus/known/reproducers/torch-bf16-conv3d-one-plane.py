# SPDX-License-Identifier: Apache-2.0
# PyTorch, bf16: conv3d of an image of one channel and one plane is wrong if there is padding before that plane.
#     python3 torch-bf16-conv3d-one-plane.py
# Exit code: 0 right, 1 wrong.
import sys

import torch

image, weights = torch.ones(1, 1, 1, 3, 3), torch.ones(1, 1, 3, 3, 3)
got = torch.nn.functional.conv3d(image.bfloat16(), weights.bfloat16(), padding=1).tolist()
right = [[[[[4, 6, 4], [6, 9, 6], [4, 6, 4]]]]]  # so many elements of the image are under each window
print(f"PyTorch {torch.__version__}:\n{got}\nmust be\n{right}")
sys.exit(0 if got == right else 1)
