# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: ConvInt8 with two groups of two channels has results of memory that is not its weights.
#     python3 mnn-int8-groups.py
# Exit code 0: right. 1: wrong.
import json
import sys
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy

# One pixel of four channels, all weights and scales are 1: each result is the sum of the two channels of its group.
one = {"tensorScale": [1.0]}
convolution = {"common": {"group": 2, "inputCount": 4, "outputCount": 4, "pads": [0, 0, 0, 0]},
               "symmetricQuan": {"weight": [1] * 8, "bias": [0] * 4, "scale": [1.0] * 4}}
steps = [("Input", "Input", {"dims": [1, 4, 1, 1], "dtype": "DT_FLOAT", "dformat": "NCHW"}),
         ("ConvertTensor", "TensorConvertInfo", {"source": "NCHW", "dest": "NC4HW4"}),
         ("FloatToInt8", "QuantizedFloatParam", one), ("ConvInt8", "Convolution2D", convolution),
         ("Int8ToFloat", "QuantizedFloatParam", one),
         ("ConvertTensor", "TensorConvertInfo", {"source": "NC4HW4", "dest": "NCHW"})]
operators = [{"type": kind, "main_type": table, "main": values, "name": str(at), "outputIndexes": [at],
              "inputIndexes": [at - 1] if at else []} for at, (kind, table, values) in enumerate(steps)]
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/m.json", "w") as file:
        json.dump({"oplists": operators, "outputName": ["5"], "tensorName": list("012345"), "usage": "INFERENCE"}, file)
    _tools.mnnconvert(["", "-f", "JSON", "--modelFile", folder + "/m.json", "--MNNModel", folder + "/m.mnn"])
    module = MNN.nn.load_module_from_file(folder + "/m.mnn", ["0"], ["5"])
    image = F.const(numpy.array([1, 2, 30, 40], "float32"), [1, 4, 1, 1], F.NCHW)
    result = numpy.array(module.forward([image])[0].read()).ravel().tolist()
print("results", result, "must be [3, 3, 70, 70]", flush=True)
sys.exit(0 if result == [3, 3, 70, 70] else 1)
