// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/witness.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "lab/faults/effects.h"

namespace convict::faults {
namespace {

constexpr double kMostMacs = 1e6, kMostElements = 1 << 16;

/// Batch, groups, channels of either side, kernel and output extents: powers of two with exponents that share the
/// budget.
struct Sizes {
  int64_t batch = 1, groups = 1, ic = 1, oc = 1;
  Axes kernel = {1, 1, 1}, out = {1, 1, 1};
};

Sizes draw_sizes(Random& random, int rank) {
  Sizes sizes;
  std::vector<int64_t*> all = {&sizes.batch, &sizes.groups, &sizes.ic, &sizes.oc};
  for (int axis = 0; axis < rank; ++axis) {
    all.push_back(&sizes.kernel[axis]);
    all.push_back(&sizes.out[axis]);
  }
  std::vector<double> shares;
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const double share = random.chance(i < 2 ? 0.6 : 0.25) ? 0 : -std::log(1 - random.uniform());
    shares.push_back(share);
    sum += share;
  }
  const double bits = 6 + random.uniform() * (std::log2(kMostMacs) - 6);
  for (size_t i = 0; i < all.size() && sum > 0; ++i)
    *all[i] = std::max<int64_t>(1, std::llround(std::exp2(bits * shares[i] / sum)));
  return sizes;
}

/// 1, 2, 3, ... with falling probability.
int64_t geometric(Random& random, double more) {
  int64_t value = 1;
  while (value < 9 && random.chance(more)) ++value;
  return value;
}

void draw_axis(Case& c, int axis, const Sizes& sizes, Random& random) {
  c.kernel[axis] = sizes.kernel[axis];
  c.stride[axis] = geometric(random, 0.4);
  c.dilation[axis] = geometric(random, 0.3);
  const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
  if (random.chance(0.6)) {
    c.pad_begin[axis] = random.below(std::min<int64_t>(reach + 1, 12));
    c.pad_end[axis] = random.chance(0.5) ? c.pad_begin[axis] : random.below(std::min<int64_t>(reach + 1, 12));
  }
  const int64_t pads = c.pad_begin[axis] + c.pad_end[axis], steps = sizes.out[axis] - 1;
  if (c.op == CONVICT_CONV) {
    c.in[axis] = std::max<int64_t>(1, steps * c.stride[axis] + reach - pads + random.below(c.stride[axis]));
    return;
  }
  c.in[axis] = sizes.out[axis];
  const int64_t limit = std::max(c.stride[axis], c.dilation[axis]);
  if (random.chance(0.4)) c.output_padding[axis] = random.below(limit);
}

void draw_types(Case& c, Random& random) {
  constexpr convict_dtype kTypes[] = {CONVICT_F32, CONVICT_F32, CONVICT_F32, CONVICT_F32, CONVICT_F32,
                                      CONVICT_F32, CONVICT_F64, CONVICT_F16, CONVICT_BF16};
  c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(kTypes));
  if (c.pass != CONVICT_FORWARD || !random.chance(0.1)) return;
  c.src_type = random.chance(0.5) ? CONVICT_U8 : CONVICT_S8;
  c.wei_type = CONVICT_S8;
  c.dst_type = CONVICT_S32;
}

Case draw_case(Random& random) {
  Case c;
  c.op = random.chance(0.6) ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.pass = static_cast<convict_pass>(random.between(CONVICT_FORWARD, CONVICT_BACKWARD_WEIGHTS));
  c.rank = static_cast<int>(random.between(1, 3));
  const Sizes sizes = draw_sizes(random, c.rank);
  c.batch = sizes.batch;
  c.groups = sizes.groups;
  c.ic = c.groups * sizes.ic;
  c.oc = c.groups * sizes.oc;
  for (int axis = 0; axis < c.rank; ++axis) draw_axis(c, axis, sizes, random);
  draw_types(c, random);
  c.src_layout = c.dst_layout =
      random.chance(0.35) ? ActivationLayout::kChannelsLast : ActivationLayout::kChannelsFirst;
  if (random.chance(0.1))
    c.dst_layout = random.chance(0.5) ? ActivationLayout::kChannelsLast : ActivationLayout::kChannelsFirst;
  c.wei_layout = random.chance(0.3) ? WeightLayout::kOhwi : default_weight_layout(c.op);
  c.views = {random.chance(0.1), random.chance(0.1), random.chance(0.1)};
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(0.4);
  if (random.chance(0.15)) c.beta = random.chance(0.5) ? 1 : 2;
  c.relu = c.pass == CONVICT_FORWARD && random.chance(0.08);
  if (random.chance(0.15)) c.threads = random.between(2, 4);
  c.seed = random.bits() >> 40;
  return c;
}

