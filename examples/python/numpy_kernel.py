# SPDX-License-Identifier: Apache-2.0
"""A transposed convolution in numpy, with the bug that several libraries have had: what output padding adds is left
zero."""
import numpy as np


def conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation):
    batch, channels, height, width = input.shape
    inputs, outputs = channels // groups, weight.shape[1]
    rows, columns = weight.shape[2:]
    # The bug: without output_padding, what is scattered behind the end of this is lost.
    whole_height = (height - 1) * stride[0] + dilation[0] * (rows - 1) + 1
    whole_width = (width - 1) * stride[1] + dilation[1] * (columns - 1) + 1
    whole = np.zeros((batch, outputs * groups, whole_height, whole_width), input.dtype)
    for g in range(groups):
        for r in range(rows):
            for s in range(columns):
                y = slice(r * dilation[0], r * dilation[0] + (height - 1) * stride[0] + 1, stride[0])
                x = slice(s * dilation[1], s * dilation[1] + (width - 1) * stride[1] + 1, stride[1])
                for c in range(g * inputs, (g + 1) * inputs):
                    taps = weight[c, :, r, s].reshape(1, -1, 1, 1)
                    whole[:, g * outputs : (g + 1) * outputs, y, x] += input[:, c : c + 1] * taps
    cropped = whole[:, :, padding[0] : whole_height - padding[0], padding[1] : whole_width - padding[1]]
    # ... and zeros are put in its place.
    out = np.pad(cropped, [(0, 0), (0, 0), (0, output_padding[0]), (0, output_padding[1])])
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)
