# SPDX-License-Identifier: Apache-2.0
# ncnn on a processor with AVX: a grouped convolution in int8 with 8 filters in a group returns memory as it was.
#     python3 ncnn-int8-groups.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import ncnn
import numpy

# Two groups of 8 filters, 1x1 kernels of ones on 4 channels: each result is the sum of two channels. All scales are 1.
TEXT = "7767517\n2 2\nInput in 0 1 in\nConvolutionDepthWise conv 1 1 in out 0=16 1=1 6=32 7=2"
image = numpy.ones((4, 3, 3), "float32") * numpy.arange(1, 5, dtype="float32").reshape(4, 1, 1)
results = []
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.array([0] + [1] * (32 + 2 + 1), "float32").tobytes())  # 0: f32 follows; weights, scales
    file.flush()
    for net, quantized in ((ncnn.Net(), " 8=1\n"), (ncnn.Net(), "\n")):
        net.load_param_mem(TEXT + quantized)
        net.load_model(file.name)
        with net.create_extractor() as extractor:
            extractor.input("in", ncnn.Mat(image).clone())
            results.append(numpy.array(extractor.extract("out")[1])[:, 0, 0].tolist())
print("int8:", results[0], "f32:", results[1])
sys.exit(0 if results[0] == results[1] else 1)
