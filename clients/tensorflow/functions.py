# SPDX-License-Identifier: Apache-2.0
"""A problem as calls of tf.nn, and its gradients by tf.GradientTape. Every problem is a convolution from an image to a
result: of src to dst, or, for conv_transpose, the one whose gradient it is, of dst to src."""
import os

import tensorflow as tf

COMPUTED = {"forward": ("dst",), "backward_data": ("diff_src",), "backward_weights": ("diff_wei", "diff_bias")}
HAS_ONEDNN = os.environ.get("TF_ENABLE_ONEDNN_OPTS", "1") != "0"


def pads_of(problem):
    """Begin and end of each axis of the image. Output padding takes back padding at the end; what is more are elements
    behind the last window."""
    if problem.op == "conv":
        return list(zip(problem.pad_begin, problem.pad_end))
    ends = [max(end - more, 0 if more > end >= 0 else end - more)
            for end, more in zip(problem.pad_end, problem.output_padding)]
    return list(zip(problem.pad_begin, ends))


def padding_of(problem):
    """A name where there is one for these numbers, or the pads. SAME has the smaller half at the begin (tf.nn, "Notes
    on padding"). Where both names mean no padding, the problem chooses."""
    pads = pads_of(problem)
    no_name = pads if any(map(any, pads)) else "VALID"
    if no_name == "VALID" and problem.padding != "same_upper":
        return no_name
    image, result = (problem.in_, problem.out) if problem.op == "conv" else (problem.out, problem.in_)
    for axis, (begin, _) in enumerate(pads):
        stride, window = problem.stride[axis], problem.dilation[axis] * (problem.kernel[axis] - 1) + 1
        total = max((result[axis] - 1) * stride + window - image[axis], 0)
        if begin != total // 2 or result[axis] != -(-image[axis] // stride):
            return no_name
    return "SAME"


def refusal(problem, compiled=False, types=("f32", "f64")):
    """What tf.nn has no argument for, and what its kernels for the CPU say that they do not take, which XLA does."""
    kinds = set(problem.dtypes.values())
    if len(kinds) > 1 or not kinds <= set(types):
        return "all operands are of one type of " + ", ".join(types)
    if problem.why_illegal():
        return "not a legal problem"
    if problem.threads > 1:
        return "its pool has one thread, for the life of the process"
    if min(problem.ic, problem.oc) == 0:
        return "filters have elements"
    if min(min(pads) for pads in pads_of(problem)) < 0:
        return "no negative padding"
    if problem.op == "conv_transpose" and any(
            more >= stride + max(end, 0) for more, stride, end in
            zip(problem.output_padding, problem.stride, problem.pad_end)):
        return "no output padding from the stride on"
    if problem.op == "conv_transpose" and problem.rank != 2 and padding_of(problem) not in ("SAME", "VALID"):
        return "SAME and VALID only"  # of ranks 1 and 3; a convolution has tf.pad
    if problem.rank == 3 and problem.groups > 1:
        return "no groups in rank 3"
    return None if compiled else kernel_refusal(problem, *kinds)


def kernel_refusal(problem, kind):
    """Eigen's kernels have no dilation in rank 3, and neither groups nor dilation in gradients. oneDNN's have, without
    explicit padding; they have no f64."""
    is_eigen = not HAS_ONEDNN or kind == "f64"
    is_dilated = max(problem.dilation) > 1
    if is_eigen and problem.rank == 3 and is_dilated:
        return "no dilation in rank 3"
    is_gradient = problem.op == "conv_transpose" or problem.pass_ != "forward"
    is_explicit = problem.rank == 2 and padding_of(problem) not in ("SAME", "VALID")
    if is_gradient and (is_eigen or is_explicit) and (is_dilated or problem.groups > 1):
        return "no gradient with groups or dilation"
    return None


def convolve(problem, src, wei, bias=None, order="NHWC"):
    """The forward operation, of operands whose channels are last, or first for the order NCHW."""
    padding, rank = padding_of(problem), problem.rank
    letters = {"NHWC": ("NWC", "NHWC", "NDHWC"), "NCHW": ("NCW", "NCHW", "NCDHW")}[order][rank - 1]
    # One number for each axis; but those of conv3d have all axes, and so do pads.
    full = (lambda one, more: [more, *one, more]) if order == "NHWC" else (lambda one, more: [more, more, *one])
    strides, dilations = ((full(one, 1) if rank == 3 else one) for one in (problem.stride, problem.dilation))
    if padding not in ("SAME", "VALID"):
        padding = full([list(pads) for pads in padding], [0, 0])
        if rank != 2:  # "Equivalently, tf.pad can be used, since convolutions pad with zeros" (tf.nn)
            src, padding = tf.pad(src, padding), "VALID"
    if problem.op == "conv":
        function = (tf.nn.conv1d, tf.nn.conv2d, tf.nn.conv3d)[rank - 1]
        dst = function(src, wei, strides, padding, letters, dilations)
    else:
        function = (tf.nn.conv1d_transpose, tf.nn.conv2d_transpose, tf.nn.conv3d_transpose)[rank - 1]
        shape = full(problem.out, problem.batch)
        shape[-1 if order == "NHWC" else 1] = problem.oc
        dst = function(src, wei, shape, strides, padding, letters, dilations)
    dst = dst if bias is None else tf.nn.bias_add(dst, bias, "N...C" if order == "NHWC" else "NC...")
    return tf.nn.relu(dst) if problem.relu else dst


def differentiate(problem, tensors, convolution):
    """The outputs of a backward pass, in the order of COMPUTED. `tensors` has the inputs, and zeros for the outputs."""
    names = [name for name in COMPUTED[problem.pass_] if name in tensors]
    src, wei, bias = (tensors.get(name, tensors.get("diff_" + name)) for name in ("src", "wei", "bias"))
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for name in names:
            tape.watch(tensors[name])
        dst = convolution(problem, src, wei, bias)
    return tape.gradient(dst, [tensors[name] for name in names], tensors["diff_dst"])


def compute(problem, tensors, convolution=convolve):
    """The outputs by name."""
    if problem.pass_ == "forward":
        return {"dst": convolution(problem, *[tensors.get(name) for name in ("src", "wei", "bias")])}
    names = [name for name in COMPUTED[problem.pass_] if name in tensors]
    return dict(zip(names, differentiate(problem, tensors, convolution)))
