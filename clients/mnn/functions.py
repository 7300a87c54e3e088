# SPDX-License-Identifier: Apache-2.0
"""MNN.expr.conv2d and conv2d_transpose, and their gradients by MNN.optim. Pairs are (width, height) there."""
import MNN.expr as F
import MNN.optim
import numpy

import onnx_model
from models import Failed, read, variable

MODES = {"explicit": F.Padding_Mode.CAFFE, "same_upper": F.Padding_Mode.SAME, "valid": F.Padding_Mode.VALID}


class Functions:
    """Of rank 2. `by_name`: with SAME."""

    passes = ("forward", "backward_data", "backward_weights")

    def __init__(self, by_name=False):
        self.by_name = by_name

    def refusal(self, problem):
        if problem.rank != 2:
            return "rank 2 only"
        if problem.relu:
            return "no ReLU"
        if problem.op == "conv_transpose" and problem.groups > 1 and max(problem.ic, problem.oc) > problem.groups:
            return "no document says which weights groups of conv2d_transpose have"
        if any(problem.output_padding):
            return "no output padding"
        if problem.padding not in MODES or self.by_name != (problem.padding == "same_upper"):
            return "another padding"
        if problem.padding == "explicit":
            is_pair = problem.pad_begin == problem.pad_end and min(problem.pad_begin) >= 0
            return None if is_pair else "one padding from 0 for both ends"
        return onnx_model.refusal(problem, "name") if problem.pass_ == "forward" else None

    def refusal_of_data(self, problem, given):
        return None

    def compute(self, problem, given):
        """The outputs by name."""
        weights = [problem.oc, problem.ic] if problem.op == "conv" else [problem.ic, problem.oc]
        shapes = {"src": [problem.batch, problem.ic, *problem.in_], "bias": [problem.oc],
                  "wei": [weights[0], weights[1] // problem.groups, *problem.kernel]}
        variables = [variable(given.get(name, numpy.zeros(shapes[name], "float32"))) for name in ("src", "wei", "bias")]
        for one in variables:
            one.fix_as_trainable()
        function = F.conv2d if problem.op == "conv" else F.conv2d_transpose
        image, wei, bias = variables
        dst = function(F.convert(image, F.NC4HW4), wei, bias, problem.stride[::-1],
                       problem.pad_begin[::-1], problem.dilation[::-1], problem.groups, MODES[problem.padding])
        if dst is None or not dst.valid:
            raise Failed("the function returns nothing")
        dst = F.convert(dst, F.NCHW)
        if problem.pass_ == "forward":
            return {"dst": read(dst)}
        if list(dst.shape) != list(given["diff_dst"].shape):
            raise Failed(f"dst is {list(dst.shape)}")
        _, gradients = MNN.optim.Grad().grad([dst], [variable(given["diff_dst"])], variables)
        if len(gradients) != len(variables):
            raise Failed(f"grad() returns {len(gradients)} gradients")
        if problem.pass_ == "backward_data":
            return {"diff_src": read(gradients[0])}
        return {"diff_wei": read(gradients[1]), "diff_bias": read(gradients[2])}


functions, by_name = Functions(), Functions(by_name=True)
