# SPDX-License-Identifier: Apache-2.0
# ncnn: a depthwise deconvolution of 60,000 channels whose weights are an input fails, by an overflow of int: 60,000^2 is
# above 2^31, and divided by the groups, 60,000, only then. With 40,000 channels and 3 columns the heap is damaged.
#     python3 ncnn-dynamic-deconvolution-overflow.py
# Exit code 0: right. 1: wrong.
import sys

import ncnn
import numpy

CHANNELS = 60000
TEXT = "7767517\n3 3\nInput src 0 1 src\nInput wei 0 1 wei\n"
TEXT += f"DeconvolutionDepthWise layer 2 1 src wei dst 0={CHANNELS} 1=1 7={CHANNELS} 28=1\n"
net = ncnn.Net()
net.load_param_mem(TEXT)
net.load_model("/dev/null")
with net.create_extractor() as extractor:
    extractor.input("src", ncnn.Mat(numpy.ones((CHANNELS, 1, 1), "float32")).clone())
    extractor.input("wei", ncnn.Mat(numpy.ones((CHANNELS, 1, 1, 1), "float32")).clone())
    code, result = extractor.extract("dst")
print(f"extract returns {code}, and must return 0")
sys.exit(0 if code == 0 else 1)
