// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/narrow/condition.h"

namespace convict::narrow {
namespace {

Condition when(const char* text, std::function<bool(const Seen&)> holds) {
  return {Category::kOther, text, 1, std::move(holds)};
}

/// Paddings, of any axis.
bool some_padding(const Seen& seen) {
  return !seen.every_axis([&](int axis) { return seen.p.pad_begin[axis] == 0 && seen.p.pad_end[axis] == 0; });
}

bool uneven_padding(const Seen& seen) {
  return !seen.every_axis([&](int axis) { return seen.p.pad_begin[axis] == seen.p.pad_end[axis]; });
}

int64_t kernel(const Seen& seen) { return seen.p.kernel[seen.last()]; }
int64_t stride(const Seen& seen) { return seen.p.stride[seen.last()]; }
int64_t out(const Seen& seen) { return seen.p.out[seen.last()]; }

/// Tails behind blocks of channels, and what more than one block needs.
std::vector<Condition> of_channels() {
  return {when("oc > 8", [](const Seen& s) { return s.p.oc > 8; }),
          when("oc > 16", [](const Seen& s) { return s.p.oc > 16; }),
          when("ic > 8", [](const Seen& s) { return s.p.ic > 8; }),
          when("oc % 16 != 0", [](const Seen& s) { return s.p.oc % 16 != 0; }),
          when("oc % 8 != 0 and oc > 8", [](const Seen& s) { return s.p.oc % 8 != 0 && s.p.oc > 8; }),
          when("oc % 4 != 0", [](const Seen& s) { return s.p.oc % 4 != 0; }),
          when("ic % 16 != 0 and ic > 8", [](const Seen& s) { return s.p.ic % 16 != 0 && s.p.ic > 8; }),
          when("ic/g > 4", [](const Seen& s) { return s.ic_per_group() > 4; }),
          when("ic > oc", [](const Seen& s) { return s.p.ic > s.p.oc; }),
          when("g > 2", [](const Seen& s) { return s.p.groups > 2; }),
          when("batch > 1", [](const Seen& s) { return s.p.batch > 1; }),
          when("batch > 2", [](const Seen& s) { return s.p.batch > 2; })};
}

std::vector<Condition> of_axes() {
  return {when("s[last] != s[0]", [](const Seen& s) { return stride(s) != s.p.stride[0]; }),
          when("s[last] > 1", [](const Seen& s) { return stride(s) > 1; }),
          when("s[last] > 2", [](const Seen& s) { return stride(s) > 2; }),
          when("k[last] even", [](const Seen& s) { return kernel(s) % 2 == 0; }),
          when("k[last] != k[0]", [](const Seen& s) { return kernel(s) != s.p.kernel[0]; }),
          when("k[last] > 3", [](const Seen& s) { return kernel(s) > 3; }),
          when("k[last] > 5", [](const Seen& s) { return kernel(s) > 5; }),
          when("taps > 9", [](const Seen& s) { return s.taps() > 9; }),
          when("d[last] > 1", [](const Seen& s) { return s.p.dilation[s.last()] > 1; }),
          when("k[last] > in[last]", [](const Seen& s) { return kernel(s) > s.p.in[s.last()]; }),
          when("in[last] odd", [](const Seen& s) { return s.p.in[s.last()] % 2 == 1; }),
          when("out[last] % 4 = 1", [](const Seen& s) { return out(s) % 4 == 1; }),
          when("out[last] > 8 and out[last] % 8 != 0", [](const Seen& s) { return out(s) > 8 && out(s) % 8 != 0; }),
          when("out[last] > out[0]", [](const Seen& s) { return out(s) > s.p.out[0]; })};
}

std::vector<Condition> of_paths() {
  return {when("bias and relu", [](const Seen& s) { return s.p.has_bias && s.p.relu; }),
          when("bias", [](const Seen& s) { return s.p.has_bias != 0; }),
          when("threads > 1", [](const Seen& s) { return s.p.threads > 1; }),
          when("padding and s[last] > 1", [](const Seen& s) { return some_padding(s) && stride(s) > 1; }),
          when("uneven padding", uneven_padding),
          when("bias and padding", [](const Seen& s) { return s.p.has_bias && some_padding(s); }),
          when("zero point of src and padding",
               [](const Seen& s) { return s.p.src_zero_point != 0 && some_padding(s); }),
          when("zero point of dst", [](const Seen& s) { return s.p.dst_zero_point != 0; }),
          when("clamp_low = zero point of dst",
               [](const Seen& s) {
                 return s.p.requantization != CONVICT_NO_REQUANTIZATION && s.p.clamp_low == s.p.dst_zero_point;
               }),
          when("beta", [](const Seen& s) { return s.p.beta != 0; })};
}

}  // namespace

std::vector<Condition> fault_conditions() {
  std::vector<Condition> all;
  for (const std::vector<Condition>& some : {of_channels(), of_axes(), of_paths()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace convict::narrow
