# SPDX-License-Identifier: Apache-2.0
"""ConvInt8 and DepthwiseConvInt8 of MNN, between FloatToInt8 and Int8ToFloat with a scale of 1, which change nothing.
The converter takes such a model as JSON; the names are those of MNN's schema (schema/default/CaffeOp.fbs)."""
import json

import numpy

from models import Converted

MODES = {"explicit": "CAFFE", "same_upper": "SAME", "valid": "VALID"}
PLAIN = {"tensorScale": [1.0], "zeroPoint": 0, "clampMin": -128, "clampMax": 127}


class Integers(Converted):
    """Results are sums, saturated. Zero points are those of the padding and of ReLU; what else they do is a part of the
    bias (test/op/ConvInt8Test.cpp of MNN). Scales are refused: no document says how halves are rounded."""

    framework = "JSON"

    def refusal(self, problem):
        if problem.rank != 2 or problem.op != "conv":
            return "int8 of conv2d only"
        if "scale" in problem.dims:
            return "no document says how halves are rounded"
        if problem.padding not in MODES or min(*problem.pad_begin, *problem.pad_end) < 0:
            return "no SAME_LOWER, and no negative padding"
        return None

    def refusal_of_data(self, problem, given):
        whole = "bias" not in given or (given["bias"] == numpy.rint(given["bias"])).all()
        return None if whole else "a bias is an integer"

    def serialized(self, problem, given):
        sums = given["wei"].reshape(problem.oc, -1).sum(1)
        bias = given.get("bias", 0) - problem.src_zero_point * sums + problem.dst_zero_point
        common = {"padMode": MODES[problem.padding], "group": problem.groups, "outputCount": problem.oc,
                  "inputCount": problem.ic, "relu": problem.relu}
        for letter, axis in (("Y", 0), ("X", 1)):
            common |= {"kernel" + letter: problem.kernel[axis], "stride" + letter: problem.stride[axis],
                       "dilate" + letter: problem.dilation[axis], "pad" + letter: problem.pad_begin[axis]}
        if problem.padding == "explicit":
            common["pads"] = [*problem.pad_begin, *problem.pad_end]
        quantized = {"weight": given["wei"].astype(int).ravel().tolist(), "bias": bias.astype(int).tolist(),
                     "scale": [1.0] * problem.oc, "zeroPoint": problem.src_zero_point, "clampMin": -128,
                     "clampMax": 127, "outputZeroPoint": problem.dst_zero_point, "nbits": 8}
        is_depthwise = problem.groups == problem.ic == problem.oc
        steps = [
            ("Input", "Input", {"dims": list(given["src"].shape), "dtype": "DT_FLOAT", "dformat": "NCHW"}),
            ("ConvertTensor", "TensorConvertInfo", {"source": "NCHW", "dest": "NC4HW4"}),
            ("FloatToInt8", "QuantizedFloatParam", PLAIN),
            ("DepthwiseConvInt8" if is_depthwise else "ConvInt8", "Convolution2D",
             {"common": common, "symmetricQuan": quantized}),
            ("Int8ToFloat", "QuantizedFloatParam", PLAIN),
            ("ConvertTensor", "TensorConvertInfo", {"source": "NC4HW4", "dest": "NCHW"})]
        names = ["src", "blocks", "integers", "sums", "numbers", "dst"]
        operators = [{"type": kind, "main_type": options, "main": values, "name": names[at], "outputIndexes": [at],
                      "inputIndexes": [at - 1] if at else [], "defaultDimentionFormat": "NCHW"}
                     for at, (kind, options, values) in enumerate(steps)]
        return json.dumps({"oplists": operators, "outputName": ["dst"], "preferForwardType": "CPU", "tensorName": names,
                           "sourceType": "ONNX", "usage": "INFERENCE"}).encode()


integers = Integers()
