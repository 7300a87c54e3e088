# SPDX-License-Identifier: Apache-2.0
# ExecuTorch 1.5.1: a convolution of an image with one channel in channels_last does not run by XNNPACK.
#     python3 executorch-xnnpack-channels-last-extents.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # logs
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

model = torch.nn.Conv2d(1, 2, 2)
image = torch.ones(1, 1, 3, 3).to(memory_format=torch.channels_last)
lowered = to_edge_transform_and_lower(torch.export.export(model, (image,)), partitioner=[XnnpackPartitioner()])
program = lowered.to_executorch().buffer
try:
    result, = Runtime.get().load_program(program).load_method("forward").execute([image])
except RuntimeError as error:
    print(f"it says {error}", flush=True)
    sys.exit(1)
sys.exit(0 if torch.allclose(result, model(image)) else 1)
