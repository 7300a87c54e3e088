// SPDX-License-Identifier: Apache-2.0
//
// One condition of a narrow kernel: what it asks of a problem and its tensors before it takes it. Kernels see problems
// and strides, not cases; so do conditions.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/random.h"

namespace convict::narrow {

/// What a kernel looks at, in the order in which kernels look.
enum class Category {
  kOperation,
  kType,
  kQuantization,
  kGroups,
  kChannels,
  kKernel,
  kStride,
  kPadding,
  kLayout,
  kOther
};
std::string_view name_of(Category category);

/// The problem as a kernel gets it.
struct Seen {
  const convict_problem& p;
  const convict_tensors& t;

  const convict_tensor& src() const { return p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.src; }
  const convict_tensor& dst() const { return p.pass == CONVICT_FORWARD ? t.dst : t.diff_dst; }
  const convict_tensor& wei() const { return p.pass == CONVICT_BACKWARD_WEIGHTS ? t.diff_wei : t.wei; }
  int last() const { return p.rank - 1; }
  int64_t ic_per_group() const { return p.ic / std::max<int64_t>(p.groups, 1); }
  int64_t taps() const;

  template <class Holds>  // of the axis
  bool every_axis(const Holds& holds) const {
    for (int axis = 0; axis < p.rank; ++axis)
      if (!holds(axis)) return false;
    return true;
  }
};

struct Condition {
  Category category = Category::kOther;
  std::string text;  // "channels % 8 = 0"
  double share = 1;  // of the cases of `all` that meet it and those before it, roughly: only to aim at a share
  std::function<bool(const Seen&)> holds;
};

/// A kind of condition, for the layer that has to meet it; nothing if that meets none of the kind.
struct Kind {
  std::string_view name;
  double weight;  // how often it is drawn
  std::optional<Condition> (*of)(const Seen& layer, Random& random);
};

/// Those that domains are made of.
std::vector<Kind> domain_kinds();

/// What is joined by one table: types and quantization, sizes, layouts.
std::vector<Kind> word_kinds();
std::vector<Kind> size_kinds();

/// Conditions under which real kernels have gone wrong: a tail, another path, a second image.
std::vector<Condition> fault_conditions();

}  // namespace convict::narrow
