// SPDX-License-Identifier: Apache-2.0
//
// Conditions under which a fault shows: the triggers of the public fault set (tests/mutants), and conjunctions of three
// to five conditions that no fault of the set has.
#pragma once

#include <algorithm>
#include <numeric>

#include "abi/validity.h"
#include "core/geometry.h"

namespace convict {

struct Trigger {
  const char* name;
  const char* conditions;
  bool (*met)(const Case&, const convict_problem&);
};

namespace trigger {

using C = const Case&;
using P = const convict_problem&;

template <class Condition>
bool on_some_axis(P p, const Condition& condition) {
  for (int axis = 0; axis < p.rank; ++axis)
    if (condition(axis)) return true;
  return false;
}
template <class Condition>
bool on_all_axes(P p, const Condition& condition) {
  return !on_some_axis(p, [&](int axis) { return !condition(axis); });
}

inline bool conv(P p, convict_pass pass) { return p.op == CONVICT_CONV && p.pass == pass; }
inline bool forward(P p) { return conv(p, CONVICT_FORWARD); }
inline bool dgrad(P p) { return conv(p, CONVICT_BACKWARD_DATA); }
inline bool wgrad(P p) { return conv(p, CONVICT_BACKWARD_WEIGHTS); }
inline bool transposed(P p) { return p.op == CONVICT_CONV_TRANSPOSE && p.pass == CONVICT_FORWARD; }
inline bool same(C c) { return c.pad_mode == PadMode::kSameUpper || c.pad_mode == PadMode::kSameLower; }
inline bool depthwise(P p) { return p.groups > 1 && p.ic == p.groups; }
inline int last(P p) { return p.rank - 1; }
inline int64_t reach(P p, int axis) { return window(p.kernel[axis], p.dilation[axis]); }
inline int64_t rest(P p, int a) { return (p.in[a] + p.pad_begin[a] + p.pad_end[a] - reach(p, a)) % p.stride[a]; }
inline bool padded(P p, int axis) { return p.pad_begin[axis] > 0 || p.pad_end[axis] > 0; }
inline bool channels_last_weights(C c) {
  return c.wei_layout == WeightLayout::kOhwi || c.wei_layout == WeightLayout::kHwio;
}
inline int64_t taps(P p) { return p.kernel[0] * p.kernel[1] * p.kernel[2]; }
inline int64_t outputs(P p) { return p.out[0] * p.out[1] * p.out[2]; }
inline bool work(P p) { return p.batch > 0 && p.ic > 0 && p.oc > 0; }

}  // namespace trigger

inline constexpr auto kTriggers = [] {
  using namespace trigger;
  return std::to_array<Trigger>({
      {"P01", "transposed, output padding",
       [](C, P p) { return transposed(p) && on_some_axis(p, [&](int a) { return p.output_padding[a] > 0; }); }},
      {"P02", "transposed, output padding beside end padding, or with bias",
       [](C, P p) {
         return transposed(p) && on_some_axis(p, [&](int a) {
                  return p.output_padding[a] > 0 && (p.pad_end[a] > 0 || p.has_bias != 0);
                });
       }},
      {"P03", "rank 1, and stride, dilation or padding",
       [](C, P p) { return p.rank == 1 && (p.stride[0] > 1 || p.dilation[0] > 1 || padded(p, 0)); }},
      {"P04", "transposed, ic/g > 1, oc/g > 1",
       [](C, P p) { return transposed(p) && p.ic > p.groups && p.oc > p.groups; }},
      {"P05", "transposed, rank 3, a kernel > 5",
       [](C, P p) { return transposed(p) && p.rank == 3 && std::ranges::max(p.kernel) > 5; }},
      {"P06", "transposed, SAME, begin padding of the rule >= 1",
       [](C c, P p) { return transposed(p) && same(c) && on_some_axis(p, [&](int a) { return p.pad_begin[a] > 0; }); }},
      {"P07", "transposed, groups", [](C, P p) { return transposed(p) && p.groups > 1 && work(p); }},
      {"P08", "wgrad, groups", [](C, P p) { return wgrad(p) && p.groups > 1 && work(p); }},
      {"P09", "wgrad, rows left over >= dilation",
       [](C, P p) { return wgrad(p) && on_some_axis(p, [&](int a) { return rest(p, a) >= p.dilation[a]; }); }},
      {"P10", "forward, other weight layout that matters",
       [](C c, P p) { return forward(p) && channels_last_weights(c) && p.ic > p.groups && taps(p) > 1; }},
      {"P11", "dilated, kernel not 2",
       [](C, P p) { return on_some_axis(p, [&](int a) { return p.dilation[a] > 1 && p.kernel[a] > 2; }); }},
      {"P12", "forward, dilated, output extent > 1",
       [](C, P p) { return forward(p) && on_some_axis(p, [&](int a) { return p.dilation[a] > 1 && p.out[a] > 1; }); }},
      {"P13", "forward, rank >= 2, padding of the last axis, H != W",
       [](C, P p) { return forward(p) && p.rank >= 2 && padded(p, last(p)) && p.in[last(p)] != p.in[last(p) - 1]; }},
      {"P14", "transposed, rank 2, begin paddings differ",
       [](C, P p) { return transposed(p) && p.rank == 2 && p.pad_begin[0] != p.pad_begin[1]; }},
      {"P15", "forward, begin padding not half of the total",
       [](C, P p) {
         return forward(p) &&
                on_some_axis(p, [&](int a) { return (p.pad_begin[a] + p.pad_end[a]) / 2 != p.pad_begin[a]; });
       }},
      {"P16", "SAME_LOWER with an odd total",
       [](C c, P p) {
         return c.pad_mode == PadMode::kSameLower &&
                on_some_axis(p, [&](int a) { return (p.pad_begin[a] + p.pad_end[a]) % 2 != 0; });
       }},
      {"P17", "dgrad, an input position in no window",
       [](C, P p) {
         return dgrad(p) && on_some_axis(p, [&](int a) {
                  return (p.stride[a] > p.kernel[a] && p.out[a] > 1) || rest(p, a) > p.pad_end[a] ||
                         (std::gcd(p.stride[a], p.dilation[a]) > 1 && p.out[a] > 1);
                });
       }},
      {"P18", "forward, groups, ic/g != oc/g", [](C, P p) { return forward(p) && p.groups > 1 && p.ic != p.oc; }},
      {"P19", "forward or transposed, groups, bias",
       [](C, P p) { return p.pass == CONVICT_FORWARD && p.groups > 1 && p.has_bias != 0; }},
      {"P20", "forward, oc/g > 8, no multiple of 8",
       [](C, P p) { return forward(p) && p.oc / p.groups > 8 && p.oc / p.groups % 8 != 0; }},
      {"P21", "wgrad, last kernel even and >= 8",
       [](C, P p) { return wgrad(p) && p.kernel[last(p)] >= 8 && p.kernel[last(p)] % 2 == 0; }},
      {"P22", "forward, kernel 1, stride 1, padding",
       [](C, P p) {
         return forward(p) && on_all_axes(p, [&](int a) { return p.kernel[a] == 1 && p.stride[a] == 1; }) &&
                on_some_axis(p, [&](int a) { return padded(p, a); });
       }},
      {"P23", "forward, depthwise, multiplier", [](C, P p) { return forward(p) && depthwise(p) && p.oc > p.groups; }},
      {"P24", "forward, rank >= 2, one input channel, first, weights last, oc > 1, outputs > 1",
       [](C c, P p) {
         return forward(p) && p.rank >= 2 && p.ic == 1 && c.src_layout == ActivationLayout::kChannelsFirst &&
                c.dst_layout == ActivationLayout::kChannelsFirst && channels_last_weights(c) && p.oc > 1 &&
                outputs(p) > 1;
       }},
      {"P25", "weights are a view", [](C c, P) { return c.views.wei; }},
      {"P26", "wgrad, batch >= 3, no beta", [](C, P p) { return wgrad(p) && p.batch >= 3 && p.beta == 0; }},
      {"P27", "dgrad, beta", [](C, P p) { return dgrad(p) && p.beta != 0; }},
      {"P28", "wgrad, threads, batch > 1", [](C, P p) { return wgrad(p) && p.threads > 1 && p.batch > 1; }},
      {"P29", "transposed, batch > 1", [](C, P p) { return transposed(p) && p.batch > 1; }},
      {"P30", "more than 2^15 outputs", [](C, P p) { return outputs(p) > 32767; }},
      {"P31", "forward, zero weights against infinities",
       [](C c, P p) { return forward(p) && c.fill == Fill::kSpecial && work(p); }},
      {"P32", "wgrad, batch 0", [](C, P p) { return wgrad(p) && p.batch == 0; }},
      {"P33", "forward, rank 2, 3x3, stride 1, dilation 1, right padding, odd width",
       [](C, P p) {
         return forward(p) && p.rank == 2 && work(p) &&
                on_all_axes(p, [&](int a) { return p.kernel[a] == 3 && p.stride[a] == 1 && p.dilation[a] == 1; }) &&
                p.pad_end[1] > 0 && p.out[1] % 2 != 0;
       }},
      {"P34", "depthwise wgrad, stride > 1, top padding >= 2, output height >= 2",
       [](C, P p) { return wgrad(p) && depthwise(p) && p.stride[0] > 1 && p.pad_begin[0] >= 2 && p.out[0] >= 2; }},
      {"X1", "transposed, groups, output padding on one axis of several, channels last, oc/g mod 8 != 0",
       [](C c, P p) {
         int count = 0;
         for (int a = 0; a < p.rank; ++a) count += p.output_padding[a] > 0;
         return transposed(p) && p.groups > 1 && p.rank > 1 && count == 1 &&
                c.src_layout == ActivationLayout::kChannelsLast && p.oc / p.groups % 8 != 0;
       }},
      {"X2", "dgrad, stride = kernel, dilated, bf16",
       [](C c, P p) {
         return dgrad(p) && c.dst_type == CONVICT_BF16 &&
                on_some_axis(p, [&](int a) { return p.stride[a] == p.kernel[a] && p.dilation[a] > 1; });
       }},
      {"X3", "rank 3, depth 1, dilated last axis, asymmetric padding there",
       [](C, P p) { return p.rank == 3 && p.in[0] == 1 && p.dilation[2] > 1 && p.pad_begin[2] != p.pad_end[2]; }},
      {"X4", "wgrad, groups, diff_bias, beta, batch > 1",
       [](C, P p) { return wgrad(p) && p.groups > 1 && p.has_bias != 0 && p.beta != 0 && p.batch > 1; }},
      {"X5", "forward, last output 17+, ic/g = 3, stride 2 there, even kernel",
       [](C, P p) {
         const int a = last(p);
         return forward(p) && p.out[a] >= 17 && p.ic == 3 * p.groups && p.stride[a] == 2 && p.kernel[a] % 2 == 0;
       }},
      {"X6", "transposed backward_data, SAME_LOWER, a stride of 3, threads",
       [](C c, P p) {
         return p.op == CONVICT_CONV_TRANSPOSE && p.pass == CONVICT_BACKWARD_DATA &&
                c.pad_mode == PadMode::kSameLower && p.threads > 1 &&
                on_some_axis(p, [&](int a) { return p.stride[a] == 3; });
       }},
      {"X7", "src and wei are views, channels last, groups, called after another problem",
       [](C c, P p) {
         return c.views.src && c.views.wei && c.src_layout == ActivationLayout::kChannelsLast && p.groups > 1 &&
                c.calls == Calls::kAfter;
       }},
      {"X8", "transposed wgrad, rank 2, output padding >= stride, negative padding",
       [](C, P p) {
         return p.op == CONVICT_CONV_TRANSPOSE && p.pass == CONVICT_BACKWARD_WEIGHTS && p.rank == 2 &&
                on_some_axis(p, [&](int a) { return p.output_padding[a] >= p.stride[a]; }) &&
                on_some_axis(p, [&](int a) { return p.pad_begin[a] < 0 || p.pad_end[a] < 0; });
       }},
      {"X9", "forward, 1x1, stride 2, channels last, ic/g >= 16",
       [](C c, P p) {
         return forward(p) && taps(p) == 1 && p.stride[last(p)] == 2 && p.ic >= 16 * p.groups &&
                c.src_layout == ActivationLayout::kChannelsLast;
       }},
      {"X10", "dgrad, depthwise, 3 taps last, stride 2 there, dilation 1, padding on both sides",
       [](C, P p) {
         const int a = last(p);
         return dgrad(p) && depthwise(p) && p.kernel[a] == 3 && p.stride[a] == 2 && p.dilation[a] == 1 &&
                p.pad_begin[a] > 0 && p.pad_end[a] > 0;
       }},
  });
}();

}  // namespace convict
