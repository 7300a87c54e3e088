# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, bf16: conv2d is wrong if its result has one column, and columns are strided.
#     python3 tensorflow-bf16-one-column-strided.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

# Row r of the image is r + 1 in all 8 channels; a window has 2 rows and 2 columns. All numbers are exact in bf16.
rows = numpy.arange(1, 14, dtype="float32").reshape(1, 13, 1, 1)
image = tf.cast(numpy.broadcast_to(rows, (1, 13, 3, 8)), tf.bfloat16)
got = tf.nn.conv2d(image, tf.ones((2, 2, 8, 10), tf.bfloat16), [1, 2], "VALID").numpy().astype("float32")
right = [16 * (2 * row + 3) for row in range(12)]
print(f"TensorFlow {tf.__version__}: {got[0, :, 0, 0].tolist()}\nmust be {right}")
sys.exit(0 if (got[0, :, 0].T == right).all() else 1)
