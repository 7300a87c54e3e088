# SPDX-License-Identifier: Apache-2.0
# TensorFlow without oneDNN: one infinity in the image makes NaN of the filter gradient of conv3d at all other taps.
#     python3 tensorflow-eigen-conv3d-filter-gradient-special.py
# Exit code: 0 right, 1 wrong.
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"], os.environ["TF_CPP_MIN_LOG_LEVEL"] = "0", "3"
import numpy
import tensorflow as tf

image = numpy.ones((1, 2, 2, 2, 1), numpy.float32)
image[0, 0, 0, 0, 0] = numpy.inf  # each element meets another tap of a kernel as large as the image
got = tf.raw_ops.Conv3DBackpropFilterV2(input=image, filter_sizes=[2, 2, 2, 1, 1], padding="VALID",
                                        out_backprop=numpy.ones((1, 1, 1, 1, 1), numpy.float32), strides=[1] * 5)
print("TensorFlow", tf.__version__, got.numpy().flatten(), "must be", image.flatten())
sys.exit(0 if numpy.array_equal(got.numpy().flatten(), image.flatten()) else 1)
