# SPDX-License-Identifier: Apache-2.0
# ncnn: without use_packing_layout, a convolution whose dilation is beyond its result ends the process.
#     python3 ncnn-dilation-beyond-result.py
# Exit code 0: right. 1: wrong, a segmentation fault or an error.
import sys
import tempfile

import ncnn
import numpy

TEXT = "7767517\n2 2\nInput in 0 1 in\nConvolution conv 1 1 in out 0=8 1=3 2=4 6=576\n"  # 8 channels, 3x3, dilation 4
net = ncnn.Net()
net.opt.use_packing_layout = False
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.array([0] + [1] * 576, "float32").tobytes())  # 0: the weights that follow are f32
    file.flush()
    net.load_param_mem(TEXT)
    net.load_model(file.name)
with net.create_extractor() as extractor:
    extractor.input("in", ncnn.Mat(numpy.ones((8, 9, 9), "float32")).clone())
    code, result = extractor.extract("out")
print("a result of one row and column:", code, numpy.array(result).ravel().tolist(), flush=True)
sys.exit(0 if code == 0 and (numpy.array(result) == 72).all() else 1)
