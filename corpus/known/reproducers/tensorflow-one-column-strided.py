# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN: conv3d of one channel is wrong from its second row on if the result has one column and columns
# are strided.
#     python3 tensorflow-one-column-strided.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

# Row 0 of the image is 1, rows 1 and 2 are 2. A window has 3 planes, 2 rows and 9 columns.
image = numpy.ones((1, 4, 3, 9, 1), "float32")
image[:, :, 1:] = 2
got = tf.nn.conv3d(image, numpy.ones((3, 2, 9, 1, 7), "float32"), [1, 2, 1, 2, 1], "VALID").numpy()
print(f"TensorFlow {tf.__version__}: {got[0, 0, :, 0, 0]}, must be [81, 108]")
sys.exit(0 if (got[0, 0, :, 0] == [[81], [108]]).all() else 1)
