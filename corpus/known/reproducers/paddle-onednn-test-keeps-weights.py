# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: a program for tests goes on with weights of earlier runs (those that its thread has seen first).
#     python3 paddle-onednn-test-keeps-weights.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle
from paddle import pir_utils

paddle.enable_static()
ones = numpy.ones((1, 1, 3, 3), "float32")
with pir_utils.OldIrGuard():
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x, w = paddle.static.data("x", ones.shape), paddle.static.data("w", ones.shape)
        y = paddle.nn.functional.conv2d(x, w)
    test, executor = program.clone(for_test=True), paddle.static.Executor()
    seen = [executor.run(test, {"x": ones, "w": weight * ones}, [y.name])[0].item() for weight in range(1, 31)]
print("nine times 1 to 30:", *map(int, seen))
sys.exit(0 if seen == [9 * weight for weight in range(1, 31)] else 1)
