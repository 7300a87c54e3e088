# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, bf16: conv3d of an image of one channel and one plane is wrong if there is padding before it.
#     python3 tensorflow-bf16-conv3d-one-plane.py
# Exit code: 0 right, 1 wrong.
import sys

import tensorflow as tf

image, filters = tf.ones([1, 1, 3, 3, 1], tf.bfloat16), tf.ones([3, 3, 3, 1, 1], tf.bfloat16)
got = tf.nn.conv3d(image, filters, [1, 1, 1, 1, 1], "SAME")[0, 0, :, :, 0].numpy().tolist()
right = [[4, 6, 4], [6, 9, 6], [4, 6, 4]]  # so many elements of the image are under each window
print(f"TensorFlow {tf.__version__}: {got}\nmust be {right}")
sys.exit(0 if got == right else 1)
