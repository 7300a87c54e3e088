# SPDX-License-Identifier: Apache-2.0
# TensorFlow: in a tf.function, conv3d takes the dilation of rows for that of columns.
#     python3 tensorflow-conv3d-shape-dilation.py
# Exit code: 0 right, 1 wrong.
import sys

import tensorflow as tf

shapes = []


@tf.function
def convolve(src, wei):
    dst = tf.nn.conv3d(src, wei, [1] * 5, "VALID", dilations=[1, 1, 3, 1, 1])
    shapes.append(tuple(dst.shape))  # what TensorFlow infers
    return dst


dst = convolve(tf.zeros((1, 3, 9, 9, 1)), tf.zeros((3, 3, 3, 1, 1)))
print("inferred", shapes[0], "computed", tuple(dst.shape), "must be (1, 1, 3, 7, 1)")
sys.exit(shapes[0] != tuple(dst.shape))
