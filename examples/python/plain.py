# SPDX-License-Identifier: Apache-2.0
"""A convolution in plain Python, over elements of whatever array. The bug: the group of an output channel is computed
from the number of input channels."""


def conv1d(input, weight, bias, stride, padding, dilation, groups):
    batch, channels, extent = input.shape
    outputs, inputs, taps = weight.shape
    out_extent = (extent + 2 * padding[0] - dilation[0] * (taps - 1) - 1) // stride[0] + 1
    result = []
    for n in range(batch):
        for k in range(outputs):
            first = k // max(inputs, 1) % groups * inputs  # it is k // (outputs // groups) * inputs
            for o in range(out_extent):
                total = 0.0 if bias is None else float(bias[k])
                for c in range(inputs):
                    for r in range(taps):
                        i = o * stride[0] - padding[0] + r * dilation[0]
                        if 0 <= i < extent:
                            total += float(input[n, first + c, i]) * float(weight[k, c, r])
                result.append(total)
    import numpy as np

    return np.array(result, "float32").reshape(batch, outputs, out_extent)
