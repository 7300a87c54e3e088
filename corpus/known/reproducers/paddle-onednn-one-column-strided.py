# SPDX-License-Identifier: Apache-2.0
# PaddlePaddle with oneDNN: conv3d of one channel is wrong from its second row on if the result has one column and columns
# are strided.
#     python3 paddle-onednn-one-column-strided.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1", GLOG_minloglevel="3")
import numpy
import paddle

paddle.enable_static()
image = paddle.static.data("image", [1, 1, 4, 3, 9], "float32")
filters = paddle.static.data("filters", [7, 1, 3, 2, 9], "float32")
result = paddle.nn.functional.conv3d(image, filters, stride=[2, 1, 2])
values = numpy.ones((1, 1, 4, 3, 9), "float32")
values[:, :, :, 1:] = 2
got, = paddle.static.Executor(paddle.CPUPlace()).run(
    feed={"image": values, "filters": numpy.ones((7, 1, 3, 2, 9), "float32")}, fetch_list=[result])
# Rows 0 and 1, and rows 1 and 2, of three planes and nine columns.
print(f"PaddlePaddle {paddle.__version__}: {got[0, 0, 0].ravel()}, must be [81, 108]")
sys.exit(0 if (got[0, :, 0, :, 0] == [81, 108]).all() else 1)
