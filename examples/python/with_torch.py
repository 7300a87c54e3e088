# SPDX-License-Identifier: Apache-2.0
"""A convolution in PyTorch, with the bug that hides behind symmetric tests: paddings are in the
order of torch.nn.functional.pad, which begins with the last axis."""
import convict
import torch


@convict.target(like="torch.conv2d", xp="torch")
def conv2d(input, weight, bias, stride, padding, dilation, groups):
    image = torch.nn.functional.pad(input, (padding[0], padding[0], padding[1], padding[1]))  # it is 1, 1, 0, 0
    return torch.nn.functional.conv2d(image, weight, bias, stride, 0, dilation, groups)
