# SPDX-License-Identifier: Apache-2.0
# ExecuTorch: a transposed convolution with an output padding of 1, which its dilation of 2 allows, by XNNPACK.
#     python3 executorch-xnnpack-output-padding.py
# Exit code 0: right. 1: it does not run, or is wrong.
import os
import sys

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # logs
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

model = torch.nn.ConvTranspose2d(1, 1, 2, dilation=2, output_padding=1)
image = torch.ones(1, 1, 2, 2)
exported = torch.export.export(model, (image,))
program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
try:
    result, = Runtime.get().load_program(program).load_method("forward").execute([image])
except RuntimeError as error:
    print(f"it says {error}", flush=True)
    sys.exit(1)
sys.exit(0 if torch.allclose(result, model(image)) else 1)
