# SPDX-License-Identifier: Apache-2.0
# PyTorch with one thread, f32: a strided transposed convolution of 16,400 channels damages the heap.
#     python3 torch-strided-transposed-many-channels.py
# Exit code: 0 right; a signal is the bug.
import torch

torch.set_num_threads(1)
for turn in range(3):
    image = torch.ones(1, 16400, 1, 4).contiguous(memory_format=torch.channels_last)
    got = torch.nn.functional.conv_transpose2d(image, torch.ones(16400, 1, 1, 3), stride=(1, 2))
print(f"PyTorch {torch.__version__}: {got.flatten().tolist()}")
