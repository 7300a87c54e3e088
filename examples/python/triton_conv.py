# SPDX-License-Identifier: Apache-2.0
"""A convolution in Triton, as a product of matrices that are never stored: rows are output positions, columns output
channels, and the sum goes over the taps of all channels of a group. It has the bug of many compilers: weights are OIHW,
and are read as IOHW, which is right wherever either has one channel. Without a GPU: TRITON_INTERPRET=1."""
import os

import convict
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, w, b, y, positions, IC, IH, IW, OC, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW, GROUPS,
           HAS_BIAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    group, ic, oc, taps = tl.program_id(2), IC // GROUPS, OC // GROUPS, IC // GROUPS * KH * KW
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    image, oy, ox = m // (OH * OW), m // OW % OH, m % OW
    o = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, taps, BK):
        k = first + tl.arange(0, BK)
        channel, ky, kx = k // (KH * KW), k // KW % KH, k % KW
        iy = oy * SH - PH + ky[None, :] * DH
        ix = ox * SW - PW + kx[None, :] * DW
        inside = (m < positions) & (k < taps)[None, :] & (iy >= 0) & (iy < IH) & (ix >= 0) & (ix < IW)
        pixels = tl.load(x + ((image * IC + group * ic + channel[None, :]) * IH + iy) * IW + ix, inside, 0.0)
        row = channel[:, None] * OC + group * oc + o  # it is (group * oc + o) * ic + channel[:, None]
        weights = tl.load(w + row * KH * KW + (ky * KW + kx)[:, None], (k < taps)[:, None] & (o < oc), 0.0)
        total += tl.dot(pixels, weights, input_precision="ieee")  # and not "tf32"
    if HAS_BIAS:
        total += tl.load(b + group * oc + o, o < oc, 0.0)
    place = ((image * OC + group * oc + o) * OH + oy) * OW + ox
    tl.store(y + place, total.to(y.dtype.element_ty), (m < positions) & (o < oc))


@convict.target(like="torch.conv2d", xp="torch", device=os.environ.get("DEVICE", "cpu"), built_on=[])
def conv2d(input, weight, bias, stride, padding, dilation, groups):
    input, weight = input.contiguous(), weight.contiguous()
    (images, ic, *size), (oc, _, *extents) = input.shape, weight.shape
    out = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(size, padding, dilation, extents, stride)]
    result = input.new_empty(images, oc, *out)
    positions = images * out[0] * out[1]
    if result.numel():
        grid = (triton.cdiv(positions, 32), triton.cdiv(oc // groups, 16), groups)
        kernel[grid](input, weight, bias if bias is None else bias.contiguous(), result, positions, ic, *size, oc, *out,
                     *extents, *stride, *padding, *dilation, groups, bias is not None, BM=32, BN=16, BK=16)
    return result
