# SPDX-License-Identifier: Apache-2.0
# TensorFlow in bf16, on processors with AMX: a convolution of 8 channels with a kernel of 8 columns is wrong.
#     python3 tensorflow-amx-few-channels.py
# Exit code: 0 right, 1 wrong.
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy
import tensorflow as tf

generator = numpy.random.default_rng(0)
image, filters = generator.integers(0, 4, (1, 1, 40, 8)), generator.integers(-1, 2, (1, 8, 8, 3))
right, got = (tf.cast(tf.nn.conv2d(tf.cast(image, dtype), tf.cast(filters, dtype), 1, "VALID"), tf.float32)
              for dtype in (tf.float32, tf.bfloat16))
wrong = int(tf.reduce_sum(tf.cast(got != right, tf.int32)))
print("TensorFlow", tf.__version__, "wrong elements:", wrong, "of", tf.size(right).numpy())
sys.exit(wrong > 0)
