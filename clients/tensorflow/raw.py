# SPDX-License-Identifier: Apache-2.0
"""Gradients by TensorFlow's raw operations, and its depthwise convolutions."""
import tensorflow as tf

import functions

OPERATIONS = tf.raw_ops


def gradients_refusal(problem):
    if problem.rank == 1 or problem.op != "conv" or problem.pass_ == "forward":
        return "gradients of convolutions of rank 2 and 3 only"
    if problem.bias:
        return "no gradient of a bias"
    if problem.rank == 3 and functions.padding_of(problem) not in ("SAME", "VALID"):
        return "SAME and VALID only"
    return functions.refusal(problem)


def gradients(problem, tensors):
    padding, explicit = functions.padding_of(problem), []
    if padding not in ("SAME", "VALID"):
        padding, explicit = "EXPLICIT", [0, 0, *[pad for pads in padding for pad in pads], 0, 0]
    arguments = {"out_backprop": tensors["diff_dst"], "strides": [1, *problem.stride, 1], "padding": padding,
                 "dilations": [1, *problem.dilation, 1]}
    if problem.rank == 2:
        arguments["explicit_paddings"] = explicit
    name = "diff_src" if problem.pass_ == "backward_data" else "diff_wei"
    size = tf.constant(tensors[name].shape)
    if name == "diff_src":
        function = OPERATIONS.Conv2DBackpropInput if problem.rank == 2 else OPERATIONS.Conv3DBackpropInputV2
        return {name: function(input_sizes=size, filter=tensors["wei"], **arguments)}
    function = OPERATIONS.Conv2DBackpropFilter if problem.rank == 2 else OPERATIONS.Conv3DBackpropFilterV2
    return {name: function(input=tensors["src"], filter_sizes=size, **arguments)}


def depthwise_refusal(problem):
    if problem.op != "conv" or problem.rank != 2 or problem.groups != problem.ic:
        return "one input channel in each group, rank 2, conv only"
    if len(set(problem.stride)) > 1:
        return "strides are equal"  # "Current implementation only supports equal length strides in the row and column"
    if max(problem.dilation) > 1 and max(problem.stride) > 1:
        return "no stride together with dilation"  # docs of tf.nn.depthwise_conv2d
    return functions.refusal(problem, compiled=True)  # it has kernels of its own


def depthwise(problem, src, wei, bias=None):
    """The filter has the output channels of each input channel: a multiplier."""
    padding = functions.padding_of(problem)
    if padding not in ("SAME", "VALID"):
        padding = [[0, 0], *[list(pads) for pads in padding], [0, 0]]
    wei = tf.reshape(wei, [*problem.kernel, problem.groups, problem.oc // problem.groups])
    dst = tf.nn.depthwise_conv2d(src, wei, [1, *problem.stride, 1], padding, "NHWC", problem.dilation)
    return dst if bias is None else tf.nn.bias_add(dst, bias)


def depthwise_compute(problem, tensors):
    return functions.compute(problem, tensors, depthwise)
