# SPDX-License-Identifier: Apache-2.0
"""Ways to say a convolution to MLX, whose images are [n, axes, channels] and whose weights are [output channels, axes,
input channels of a group]. Each takes a problem, src, weights and the number of groups, and returns dst."""
import mlx.core as mx


def to_images(array):
    return array.transpose(0, *range(2, array.ndim), 1)


def of_images(array):
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


def to_weights(problem, array):
    """[output channels, axes, input channels of a group], also of transposed convolutions."""
    if problem.op == "conv":
        return to_images(array)
    i, o, *axes = array.shape
    parts = array.reshape(problem.groups, i // problem.groups, o, *axes)
    return parts.transpose(0, 2, *range(3, parts.ndim), 1).reshape(problem.groups * o, *axes, i // problem.groups)


def of_weights(problem, array):
    if problem.op == "conv":
        return of_images(array)
    o, *axes, i = array.shape
    parts = array.reshape(problem.groups, o // problem.groups, *axes, i)
    parts = parts.transpose(0, parts.ndim - 1, *range(1, parts.ndim - 1))
    return parts.reshape(problem.groups * i, o // problem.groups, *axes)


def general(problem, src, wei, groups):
    """A transposed convolution has zeros between the elements of its image, and a kernel that is turned around."""
    low, high, is_conv = problem.pad_begin, problem.pad_end, problem.op == "conv"
    if not is_conv:
        reach = [d * (k - 1) for d, k in zip(problem.dilation, problem.kernel)]
        low = [size - pad for size, pad in zip(reach, low)]
        high = [size - pad + more for size, pad, more in zip(reach, high, problem.output_padding)]
    ones = [1] * problem.rank
    return mx.conv_general(src, wei, problem.stride if is_conv else ones, (low, high), problem.dilation,
                           ones if is_conv else problem.stride, groups, flip=not is_conv)


def functions(problem, src, wei, groups):
    """mx.conv1d to mx.conv_transpose3d. Those of rank 1 take numbers."""
    plain = (lambda values: values[0]) if problem.rank == 1 else tuple
    named = {name: plain(getattr(problem, name)) for name in ("stride", "dilation")}
    if problem.op == "conv_transpose":
        named["output_padding"] = plain(problem.output_padding)
    function = getattr(mx, f"{problem.op}{problem.rank}d")
    return function(src, wei, padding=plain(problem.pad_begin), groups=groups, **named)


def by_image(problem, src, wei, groups):
    return mx.vmap(lambda one: general(problem, one[None], wei, groups)[0])(src)


def by_filter(problem, src, wei, groups):
    """One filter of each group at once."""
    filters = wei.reshape(groups, wei.shape[0] // groups, *wei.shape[1:])
    dst = mx.vmap(lambda one: general(problem, src, one, groups), in_axes=1, out_axes=-1)(filters)
    return dst.reshape(*dst.shape[:-2], wei.shape[0])


def by_group(problem, src, wei, groups):
    images = src.reshape(*src.shape[:-1], groups, wei.shape[-1])
    filters = wei.reshape(groups, wei.shape[0] // groups, *wei.shape[1:])
    dst = mx.vmap(lambda *one: general(problem, *one, 1), in_axes=(src.ndim - 1, 0), out_axes=-2)(images, filters)
    return dst.reshape(*dst.shape[:-2], wei.shape[0])
