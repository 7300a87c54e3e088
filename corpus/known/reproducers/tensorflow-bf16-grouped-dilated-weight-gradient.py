# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, bf16: the filter gradient of a convolution with groups and dilated rows is wrong.
#     python3 tensorflow-bf16-grouped-dilated-weight-gradient.py
# Exit code: 0 right, 1 wrong.
import sys

import tensorflow as tf

# The image and the gradient of the result are 1 everywhere: each weight has the number of outputs, 30, as its gradient.
image, filters = tf.ones((1, 3, 31, 2), tf.bfloat16), tf.ones((2, 2, 1, 2), tf.bfloat16)
with tf.GradientTape() as tape:
    tape.watch(filters)
    result = tf.nn.conv2d(image, filters, 1, "VALID", dilations=[2, 1])
gradient = tape.gradient(result, filters, tf.ones_like(result)).numpy().astype("float32")
print(f"TensorFlow {tf.__version__}: {gradient.ravel().tolist()}, each must be 30")
sys.exit(0 if (gradient == 30).all() else 1)
