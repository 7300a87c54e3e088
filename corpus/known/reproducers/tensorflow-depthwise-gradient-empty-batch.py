# SPDX-License-Identifier: Apache-2.0
# TensorFlow: the filter gradient of a depthwise convolution of no image is memory that nobody wrote.
#     python3 tensorflow-depthwise-gradient-empty-batch.py
# Exit code: 0 right, 1 wrong.
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf

wrong = False
for _ in range(20):
    filled = [tf.random.normal((2, 2, 1, 1)) for _ in range(50)]  # what the memory holds afterwards
    del filled
    gradient = tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
        input=tf.zeros((0, 4, 4, 1)), filter_sizes=[2, 2, 1, 1], out_backprop=tf.zeros((0, 4, 4, 1)), strides=[1] * 4,
        padding="SAME").numpy().flatten()
    if gradient.any():
        wrong = True
        print("gradient", gradient, "must be zeros: the sum over no image")
sys.exit(wrong)
