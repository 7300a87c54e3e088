// SPDX-License-Identifier: Apache-2.0
#include "core/derived.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>

#include "abi/validity.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"

namespace convict::inline core {
namespace {

using C = const Case&;
using P = const convict_problem&;

int64_t per_group(int64_t channels, C c) { return channels / std::max<int64_t>(c.groups, 1); }

Axes extents_of(const int64_t* extent) { return {extent[0], extent[1], extent[2]}; }

/// What taps reach of an axis of conv's src or conv_transpose's dst: how many positions they leave out, how many before
/// the first and behind the last that they reach.
struct TapReach {
  int64_t unreached = 0, before = 0, behind = 0;
};

constexpr int64_t kMostLookedAt = 65'536;  // taps or windows of an axis

TapReach reach_of(const convict_problem& p, int axis) {
  const bool is_conv = p.op == CONVICT_CONV;
  const int64_t positions = is_conv ? p.in[axis] : p.out[axis], windows = is_conv ? p.out[axis] : p.in[axis];
  const int64_t stride = std::max<int64_t>(p.stride[axis], 1);
  if (p.kernel[axis] > kMostLookedAt) return {};
  // A tap reaches the positions of one remainder by the stride, from `first` on, one for each window. Taps of the same
  // remainder are `period` apart; each begins `step` behind the one before.
  const int64_t dilation = p.dilation[axis], period = stride / std::gcd(stride, dilation);
  const int64_t step = period * dilation / stride;
  TapReach reach{positions, positions, positions};
  for (int64_t tap = 0; tap < std::min(period, p.kernel[axis]); ++tap) {
    const int64_t at = tap * dilation - p.pad_begin[axis], remainder = (at % stride + stride) % stride;
    const int64_t all = (positions - remainder + stride - 1) / stride;  // of the remainder, inside the axis
    const int64_t count = (p.kernel[axis] - tap - 1) / period + 1;
    int64_t end = 0;  // of this remainder, all positions before `end` are counted
    for (int64_t i = 0, first = (at - remainder) / stride; i < count && first < all; ++i, first += step) {
      const int64_t begin = std::max(first, end);
      end = std::max(end, std::min(first + windows, all));
      if (end <= begin) continue;
      reach.unreached -= end - begin;
      reach.before = std::min(reach.before, begin * stride + remainder);
      reach.behind = std::min(reach.behind, positions - 1 - (end - 1) * stride - remainder);
    }
  }
  return reach;
}

/// Positions of conv's dst, or of conv_transpose's src, with no tap inside on this axis. Tap t of window w lies at
/// w * stride + t * dilation - pad_begin.
int64_t idle_windows(const convict_problem& p, int axis) {
  const bool is_conv = p.op == CONVICT_CONV;
  const int64_t windows = is_conv ? p.out[axis] : p.in[axis], positions = is_conv ? p.in[axis] : p.out[axis];
  const int64_t dilation = std::max<int64_t>(p.dilation[axis], 1);
  int64_t idle = 0;
  for (int64_t window = 0; window < std::min(windows, kMostLookedAt); ++window) {
    const int64_t at = window * p.stride[axis] - p.pad_begin[axis];
    const int64_t first = at >= 0 ? 0 : (-at + dilation - 1) / dilation;  // tap at 0 or behind
    idle += first >= p.kernel[axis] || at + first * dilation >= positions ? 1 : 0;
  }
  return idle;
}

int64_t in(C c, P, int axis) { return c.in[axis]; }
int64_t kernel(C c, P, int axis) { return c.kernel[axis]; }
int64_t stride(C c, P, int axis) { return c.stride[axis]; }
int64_t dilation(C c, P, int axis) { return c.dilation[axis]; }
int64_t groups(C c, P, int) { return c.groups; }
int64_t ic(C c, P, int) { return c.ic; }
int64_t oc(C c, P, int) { return c.oc; }
int64_t src_layout(C c, P, int) { return static_cast<int64_t>(c.src_layout); }
int64_t dst_layout(C c, P, int) { return static_cast<int64_t>(c.dst_layout); }

int64_t pad_begin(C, P p, int axis) { return p.pad_begin[axis]; }
int64_t pad_end(C, P p, int axis) { return p.pad_end[axis]; }
int64_t pad_total(C, P p, int axis) { return p.pad_begin[axis] + p.pad_end[axis]; }
int64_t pad_skew(C, P p, int axis) { return p.pad_end[axis] - p.pad_begin[axis]; }
int64_t output_padding(C, P p, int axis) { return p.output_padding[axis]; }
int64_t group_ic(C c, P, int) { return per_group(c.ic, c); }
int64_t group_oc(C c, P, int) { return per_group(c.oc, c); }
int64_t window_extent(C c, P, int axis) { return window(c.kernel[axis], c.dilation[axis]); }
int64_t out(C, P p, int axis) { return p.out[axis]; }
int64_t same(C c, P, int axis) { return same_total(c, axis); }
int64_t rest(C, P p, int axis) { return rows_left_over(p, axis); }
int64_t without_taps(C, P p, int axis) { return unreached(p, axis); }
int64_t before_taps(C, P p, int axis) { return reach_of(p, axis).before; }
int64_t behind_taps(C, P p, int axis) { return reach_of(p, axis).behind; }
int64_t idle(C, P p, int axis) { return idle_windows(p, axis); }
int64_t terms(C c, P p, int) { return c.groups < 1 ? 0 : most_terms(p); }

int64_t taps(C c, P, int) {
  int64_t count = 1;
  for (int axis = 0; axis < c.rank; ++axis) count *= c.kernel[axis];
  return count;
}

/// The operand or, in the pass that has only that, its gradient.
template <convict_tensor convict_tensors::*Operand, convict_tensor convict_tensors::*Gradient>
int64_t contiguous(C c, P p, int) {
  const convict_tensors tensors = describe_tensors(c, p);
  return is_contiguous((tensors.*Operand).ndim > 0 ? tensors.*Operand : tensors.*Gradient) ? 1 : 0;
}

/// Which pass of a convolution runs the same loops: a transposed convolution is the data gradient of one.
int64_t as_conv(C c, P, int) {
  constexpr int64_t kOther[] = {1, 0, 2};
  const int64_t pass = c.pass - CONVICT_FORWARD;
  return c.op == CONVICT_CONV ? pass : kOther[pass];
}

constexpr std::string_view kOperations[] = {"conv", "conv_transpose"};
constexpr std::string_view kPassNames[] = {"forward", "backward_data", "backward_weights"};
constexpr std::string_view kOrders[] = {"alike", "rising", "falling"};  // by order_of_axes()

constexpr DerivedNumber kNumbers[] = {
    // As an implementation is told: in numbers, even where the case has a word.
    {"p.begin", true, {}, pad_begin, INT64_MIN},
    {"p.end", true, {}, pad_end, INT64_MIN},
    {"op", true, {}, output_padding},
    {"ic/g", false, {}, group_ic},
    {"oc/g", false, {}, group_oc},
    {"window", true, {}, window_extent},
    {"out", true, {}, out},
    {"p.total", true, {}, pad_total, INT64_MIN},
    {"p.skew", true, {}, pad_skew, INT64_MIN},
    {"same.total", true, {}, same, INT64_MIN},
    {"rest", true, {}, rest},
    {"unreached", true, {}, without_taps},
    {"unreached.begin", true, {}, before_taps},
    {"unreached.end", true, {}, behind_taps},
    {"idle", true, {}, idle},
    {"terms", false, {}, terms},
    {"in.order", false, kOrders, [](C c, P, int) { return int64_t{order_of_axes(c.in, c.rank)}; }},
    {"k.order", false, kOrders, [](C c, P, int) { return int64_t{order_of_axes(c.kernel, c.rank)}; }},
    {"out.order", false, kOrders, [](C c, P p, int) { return int64_t{order_of_axes(extents_of(p.out), c.rank)}; }},
    {"taps", false, {}, taps},
    {"contiguous.src", false, kNoYes, contiguous<&convict_tensors::src, &convict_tensors::diff_src>},
    {"contiguous.wei", false, kNoYes, contiguous<&convict_tensors::wei, &convict_tensors::diff_wei>},
    {"contiguous.dst", false, kNoYes, contiguous<&convict_tensors::dst, &convict_tensors::diff_dst>},
    {"rank", false, {}, [](C c, P, int) -> int64_t { return c.rank; }, 1, kAxes},
    {"operation", false, kOperations, [](C c, P, int) -> int64_t { return c.op - CONVICT_CONV; }},
    {"pass", false, kPassNames, [](C c, P, int) -> int64_t { return c.pass - CONVICT_FORWARD; }},
    {"as_conv", false, kPassNames, as_conv},
};

constexpr ComparedPair kPairs[] = {
    {"k", "s", true, kernel, stride},
    {"k", "in", true, kernel, in},
    {"window", "in", true, window_extent, in},
    {"window", "s", true, window_extent, stride},
    {"op", "s", true, output_padding, stride},
    {"d", "s", true, dilation, stride},
    {"p.begin", "k", true, pad_begin, kernel},
    {"p.end", "k", true, pad_end, kernel},
    {"out", "k", true, out, kernel},
    {"out", "in", true, out, in},
    {"p.begin", "p.end", true, pad_begin, pad_end},
    {"p.begin", "window", true, pad_begin, window_extent},
    {"p.end", "window", true, pad_end, window_extent},
    {"p.total", "same.total", true, pad_total, same},
    {"ic", "oc", false, ic, oc},
    {"ic", "g", false, ic, groups},
    {"oc", "g", false, oc, groups},
    {"ic/g", "oc/g", false, group_ic, group_oc},
    {"s", "in", true, stride, in},
    {"out", "s", true, out, stride},
    {"rest", "d", true, rest, dilation},
    {"lay.src", "lay.dst", false, src_layout, dst_layout},
};

}  // namespace

std::span<const DerivedNumber> derived_numbers() { return kNumbers; }
std::span<const ComparedPair> compared_pairs() { return kPairs; }

const ComparedPair& compared_pair(std::string_view left, std::string_view right) {
  const auto found =
      std::ranges::find_if(kPairs, [&](const ComparedPair& pair) { return pair.left == left && pair.right == right; });
  assert(found != std::end(kPairs));
  return *found;
}

Ordering ComparedPair::order(const Case& c, const convict_problem& p, int axis) const {
  const int64_t left = left_value(c, p, axis), right = right_value(c, p, axis);
  return left < right ? Ordering::kBelow : left == right ? Ordering::kEqual : Ordering::kAbove;
}

Ordering ComparedPair::order(const Case& c, const convict_problem& p) const {
  Ordering largest = Ordering::kBelow;
  for (int axis = 0; axis < (per_axis ? c.rank : 1); ++axis) largest = std::max(largest, order(c, p, axis));
  return largest;
}

int64_t same_total(const Case& c, int axis) {
  const int64_t s = std::max<int64_t>(c.stride[axis], 1), reach = window(c.kernel[axis], c.dilation[axis]);
  if (c.op != CONVICT_CONV) return reach - s;
  return ((c.in[axis] + s - 1) / s - 1) * s + reach - c.in[axis];
}

int64_t rows_left_over(const convict_problem& p, int axis) {
  if (p.op != CONVICT_CONV) return 0;
  const int64_t slack = p.in[axis] + p.pad_begin[axis] + p.pad_end[axis] - window(p.kernel[axis], p.dilation[axis]);
  return slack % std::max<int64_t>(p.stride[axis], 1);
}

int64_t unreached(const convict_problem& p, int axis) { return reach_of(p, axis).unreached; }

int order_of_axes(const Axes& extent, int rank) {
  const int64_t first = extent[0], last = extent[rank - 1];
  return first == last ? 0 : first < last ? 1 : 2;
}

}  // namespace convict::inline core
