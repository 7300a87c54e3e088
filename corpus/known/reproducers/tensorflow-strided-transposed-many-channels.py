# SPDX-License-Identifier: Apache-2.0
# TensorFlow with one thread, f32: a strided transposed convolution of 1,024 channels and 25 columns damages the heap.
#     python3 tensorflow-strided-transposed-many-channels.py
# Exit code: 0 right; a signal is the bug. TF_ENABLE_ONEDNN_OPTS=0 makes it right.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
for turn in range(3):
    got = tf.nn.conv2d_transpose(tf.ones((1, 1, 8, 1024)), tf.ones((1, 25, 1, 1024)), (1, 1, 39, 1), (1, 1, 2, 1), "VALID")
print(f"TensorFlow {tf.__version__}: {tf.reshape(got, -1)[:4].numpy().tolist()}")
