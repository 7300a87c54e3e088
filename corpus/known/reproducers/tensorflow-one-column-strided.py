# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN: conv3d of one channel is wrong from its second row on if the result has one column and columns
# are strided, in one thread.
#     python3 tensorflow-one-column-strided.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
numbers = numpy.random.default_rng(0)
image = numbers.integers(-4, 5, (1, 4, 3, 9, 1)).astype("float32")
filters = numbers.integers(-4, 5, (3, 2, 9, 1, 7)).astype("float32")
got = tf.nn.conv3d(image, filters, [1, 2, 1, 2, 1], "VALID").numpy()[0, 0, :, 0]
right = numpy.stack([numpy.tensordot(image[0, :3, row:row + 2], filters, 4) for row in (0, 1)])
print(f"TensorFlow {tf.__version__}:\n{got}\nmust be\n{right}")
sys.exit(0 if (got == right).all() else 1)
