# SPDX-License-Identifier: Apache-2.0
"""Operands as tensors, and the functions that are on trial."""
import ctypes

import numpy
from tinygrad import Tensor, dtypes
from tinygrad.runtime.ops_cpu import CPUAllocator

SPOILT = 0x42  # each byte
TYPES = {"f32": dtypes.float32, "f64": dtypes.float64, "f16": dtypes.float16, "bf16": dtypes.bfloat16}


def spoil_memory():
    """Buffers of the CPU come filled. A result that no kernel writes would be right where zeros lie, and would depend on
    what was computed before."""
    give = CPUAllocator.alloc

    def spoilt(allocator, size, options=None):
        buffer = give(allocator, size, options)
        if options is None or not options.zero and options.external_ptr is None:
            ctypes.memset(int(buffer.va_addr), SPOILT, size)
        return buffer

    CPUAllocator.alloc = spoilt


def compute(problem, arrays, outputs):
    """The results by name."""
    given = {name: tensor_of(array, problem.dtypes[name]) for name, array in arrays.items() if name not in outputs}
    if problem.pass_ == "forward":
        results = {"dst": convolve(problem, **given)}
    else:
        wanted = {name: Tensor.zeros(arrays[name].shape, dtype=TYPES[problem.dtypes[name]]).contiguous()
                  for name in outputs}
        diff_dst = given.pop("diff_dst")
        operands = {**given, **{name.removeprefix("diff_"): one for name, one in wanted.items()}}
        gradients = convolve(problem, **operands).gradient(*wanted.values(), gradient=diff_dst)
        results = dict(zip(wanted, gradients))
    return {name: array_of(result, order_of(arrays[name])) for name, result in results.items()}


def convolve(problem, src, wei, bias=None):
    # The last axis comes first. Winograd is asked for by numbers, not lists.
    padding = [pad for pads in reversed(list(zip(problem.pad_begin, problem.pad_end))) for pad in pads]
    stride, dilation = (one[0] if len(set(one)) == 1 else tuple(one) for one in (problem.stride, problem.dilation))
    if problem.op == "conv":
        kind = {"dtype": dtypes.int32} if problem.dtypes.get("wei") == "s8" else {}
        return src.conv2d(wei, bias, problem.groups, stride, dilation, padding, **kind)
    return src.conv_transpose2d(wei, bias, problem.groups, stride, dilation, padding, tuple(problem.output_padding))


def order_of(array):
    """Its axes as they lie in memory, the outermost first."""
    return sorted(range(array.ndim), key=lambda axis: -array.strides[axis])


def tensor_of(array, kind):
    order = order_of(array)
    dense = Tensor(numpy.ascontiguousarray(array.transpose(order)))
    return (dense.bitcast(dtypes.bfloat16) if kind == "bf16" else dense).permute(numpy.argsort(order).tolist())


def array_of(result, order):
    result = result.permute(order).contiguous()
    dense = (result.bitcast(dtypes.uint16) if result.dtype == dtypes.bfloat16 else result).numpy()
    return dense.transpose(numpy.argsort(order))
