# SPDX-License-Identifier: Apache-2.0
"""Ways to say a problem as a net of one layer: what each refuses, its text, its weights as bytes, and the inputs beside
src."""
import numpy

from layers import BEGIN, END, padding, parameters, text_of, weights

NAMES = {"same_upper": -233, "same_lower": -234}
MOST_TERMS = 2 ** 24 // 127 ** 2  # sums of integers are exact in f32 up to here


class Static:
    """Weights are a part of the model. `by_name`: the padding is said by its name, of a deconvolution with the extents
    of its result."""

    def __init__(self, by_name=False):
        self.by_name = by_name

    def refusal(self, problem):
        return None if not self.by_name or self.name(problem) else "the padding has no name"

    def refusal_of_data(self, problem, given):
        return None

    @staticmethod
    def name(problem):
        """Of the padding; of a deconvolution that which a size leads to."""
        if problem.op == "conv":
            return problem.padding if problem.padding in NAMES else None
        cuts = [begin + end for begin, end in zip(problem.pad_begin, problem.pad_end)]
        halves = {"same_upper": [cut // 2 for cut in cuts], "same_lower": [cut - cut // 2 for cut in cuts]}
        names = [name for name, begins in halves.items() if begins == problem.pad_begin]
        return names[0] if names else None

    def net(self, problem, given):
        pads = padding(problem)
        if self.by_name:
            pads |= {name: NAMES[self.name(problem)] for name in (*BEGIN, *END)}
        if self.by_name and problem.op == "conv_transpose":
            first = 25 if problem.rank == 3 else 20
            pads |= {str(first + axis): size for axis, size in enumerate(reversed(problem.out))}
        text = text_of(problem, parameters(problem, given["wei"].size, pads))
        parts = [numpy.zeros(1, "uint32"), numpy.ascontiguousarray(weights(problem, given["wei"]))]
        return text, b"".join(one.tobytes() for one in [*parts, *([given["bias"]] if problem.bias else [])]), {}


class Dynamic(Static):
    """Weights and bias are inputs, in the order that PyTorch has."""

    def refusal(self, problem):
        return "no dynamic weights of rank 3" if problem.rank == 3 else None

    def net(self, problem, given):
        flag = {"19": 1} if problem.op == "conv" else {"28": 1}
        inputs = {name: given[name] for name in ("wei", "bias") if name in given}
        return text_of(problem, {**parameters(problem, 0, padding(problem)), **flag}, inputs), b"", inputs


class Bf16(Static):
    """ncnn rounds towards zero, which no contract says: it is asked for sums of integers that need no rounding."""

    def refusal_of_data(self, problem, given):
        if not all(numpy.isfinite(one).all() and (one == numpy.rint(one)).all() for one in given.values()):
            return "results may need rounding, which is towards zero"
        summed = 1 if problem.op == "conv" else 0
        sums = numpy.abs(given["wei"]).sum(axis=(summed, *range(2, 2 + problem.rank)))
        most = numpy.abs(given["src"]).max() * sums.max()
        most += numpy.abs(given["bias"]).max() if "bias" in given else 0
        return None if most <= 256 else "results may need rounding, which is towards zero"


class Int8(Static):
    """All scales are 1, so quantization and its inverse change nothing: results are sums."""

    def refusal(self, problem):
        if problem.op != "conv" or problem.rank != 2:
            return "int8 of conv2d only"
        if problem.src_zero_point or problem.relu or problem.bias or "scale" in problem.dims:
            return "no zero points, no bias, no scales"
        if problem.groups == problem.ic == problem.oc and problem.oc % 8 == 0:
            return "depthwise in eights, whose scales go through an approximate reciprocal (_mm_rcp_ps)"
        return "sums beyond 2^24" if numpy.prod(problem.dims["wei"][1:]) > MOST_TERMS else None

    def refusal_of_data(self, problem, given):
        return "-128, which quantization makes -127" if min(given["src"].min(), given["wei"].min()) < -127 else None

    def net(self, problem, given):
        text, data, _ = super().net(problem, given)
        scales = numpy.ones((problem.groups if problem.groups > 1 else problem.oc) + 1, "float32")
        return text.rstrip() + " 8=1\n", data + scales.tobytes(), {}


static, by_name, dynamic, bf16, int8 = Static(), Static(by_name=True), Dynamic(), Bf16(), Int8()
