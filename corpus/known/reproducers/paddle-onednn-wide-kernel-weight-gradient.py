# SPDX-License-Identifier: Apache-2.0
# PaddlePaddle with oneDNN: the weight gradient of a kernel of 32x14 that is as large as the image is wrong.
#     python3 paddle-onednn-wide-kernel-weight-gradient.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1", GLOG_minloglevel="3")
import numpy
import paddle

# The result is one number for each output channel, and its gradient is 1: that of the weights is the image.
paddle.enable_static()
image = paddle.static.data("image", [1, 3, 32, 14], "float32")
filters = paddle.static.data("filters", [16, 3, 32, 14], "float32")
filters.stop_gradient = False
gradient = paddle.static.gradients(paddle.nn.functional.conv2d(image, filters), filters)
values = numpy.random.default_rng(0).integers(1, 5, (1, 3, 32, 14)).astype("float32")
got, = paddle.static.Executor(paddle.CPUPlace()).run(
    feed={"image": values, "filters": numpy.ones((16, 3, 32, 14), "float32")}, fetch_list=gradient)
wrong = (got != values).sum()
print(f"PaddlePaddle {paddle.__version__}: {wrong} of {got.size} gradients are wrong, by up to {abs(got - values).max()}")
sys.exit(1 if wrong else 0)
