# SPDX-License-Identifier: Apache-2.0
# ncnn: a grouped convolution with use_bf16_storage is something else than the convolution.
#     python3 ncnn-bf16-groups.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import ncnn
import numpy

# Four channels in two groups, 1x1 kernels of ones: each result is the sum of two channels.
TEXT = "7767517\n2 2\nInput in 0 1 in\nConvolutionDepthWise conv 1 1 in out 0=4 1=1 6=8 7=2\n"
image, results = numpy.full((2, 2, 4), [1, 2, 3, 4], "float32").transpose(2, 0, 1).copy(), []
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.array([0] + [1] * 8, "float32").tobytes())  # 0: the weights that follow are f32
    file.flush()
    for net in (ncnn.Net(), ncnn.Net()):
        net.opt.use_bf16_storage = not results  # first so, then in f32
        net.load_param_mem(TEXT)
        net.load_model(file.name)
        with net.create_extractor() as extractor:
            extractor.input("in", ncnn.Mat(image).clone())
            results.append(numpy.array(extractor.extract("out")[1])[:, 0, 0].tolist())
print("use_bf16_storage:", results[0], "f32:", results[1])
sys.exit(0 if results[0] == results[1] else 1)
