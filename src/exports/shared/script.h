// SPDX-License-Identifier: Apache-2.0
//
// The part of an exported Python script that is the same for every case.
#pragma once

#include <string_view>

namespace convict::exports {

inline constexpr std::string_view kScriptHelpers = R"python(import base64
import math
import sys

import torch
import torch.nn.functional as F


def numbers(text):
    """Decimal integers or hexadecimal floats, in row-major order."""
    return torch.tensor([float(word) if word.lstrip("-").isdigit() else float.fromhex(word)
                         for word in text.split()], dtype=torch.float64)


def packed(text, dtype):
    """Little-endian elements in row-major order."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype)


def operand(values, dtype, size, stride, offset, room):
    """A tensor in memory as the case says; what lies between its elements is NaN."""
    buffer = torch.full((max(room, 1),), math.nan, dtype=dtype)
    tensor = buffer.as_strided(size, stride, offset)
    tensor.copy_(values.reshape(size))
    return tensor


def check(name, got, size, value, exact=None, bound=None, largest=math.inf):
    """Prints what is wrong, in a line. `value` is the exact result, rounded once; a `bound` of 0 demands it."""
    if tuple(got.shape) != size:
        print(f"MISMATCH: {name} has the extents {tuple(got.shape)} instead of {size}")
        return False
    got = got.detach().to(torch.float64).reshape(-1)
    right = (got == value) | (torch.isnan(got) & torch.isnan(value))
    if bound is not None:
        right |= (bound > 0) & ((got - exact).abs() <= bound)
        right |= (bound > 0) & torch.isinf(got) & (got.sign() == exact.sign()) & (exact.abs() + bound >= largest)
    wrong = (~right).nonzero().flatten().tolist()
    if not wrong:
        return True
    first, at, rest = wrong[0], [], wrong[0]
    for extent in reversed(size):
        at.insert(0, rest % extent)
        rest //= extent
    print(f"MISMATCH: {name}{at} is {got[first].item().hex()} ({got[first].item()}), must be "
          f"{value[first].item().hex()} ({value[first].item()})"
          + (f", allowed error {bound[first].item()}" if bound is not None else "")
          + f"; {len(wrong)} of {len(got)} elements are wrong")
    return False
)python";

}  // namespace convict::exports
