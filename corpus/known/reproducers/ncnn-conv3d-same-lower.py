# SPDX-License-Identifier: Apache-2.0
# ncnn: Convolution3D with padding SAME_LOWER (-234) puts the plane of padding behind the image.
#     python3 ncnn-conv3d-same-lower.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import ncnn
import numpy

# A kernel of two planes of ones on three planes 1, 2, 3. kernel 1 wide, 1 high, 2 deep.
TEXT = "7767517\n2 2\nInput in 0 1 in\nConvolution3D conv 1 1 in out 0=1 1=1 11=1 21=2 6=2 "
image = numpy.array([1, 2, 3], "float32").reshape(1, 3, 1, 1)
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.array([0, 1, 1], "float32").tobytes())  # 0: the weights that follow are f32
    file.flush()
    results = []
    for net, padding in ((ncnn.Net(), "4=-234 15=-234 14=-234 16=-234 24=-234 17=-234"), (ncnn.Net(), "24=1 17=0")):
        net.load_param_mem(TEXT + padding + "\n")
        net.load_model(file.name)
        with net.create_extractor() as extractor:
            extractor.input("in", ncnn.Mat(image).clone())
            results.append(numpy.array(extractor.extract("out")[1]).ravel().tolist())
print("SAME_LOWER:", results[0], "one plane before the image:", results[1])
sys.exit(0 if results[0] == results[1] else 1)
