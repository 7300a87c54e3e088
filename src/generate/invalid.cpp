// SPDX-License-Identifier: Apache-2.0
#include "generate/invalid.h"

#include <algorithm>

#include "abi/validity.h"
#include "core/geometry.h"

namespace convict::generate {
namespace {

/// Makes a case illegal in one way. Returns false if the case does not allow it.
using Spoil = bool (*)(Case&, const convict_problem&, Random&, int axis);

bool is_same(const Case& c) { return c.pad_mode == PadMode::kSameUpper || c.pad_mode == PadMode::kSameLower; }

bool too_much_output_padding(Case& c, const convict_problem&, Random& random, int axis) {
  if (c.op != CONVICT_CONV_TRANSPOSE || is_same(c)) return false;
  c.output_padding[axis] = std::max(c.stride[axis], c.dilation[axis]) + random.below(2);
  return true;
}

bool output_padding_of_conv(Case& c, const convict_problem&, Random&, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  c.output_padding[axis] = 1;
  return true;
}

/// Sets groups that divide the channels of one side only.
bool groups_do_not_divide(Case& c, int64_t Case::*broken, int64_t Case::*whole, Random& random) {
  if (c.groups == 1) {
    c.groups = random.between(2, 3);
    c.*whole *= c.groups;
    c.*broken *= c.groups;
  }
  c.*broken += random.between(1, c.groups - 1);
  return true;
}

bool groups_do_not_divide_ic(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::ic, &Case::oc, random);
}

bool groups_do_not_divide_oc(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::oc, &Case::ic, random);
}

bool window_too_large(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  const int64_t padded = c.in[axis] + p.pad_begin[axis] + p.pad_end[axis];  // a window of one more does not fit
  c.kernel[axis] = (padded + c.dilation[axis] - 1) / c.dilation[axis] + 1 + random.below(2);
  return true;
}

bool everything_cropped(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.pad_mode != PadMode::kExplicit) return false;
  int64_t& side = random.chance(0.5) ? c.pad_begin[axis] : c.pad_end[axis];
  const int64_t more = random.below(2);
  if (c.op == CONVICT_CONV_TRANSPOSE)
    side += p.out[axis] + more;
  else
    side -= c.in[axis] + c.pad_begin[axis] + c.pad_end[axis] + more;
  return true;
}

constexpr Spoil kSpoils[] = {too_much_output_padding, output_padding_of_conv, groups_do_not_divide_ic,
                             groups_do_not_divide_oc, window_too_large,       everything_cropped};

}  // namespace

void make_illegal(Case& c, Random& random) {
  const convict_problem p = resolve(c).problem;
  const auto first = random.below(std::size(kSpoils));
  const auto axis = static_cast<int>(random.below(c.rank));
  for (size_t i = 0; i < std::size(kSpoils); ++i)  // one always works: groups have no condition
    if (kSpoils[(static_cast<size_t>(first) + i) % std::size(kSpoils)](c, p, random, axis)) return;
}

}  // namespace convict::generate
