# SPDX-License-Identifier: Apache-2.0
# ExecuTorch 1.5.1: a model that was converted to channels_last cannot be lowered to XNNPACK.
#     python3 executorch-xnnpack-channels-last-weights.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # logs
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower

model = torch.nn.Conv2d(2, 2, 2).to(memory_format=torch.channels_last)
image = torch.ones(1, 2, 3, 3).to(memory_format=torch.channels_last)
try:
    to_edge_transform_and_lower(torch.export.export(model, (image,)), partitioner=[XnnpackPartitioner()])
except Exception as error:
    print(f"it says {error.__cause__ or error}", flush=True)
    sys.exit(1)
