# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN: conv3d_transpose in bf16 leaves elements as it finds them.
#     python3 tensorflow-bf16-conv3d-transpose-unwritten.py
# Exit code: 0 right, 1 wrong.
import os
import sys

if "MALLOC_PERTURB_" not in os.environ:  # what new memory holds: without it, perhaps zeros
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "MALLOC_PERTURB_": "165"})
import tensorflow as tf

sums = {}
for kind in (tf.float32, tf.bfloat16):
    dst = tf.nn.conv3d_transpose(tf.ones((1, 1, 1, 1, 1), kind), tf.ones((11, 8, 16, 1, 1), kind), [1, 14, 9, 34, 1],
                                 [1, 5, 5, 5, 1], "VALID", dilations=[1, 1, 1, 2, 1])
    sums[kind.name] = float(tf.reduce_sum(tf.cast(dst, tf.float32)))
print("sums", sums, "must be", 11 * 8 * 16)
sys.exit(set(sums.values()) != {11 * 8 * 16})
