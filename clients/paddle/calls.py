# SPDX-License-Identifier: Apache-2.0
"""A problem in the words of paddle.nn.functional (its documents: docstrings of paddle/nn/functional/conv.py)."""
from dataclasses import dataclass

import numpy
from paddle.nn import functional

FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


@dataclass(frozen=True)
class Style:
    """Of several ways to say a problem."""

    channels_last: bool = False
    auto_pad: bool = False  # SAME or VALID instead of numbers
    output_size: bool = False  # instead of output_padding

    def refusal(self, problem):
        """Why Paddle cannot be asked: what its documents exclude, and what is no convolution."""
        if set(problem.dtypes.values()) not in ({"f32"}, {"f64"}):
            return "f32 and f64 only, not mixed"
        if problem.why_illegal():
            return "not a legal problem"
        if min(*problem.pad_begin, *problem.pad_end) < 0:
            return "padding is not negative"
        if problem.oc == 0:
            return "no output channels"  # "the size of filter at axis 0 should be greater than 0"
        if self.auto_pad and named_padding(problem) is None:
            return "padding that has no name"
        if self.output_size and not any(problem.output_padding):
            return "no output padding"
        for padding, stride in zip(problem.output_padding, problem.stride):
            if self.output_size and padding >= stride:
                return "output_size is below the smallest one plus the stride"  # so static.nn.conv3d_transpose
            if problem.rank == 1 and padding > stride:
                return "output_padding of conv1d_transpose is not above the stride"  # its error message
        return None


def named_padding(problem):
    """VALID is no padding, and SAME of a convolution puts the odd element at the end. Of transposed convolutions SAME
    is documented as something else: an output of in / stride."""
    if problem.padding == "valid":
        return "VALID"
    return "SAME" if problem.padding == "same_upper" and problem.op == "conv" else None


def explicit_padding(problem):
    """One number for each axis, or its begin and end."""
    if problem.pad_begin == problem.pad_end:
        return tuple(problem.pad_begin)
    return tuple(pad for pair in zip(problem.pad_begin, problem.pad_end) for pad in pair)


@dataclass(frozen=True)
class Call:
    """What is called. Equal calls can share what was compiled for one. `forward` are the operands of the forward
    problem with their extents."""

    function: str
    keywords: tuple
    type: str
    channels_last: bool
    forward: tuple
    result: tuple  # the extents of the output
    outputs: tuple  # names; diff_src and diff_wei are gradients of src and wei

    @staticmethod
    def of(problem, style):
        transposed = problem.op == "conv_transpose"
        dims = {name.removeprefix("diff_"): tuple(one) for name, one in problem.dims.items()}
        forward = [(name, dims[name]) for name in ("src", "wei", "bias") if name in dims]
        keywords = {"stride": tuple(problem.stride), "dilation": tuple(problem.dilation), "groups": problem.groups,
                    "padding": named_padding(problem) if style.auto_pad else explicit_padding(problem),
                    "data_format": FORMATS[problem.rank][style.channels_last]}
        if style.output_size:
            keywords["output_size"] = tuple(problem.out)
        elif any(problem.output_padding):
            keywords["output_padding"] = tuple(problem.output_padding)
        return Call(f"conv{problem.rank}d" + "_transpose" * transposed, tuple(keywords.items()),
                    {"f32": "float32", "f64": "float64"}[next(iter(problem.dtypes.values()))],
                    style.channels_last, tuple(forward), dims["dst"], outputs_of(problem))

    @property
    def is_gradient(self):
        return self.outputs != ("dst",)

    def differentiated(self):
        """Operands whose gradients are wanted."""
        return [name.removeprefix("diff_") for name in self.outputs if name != "dst"]

    def arguments(self):
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.keywords}

    def apply(self, src, wei, bias=None):
        return getattr(functional, self.function)(src, wei, bias, **self.arguments())

    def given(self, name, array):
        """An operand as Paddle has it. Its weights have one layout, whatever that of the images."""
        if self.channels_last and name in ("src", "diff_dst"):
            array = numpy.moveaxis(array, 1, -1)
        return numpy.ascontiguousarray(array)

    def taken(self, name, array):
        """A result in the order of axes that convict has."""
        return numpy.moveaxis(array, -1, 1) if self.channels_last and name in ("dst", "diff_src") else array

    def extents(self, name, dims):
        """Of an operand as Paddle has it."""
        return [dims[0], *dims[2:], dims[1]] if self.channels_last and name in ("src", "dst") else list(dims)


def outputs_of(problem):
    if problem.pass_ == "forward":
        return ("dst",)
    if problem.pass_ == "backward_data":
        return ("diff_src",)
    return ("diff_wei", "diff_bias") if problem.bias else ("diff_wei",)
