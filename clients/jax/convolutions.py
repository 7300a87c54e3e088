# SPDX-License-Identifier: Apache-2.0
"""Ways to say a forward convolution to JAX. Each makes a function of src and wei for a problem, or says why not."""
from jax import lax

import calls
from convict import forward


class General:
    """lax.conv_general_dilated. A transposed convolution dilates its image; its kernel is turned around, and its
    channels are regrouped."""

    def __init__(self, layout):
        self.layout = layout

    def refusal(self, problem):
        return None

    def function(self, problem):
        form = form_of_forward(problem)
        return lambda src, wei: self.convolve(problem, form, src, wei)

    def convolve(self, problem, form, src, wei, padding=None, insert=None):
        letters = "OI"
        if problem.op == "conv_transpose":
            wei = lax.rev(wei, self.layout.spatial(problem.rank, "wei"))
            wei, letters = (wei, "IO") if problem.groups == 1 else (self.regrouped(wei, problem.groups), "OI")
        return lax.conv_general_dilated(
            src, wei, form.stride, list(zip(form.low, form.high())) if padding is None else padding,
            form.insert if insert is None else insert, form.dilation, self.layout.numbers(problem.rank, letters),
            feature_group_count=problem.groups, preferred_element_type=preferred(problem))

    def regrouped(self, wei, groups):
        """Weights of a transposed convolution, whose first axis has the channels of all groups, as those of a
        convolution, where the output channels are those of all groups."""
        if self.layout.channels_last:
            *spatial, o, i = wei.shape
            wei = wei.reshape(*spatial, o, groups, i // groups)
            last = wei.ndim - 1
            return wei.transpose(*range(last - 2), last, last - 1, last - 2).reshape(*spatial, i // groups, groups * o)
        i, o, *spatial = wei.shape
        return wei.reshape(groups, i // groups, o, *spatial).swapaxes(1, 2).reshape(groups * o, i // groups, *spatial)


class Padded(General):
    """Padding, cropping and the zeros between elements by lax.pad, which XLA may put into the convolution."""

    def function(self, problem):
        form = form_of_forward(problem)
        axes = [(low, high, insert - 1) for low, high, insert in zip(form.low, form.high(), form.insert)]
        axes = [(0, 0, 0), *axes, (0, 0, 0)] if self.layout.channels_last else [(0, 0, 0), (0, 0, 0), *axes]
        none, one = [(0, 0)] * problem.rank, [1] * problem.rank
        return lambda src, wei: self.convolve(problem, form, lax.pad(src, src.dtype.type(0), axes), wei, none, one)


class Transposed:
    """lax.conv_transpose. Its padding is that of the convolution whose gradient it is; output padding takes from that
    of the end."""

    def __init__(self, layout):
        self.layout = layout

    def refusal(self, problem):
        if problem.op != "conv_transpose":
            return "not a transposed convolution"
        return "lax.conv_transpose has no groups" if problem.groups > 1 else None

    def function(self, problem):
        padding = self.padding(problem)
        return lambda src, wei: lax.conv_transpose(
            src, wei, problem.stride, padding, problem.dilation, self.layout.numbers(problem.rank),
            transpose_kernel=True, preferred_element_type=preferred(problem), use_consistent_padding=True)

    @staticmethod
    def padding(problem):
        """SAME and VALID where they lead to the same extents: those of VALID are stride times in, or more."""
        if problem.padding == "same_upper":
            return "SAME"
        windows = [dilation * (kernel - 1) + 1 for dilation, kernel in zip(problem.dilation, problem.kernel)]
        if problem.padding == "valid" and problem.output_padding == [max(stride - window, 0) for stride, window in
                                                                     zip(problem.stride, windows)]:
            return "VALID"
        return [(begin, end - more) for begin, end, more in
                zip(problem.pad_begin, problem.pad_end, problem.output_padding)]


class BatchGroups:
    """Groups as batch_group_count: of all passes, as one forward convolution (convict.forward)."""

    operation = forward.Operation("batch groups", "gnSc", "Scgf", "nSF")

    def __init__(self, layout):
        self.layout = layout

    def refusal(self, problem):
        return "no groups" if problem.groups == 1 else None

    def whole(self, problem):
        """A function of image, filter and bias."""
        form = forward.form_of(problem)
        merged = (lambda array, axis: array.reshape(*array.shape[:axis], -1, *array.shape[axis + 2:]))

        def convolution(image, weights, bias=None):
            result = lax.conv_general_dilated(
                merged(image, 0), merged(weights, weights.ndim - 2), form.stride, list(zip(form.low, form.high())),
                form.insert, form.dilation, self.layout.numbers(problem.rank), batch_group_count=problem.groups,
                preferred_element_type=preferred(problem))
            return result if bias is None else result + bias

        return convolution


def form_of_forward(problem):
    """The forward problem of a gradient, as a Form."""
    return forward.form_of(calls.forward_of(problem))


def preferred(problem):
    """The type of results, where it is not that of the operands."""
    src, _, dst = (problem.dtypes[name] for name in calls.operand_names(problem))
    return calls.TYPES[dst] if dst != src else None
