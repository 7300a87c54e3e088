# SPDX-License-Identifier: Apache-2.0
"""Honest kernels in numpy, and what wrong ones are made of."""
import itertools

import numpy as np


def padded(x, pads):
    """With zeros on both sides of each axis; negative pads crop."""
    for axis, (begin, end) in enumerate(pads, 2):
        width = [(0, 0)] * x.ndim
        width[axis] = (max(begin, 0), max(end, 0))
        x = np.pad(x, width)
        x = np.take(x, range(max(-begin, 0), x.shape[axis] - max(-end, 0)), axis)
    return x


def conv(x, w, b, stride, pads, dilation, groups):
    """Of any rank; pads are (begin, end) for each axis."""
    x = padded(x, pads)
    inputs, outputs = x.shape[1] // groups, w.shape[0] // groups
    extents = [(size - d * (k - 1) - 1) // s + 1 for size, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)]
    y = np.zeros((x.shape[0], w.shape[0], *extents), x.dtype)
    for g, tap in itertools.product(range(groups), itertools.product(*map(range, w.shape[2:]))):
        places = tuple(slice(r * d, r * d + (n - 1) * s + 1, s) for r, d, n, s in zip(tap, dilation, extents, stride))
        part = x[(slice(None), slice(g * inputs, (g + 1) * inputs), *places)]
        taps = w[(slice(g * outputs, (g + 1) * outputs), slice(None), *tap)]
        for c in range(inputs):  # one product after the other: what numpy sums on its own may round otherwise
            y[:, g * outputs : (g + 1) * outputs] += part[:, c][:, None] * taps[:, c].reshape(1, -1, *[1] * len(places))
    return y if b is None else y + b.reshape(1, -1, *[1] * len(extents))


def conv_transpose(x, w, b, stride, pads, output_padding, groups, dilation):
    """Of any rank; pads are (begin, end) for each axis."""
    inputs, outputs = x.shape[1] // groups, w.shape[1]
    rank = x.ndim - 2
    whole = [(n - 1) * s + d * (k - 1) + 1 + op
             for n, s, d, k, op in zip(x.shape[2:], stride, dilation, w.shape[2:], output_padding)]
    y = np.zeros((x.shape[0], outputs * groups, *whole), x.dtype)
    for g, tap in itertools.product(range(groups), itertools.product(*map(range, w.shape[2:]))):
        places = tuple(slice(r * d, r * d + (n - 1) * s + 1, s)
                       for r, d, n, s in zip(tap, dilation, x.shape[2:], stride))
        taps = w[(slice(g * inputs, (g + 1) * inputs), slice(None), *tap)]
        for c in range(inputs):
            part = x[:, g * inputs + c][:, None]
            y[(slice(None), slice(g * outputs, (g + 1) * outputs), *places)] += part * taps[c].reshape(1, -1, *[1] * rank)
    y = padded(y, [(-begin, -end) for begin, end in pads])
    return y if b is None else y + b.reshape(1, -1, *[1] * rank)


def both(padding):
    return [(one, one) for one in padding]


def torch_like_conv(x, w, b, stride, padding, dilation, groups):
    return conv(x, w, b, stride, both(padding), dilation, groups)


def torch_like_conv_transpose(x, w, b, stride, padding, output_padding, groups, dilation):
    return conv_transpose(x, w, b, stride, both(padding), output_padding, groups, dilation)


def onnx_like_conv_transpose(x, w, b, strides, pads, dilations, group, output_padding):
    rank = x.ndim - 2
    return conv_transpose(x, w, b, strides, list(zip(pads[:rank], pads[rank:])), output_padding, group, dilations)