bool is_small(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not || multiply_adds(resolved.problem) > kMostMacs) return false;
  double src = static_cast<double>(c.batch * c.ic), dst = static_cast<double>(c.batch * c.oc);
  for (int axis = 0; axis < c.rank; ++axis) {
    src *= static_cast<double>(resolved.problem.in[axis]);
    dst *= static_cast<double>(resolved.problem.out[axis]);
  }
  return src <= kMostElements && dst <= kMostElements && src > 0 && dst > 0;
}

/// The same problem with one or two sizes changed.
std::optional<Case> draw_before(const Case& c, Random& random) {
  for (int tries = 0; tries < 20; ++tries) {
    Case before = c;
    for (int change = 0; change < 1 + static_cast<int>(random.below(2)); ++change) {
      const auto axis = static_cast<int>(random.below(c.rank));
      const int64_t factor = random.between(2, 3), more = random.between(1, 9);
      switch (random.below(6)) {
        case 0: before.batch += more; break;
        case 1: before.ic = c.groups * (c.ic / c.groups * factor); break;
        case 2: before.oc = c.groups * (c.oc / c.groups + more); break;
        case 3: before.in[axis] += more; break;
        case 4: before.kernel[axis] = std::max<int64_t>(1, c.kernel[axis] + random.between(-1, 2)); break;
        default: before.stride[axis] = std::max<int64_t>(1, c.stride[axis] + random.between(-1, 2)); break;
      }
    }
    if (before != c && is_small(before)) return before;
  }
  return std::nullopt;
}

/// The value of element `count`, the one with these coordinates.
double value_of(Pattern pattern, uint64_t hash, uint64_t count, const int64_t* at, bool is_weight) {
  const double plain = static_cast<double>(static_cast<int64_t>(hash % 9) - 4);
  if (!is_weight) return pattern == Pattern::kLarge ? plain * 4096 : plain;
  switch (pattern) {
    case Pattern::kPlain: return plain;
    case Pattern::kZeroRows: return mix(static_cast<uint64_t>(at[0] * 31 + at[1])) % 2 == 0 ? 0 : plain;
    case Pattern::kTwoOfFour: return (count + count / 4) % 4 < 2 ? (plain == 0 ? 1 : plain) : 0;
    case Pattern::kSpecials: return mix(hash) % 16 == 0 ? std::numeric_limits<double>::infinity() : plain;
    case Pattern::kOneSigned: return at[0] % 2 == 0 ? std::abs(plain) : plain;
    case Pattern::kLarge: return plain * 4096;
  }
  return plain;
}

}  // namespace

Witness draw_witness(Random& random) {
  Witness witness;
  do witness.c = draw_case(random);
  while (!is_small(witness.c));
  if (random.chance(0.15)) witness.before = draw_before(witness.c, random);
  constexpr int kPatterns = 6;
  if (random.chance(0.35)) witness.pattern = static_cast<Pattern>(random.between(1, kPatterns - 1));
  const bool narrow = is_integer(witness.c.src_type) || witness.c.src_type == CONVICT_F16;
  if (narrow && (witness.pattern == Pattern::kLarge || witness.pattern == Pattern::kSpecials))
    witness.pattern = Pattern::kPlain;
  witness.data_seed = random.bits();
  return witness;
}

WitnessMemory::WitnessMemory(const Case& c, Pattern pattern, uint64_t data_seed)
    : problem_(resolve(c).problem), tensors_(describe_tensors(c, problem_)) {
  const convict_tensor* const second = problem_.pass == CONVICT_BACKWARD_WEIGHTS ? &tensors_.diff_dst : &tensors_.wei;
  for (const Role& role : kRoles) {
    convict_tensor& tensor = tensors_.*role.tensor;
    if (tensor.ndim == 0) continue;
    const auto bytes = static_cast<size_t>(buffer_count(tensor)) * type_size(tensor.dtype);
    std::vector<double>& buffer = buffers_.emplace_back(bytes / sizeof(double) + 1, 0.0);
    tensor.data =
        reinterpret_cast<unsigned char*>(buffer.data()) + static_cast<size_t>(tensor.offset) * type_size(tensor.dtype);
    if (role.is_output[problem_.pass]) continue;
    uint64_t count = 0;
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(tensor, [&](auto& element, const int64_t* at) {
        const uint64_t hash = mix(data_seed + kGoldenGamma * count);
        element = element_of<decltype(zero)>(value_of(pattern, hash, count, at, &tensor == second));
        ++count;
      });
    });
    data_seed = mix(data_seed);
  }
  reset_outputs();
}

void WitnessMemory::reset_outputs() {
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors_.*role.tensor;
    if (tensor.ndim == 0 || !role.is_output[problem_.pass]) continue;
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(
          tensor, [&](auto& element, const int64_t*) { element = element_of<decltype(zero)>(77.0); });
    });
  }
}

std::vector<double> WitnessMemory::results() const {
  std::vector<double> values;
  const convict_tensor& out = output_of(problem_, tensors_);
  with_type(out.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(
        out, [&](auto& element, const int64_t*) { values.push_back(static_cast<double>(number(element))); });
  });
  return values;
}

}  // namespace convict::faults
