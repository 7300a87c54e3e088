# SPDX-License-Identifier: Apache-2.0
# ncnn: SAME_UPPER (-233) drops first columns where the stride is beyond the kernel, if rows are padded.
#     python3 ncnn-same-stride-beyond-kernel.py
# Exit code 0: right. 1: wrong.
import sys
import tempfile

import ncnn
import numpy

# A kernel of 1 column and 3 rows, stride 4 and 1, on an image of 8 columns and 3 rows.
TEXT = "7767517\n2 2\nInput in 0 1 in\nConvolution conv 1 1 in out 0=1 1=1 11=3 3=4 13=1 6=3 "
image = numpy.arange(24, dtype="float32").reshape(1, 3, 8)
results = []
with tempfile.NamedTemporaryFile() as file:
    file.write(numpy.array([0, 0, 1, 0], "float32").tobytes())  # 0: f32 follows; the middle of the kernel is 1
    file.flush()
    for net, padding in ((ncnn.Net(), "4=-233 15=-233 14=-233 16=-233"), (ncnn.Net(), "4=0 15=0 14=1 16=1")):
        net.load_param_mem(TEXT + padding + "\n")
        net.load_model(file.name)
        with net.create_extractor() as extractor:
            extractor.input("in", ncnn.Mat(image).clone())
            results.append(numpy.array(extractor.extract("out")[1])[0].tolist())
print("SAME_UPPER:", results[0], "columns 0 and 4, which it is:", results[1])
sys.exit(0 if results[0] == results[1] else 1)
