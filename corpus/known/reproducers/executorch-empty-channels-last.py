# SPDX-License-Identifier: Apache-2.0
# ExecuTorch 1.5.1: the runtime ends the process where a batch in channels_last is empty.
#     python3 executorch-empty-channels-last.py
# Exit code 0: right. A signal: wrong.
import logging

logging.disable()
import torch
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

image = torch.ones(0, 2, 3, 3).to(memory_format=torch.channels_last)
program = to_edge_transform_and_lower(torch.export.export(torch.nn.Conv2d(2, 2, 2), (image,))).to_executorch().buffer
method = Runtime.get().load_program(program).load_method("forward")
print("it loads; now it is called", flush=True)
method.execute([image])
