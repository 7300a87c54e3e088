# SPDX-License-Identifier: Apache-2.0
# ExecuTorch 1.5.1: Conv2d(padding="same") with an even kernel is wrong for images in channels_last, by portable kernels.
#     python3 executorch-pad-channels-last.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # logs
import torch
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

model = torch.nn.Conv2d(2, 2, 2, padding="same", bias=False)
model.weight.data = torch.ones(2, 2, 2, 2)
image = torch.arange(8.0).reshape(1, 2, 2, 2).to(memory_format=torch.channels_last)
program = to_edge_transform_and_lower(torch.export.export(model, (image,))).to_executorch().buffer
result, = Runtime.get().load_program(program).load_method("forward").execute([image])
result, right = result.ravel().tolist(), model(image).ravel().tolist()
print("results", result, "must be", right, flush=True)
sys.exit(0 if result == right else 1)
