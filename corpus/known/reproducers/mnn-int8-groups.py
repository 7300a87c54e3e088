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

# One pixel of four channels, all weights and scales are 1: each result is the sum of the two channels of its group.
convolution = {"common": {"group": 2, "inputCount": 4, "outputCount": 4, "pads": [0, 0, 0, 0]},
               "symmetricQuan": {"weight": [1] * 8, "bias": [0] * 4, "scale": [1.0] * 4}}
steps = [("Input", "Input", {"dims": [1, 4, 1, 1], "dtype": "DT_FLOAT", "dformat": "NC4HW4"}),
         ("FloatToInt8", "QuantizedFloatParam", {"tensorScale": [1.0]}), ("ConvInt8", "Convolution2D", convolution),
         ("Int8ToFloat", "QuantizedFloatParam", {"tensorScale": [1.0]})]
operators = [{"type": kind, "main_type": table, "main": values, "name": str(at), "outputIndexes": [at],
              "inputIndexes": [at - 1] if at else []} for at, (kind, table, values) in enumerate(steps)]
image = F.convert(F.const([1.0, 2.0, 30.0, 40.0], [1, 4, 1, 1], F.NCHW), F.NC4HW4)
with tempfile.NamedTemporaryFile("w") as file, tempfile.NamedTemporaryFile() as model:
    print(json.dumps({"oplists": operators, "outputName": ["3"], "tensorName": list("0123")}), file=file, flush=True)
    _tools.mnnconvert(["", "-f", "JSON", "--modelFile", file.name, "--MNNModel", model.name])
    result = F.convert(MNN.nn.load_module_from_file(model.name, ["0"], ["3"]).forward([image])[0], F.NCHW).read()
print("results", result.ravel().tolist(), "must be [3, 3, 70, 70]", flush=True)
sys.exit(0 if result.ravel().tolist() == [3, 3, 70, 70] else 1)
