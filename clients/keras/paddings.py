# SPDX-License-Identifier: Apache-2.0
"""How Keras says the padding of a problem."""


def arguments(problem):
    """`padding`, and `output_padding` of conv_transpose; None if there are none that say it."""
    return conv(problem) if problem.op == "conv" else conv_transpose(problem)


def conv(problem):
    if not any(problem.pad_begin) and not any(problem.pad_end):
        return {"padding": "valid"}
    for axis in range(problem.rank):
        window = problem.dilation[axis] * (problem.kernel[axis] - 1) + 1
        extent = -(-problem.in_[axis] // problem.stride[axis])
        total = max((extent - 1) * problem.stride[axis] + window - problem.in_[axis], 0)
        if problem.out[axis] != extent or problem.pad_begin[axis] != total // 2:
            return None
    return {"padding": "same"}


def conv_transpose(problem):
    """"valid" crops nothing. "same" without output_padding is the gradient of a convolution with "same", of which the
    smaller half is at the begin; with a kernel that is smaller than the stride, nothing is cropped. What output_padding
    does to "same" is not documented."""
    if not any(problem.pad_begin) and not any(problem.pad_end):
        return {"padding": "valid", "output_padding": tuple(problem.output_padding)}
    for axis in range(problem.rank):
        window = problem.dilation[axis] * (problem.kernel[axis] - 1) + 1
        total = window - problem.stride[axis]
        if problem.out[axis] != problem.in_[axis] * problem.stride[axis]:
            return None
        if problem.pad_begin[axis] != max(total, 0) // 2:
            return None
    return {"padding": "same"}
