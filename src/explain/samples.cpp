// SPDX-License-Identifier: Apache-2.0
#include "explain/samples.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/case_text.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/random.h"

namespace convict::explain {
namespace {

/// One slot of one axis and another value for it.
struct SlotChange {
  const Slot* slot = nullptr;
  int axis = 0;
  int64_t value = 0;
};

/// The values of the innermost axes stay, and axes that are added are plain ones.
void set_rank(Case& c, int rank) {
  const Case before = c, plain = plain_case(c);
  c.rank = rank;
  for (const Slot& slot : slots())
    for (int axis = 0; slot.per_axis && axis < kAxes; ++axis) {
      const int from = axis + before.rank - rank;
      slot.set(c, axis, axis < rank && from >= 0 ? slot.get(before, from) : slot.get(plain, 0));
    }
}

void set_operation(Case& c, convict_op op) {
  const bool is_default = c.wei_layout == default_weight_layout(c.op);
  c.op = op;
  if (is_default) c.wei_layout = default_weight_layout(op);
}

constexpr convict_dtype kFloatingTypes[] = {CONVICT_F32, CONVICT_F64, CONVICT_F16, CONVICT_BF16};
constexpr std::string_view kFloatingTypeNames[] = {"f32", "f64", "f16", "bf16"};

/// Hardly any implementation computes with several floating types at once: one changed alone would be refused.
int64_t floating_type(const Case& c) { return std::ranges::find(kFloatingTypes, c.src_type) - kFloatingTypes; }

void set_floating_type(Case& c, int64_t type) { c.src_type = c.wei_type = c.dst_type = kFloatingTypes[type]; }

constexpr std::string_view kOperations[] = {"conv", "conv_transpose"};
constexpr std::string_view kPasses[] = {"forward", "backward_data", "backward_weights"};

/// What is computed, and in which type, as if these were fields.
constexpr Slot kOperationSlots[] = {
    {"rank",
     false,
     1,
     kAxes,
     {},
     [](const Case& c, int) -> int64_t { return c.rank; },
     [](Case& c, int, int64_t value) { set_rank(c, static_cast<int>(value)); }},
    {"pass", false, 0, 2, kPasses, [](const Case& c, int) -> int64_t { return c.pass - CONVICT_FORWARD; },
     [](Case& c, int, int64_t value) { c.pass = static_cast<convict_pass>(CONVICT_FORWARD + value); }},
    {"operation", false, 0, 1, kOperations, [](const Case& c, int) -> int64_t { return c.op - CONVICT_CONV; },
     [](Case& c, int, int64_t value) { set_operation(c, static_cast<convict_op>(CONVICT_CONV + value)); }},
    {"types", false, 0, 3, kFloatingTypeNames, [](const Case& c, int) { return floating_type(c); },
     [](Case& c, int, int64_t value) { set_floating_type(c, value); }}};

/// Channels and groups are varied through each other: a group more is a group of channels more. An earlier change may
/// have left fewer channels than groups; a group that has channels keeps one.
void apply(const SlotChange& change, Case& to) {
  const int64_t groups = std::max<int64_t>(to.groups, 1);
  const auto per_group = [&](int64_t channels) { return (channels + groups - 1) / groups; };
  const int64_t ic = per_group(to.ic), oc = per_group(to.oc);
  change.slot->set(to, change.axis, change.value);
  if (change.slot->kind == SlotKind::kGroups) {
    to.ic = to.groups * ic;
    to.oc = to.groups * oc;
  }
}

/// Other values of a number: its neighbours, its double, and the sizes at which kernels change their ways.
std::vector<int64_t> other_values(const Slot& slot, int64_t now, const Case& c) {
  std::vector<int64_t> values;
  if (!slot.words.empty()) {
    for (int64_t value = 0; value < static_cast<int64_t>(slot.words.size()); ++value) values.push_back(value);
  } else if (slot.kind == SlotKind::kChannels) {
    for (const int64_t times : {1, 2, 3, 4, 5, 8, 16, 17}) values.push_back(times * c.groups);
  } else {
    values = {now - 1, now + 1, now - 2, now + 2, 0, 1, 2, 3, 4, 5, 2 * now, 2 * now + 1, 7, 8, 9, 16, 17};
  }
  const bool is_size = slot.kind == SlotKind::kSize || slot.kind == SlotKind::kChannels;
  std::erase_if(values, [&](int64_t value) {
    const bool empties = is_size && value == 0 && now > 0;  // where there is nothing, nothing can be wrong
    return value == now || value < slot.lowest || value > slot.highest || empties;
  });
  std::set<int64_t> seen;
  std::erase_if(values, [&](int64_t value) { return !seen.insert(value).second; });
  return values;
}

class NeighbourSampler {
 public:
  NeighbourSampler(const Case& failing, const Fails& fails, const std::function<bool()>& go_on,
                   const SamplingLimits& limits)
      : failing_(failing), fails_(fails), go_on_(go_on), limits_(limits), axis_(busiest_axis(failing)) {
    seen_.insert(to_text(failing));
    samples_.push_back({failing, true, axis_});  // whatever the limits
  }

  Sampled run() {
    for (const Slot& slot : kOperationSlots) vary(slot);
    for (const Slot& slot : slots())
      if (!slot.is_data()) vary(slot);  // the data are varied with every problem
    same_outputs();
    moved_axes();
    const bool mirrored = may_go_on();
    all_that_do_not_matter();
    two_at_a_time();
    return {std::move(samples_), mirrored};
  }

 private:
  /// The axis with the most on it; the last one of several.
  static int busiest_axis(const Case& c) {
    const Case plain = plain_case(c);
    std::vector<int> busy(static_cast<size_t>(c.rank));
    for (const Slot& slot : slots())
      for (int axis = 0; slot.per_axis && axis < c.rank; ++axis)
        busy[static_cast<size_t>(axis)] += slot.get(c, axis) != slot.get(plain, axis);
    int best = c.rank - 1;
    for (int axis = c.rank - 1; axis >= 0; --axis)
      if (busy[static_cast<size_t>(axis)] > busy[static_cast<size_t>(best)]) best = axis;
    return best;
  }

  bool may_go_on() const { return static_cast<int>(samples_.size()) < limits_.runs && go_on_(); }

  /// Runs a case that is new, legal and small. Whether it failed, or nothing if it was not run. `axis`: of the failing
  /// case; in a case of another rank, the one that is as far from the innermost.
  std::optional<bool> take(const Case& c, int axis) {
    axis = std::max(0, axis + c.rank - failing_.rank);
    if (static_cast<int>(samples_.size()) >= limits_.runs || !seen_.insert(to_text(c)).second) return std::nullopt;
    const Resolved resolved = resolve(c);
    if (resolved.why_not || multiply_adds(resolved.problem) > limits_.largest_cost || !go_on_()) return std::nullopt;
    if (!limits_.is_within(c)) return std::nullopt;
    const auto fails = fails_(c);
    if (fails) samples_.push_back({c, *fails, axis});
    return fails;
  }

  /// What is not legal may be so on a larger image.
  static Case with_room(Case c) {
    for (int axis = 0; axis < c.rank; ++axis) c.in[axis] += 2;
    return c;
  }

  void vary(const Slot& slot) {
    for (int axis = 0; axis < count_of(slot, failing_.rank); ++axis) {
      bool matters = false;
      std::vector<SlotChange> harmless, helpful;
      for (const int64_t value : other_values(slot, slot.get(failing_, axis), failing_)) {
        const SlotChange change{&slot, axis, value};
        Case varied = failing_;
        apply(change, varied);
        auto failed = take(varied, axis_);
        if (!failed && resolve(varied).why_not) failed = take(with_room(varied), axis_);
        if (!failed) continue;
        matters |= !*failed;
        (*failed ? harmless : helpful).push_back(change);
      }
      auto& changes = matters ? mattering_ : free_;
      changes.insert(changes.end(), harmless.begin(), harmless.end());
      if (matters) mattering_.insert(mattering_.end(), helpful.begin(), helpful.end());
    }
  }

  /// Sets the extent of src so that dst has this extent, if any does.
  static std::optional<Case> with_output(Case c, int axis, int64_t wanted) {
    for (int step = 0; step < 2; ++step) {
      const int64_t missing = wanted - resolve(c).problem.out[axis];
      if (missing == 0) return c;
      c.in[axis] += c.op == CONVICT_CONV ? missing * c.stride[axis] : missing / c.stride[axis];
      if (c.in[axis] < 1) return std::nullopt;
    }
    return resolve(c).problem.out[axis] == wanted ? std::optional(c) : std::nullopt;
  }

  /// What matters may be the extent of dst alone, and every change above changes it: so other values of the axis with
  /// the same extent of dst, the paddings the other way round, and the extents at which kernels change their ways.
  void same_outputs() {
    const Resolved resolved = resolve(failing_);
    if (resolved.why_not) return;
    const auto take_with = [&](const Case& c, int axis, int64_t extent) {
      if (const auto same = with_output(c, axis, extent)) take(*same, axis_);
    };
    for (int axis = 0; axis < failing_.rank; ++axis) {
      const int64_t extent = resolved.problem.out[axis];
      for (const Slot& slot : slots()) {
        if (!slot.per_axis || slot.kind == SlotKind::kSize) continue;
        for (const int64_t value : other_values(slot, slot.get(failing_, axis), failing_)) {
          Case varied = failing_;
          apply({&slot, axis, value}, varied);
          take_with(varied, axis, extent);
        }
      }
      // A window that sees nothing but padding hides a fault, so kernels and paddings are varied together.
      for (const int64_t kernel : {1, 2, 3, 5})
        for (const int64_t begin : {0, 1, 2, 3})
          for (const int64_t end : {0, 1, 2, 3}) {
            if (failing_.pad_mode != PadMode::kExplicit) continue;
            Case varied = failing_;
            varied.kernel[axis] = kernel;
            varied.pad_begin[axis] = begin;
            varied.pad_end[axis] = end;
            take_with(varied, axis, extent);
          }
      Case mirrored = failing_;
      std::swap(mirrored.pad_begin[axis], mirrored.pad_end[axis]);
      take(mirrored, axis_);
      for (const int64_t other : {extent - 8, extent + 8, extent + 16, int64_t{1}, int64_t{8}, int64_t{9}, int64_t{17}})
        take_with(failing_, axis, other);
    }
  }

  /// The same on another axis: is the last one special?
  void moved_axes() {
    for (int other = 0; other < failing_.rank; ++other) {
      if (other == axis_) continue;
      Case moved = failing_;
      for (const Slot& slot : slots())
        if (slot.per_axis) {
          slot.set(moved, axis_, slot.get(failing_, other));
          slot.set(moved, other, slot.get(failing_, axis_));
        }
      take(moved, other);
    }
  }

  /// What changed nothing alone should change nothing together.
  void all_that_do_not_matter() {
    constexpr uint64_t kDraws = 64;
    if (free_.empty()) return;
    for (uint64_t draw = 0; draw < kDraws; ++draw) {
      Case varied = failing_;
      for (uint64_t i = 0; i < 6; ++i) apply(free_[mix(draw * 31 + i) % free_.size()], varied);
      take(varied, axis_);
    }
  }

  void two_at_a_time() {
    for (const SlotChange& first : mattering_)
      for (const SlotChange& second : mattering_) {
        if (std::pair(first.slot, first.axis) >= std::pair(second.slot, second.axis)) continue;
        Case varied = failing_;
        apply(first, varied);
        apply(second, varied);
        take(varied, axis_);
      }
  }

  const Case& failing_;
  const Fails& fails_;
  const std::function<bool()>& go_on_;
  const SamplingLimits& limits_;
  int axis_;
  std::vector<Sample> samples_;
  std::set<std::string> seen_;
  std::vector<SlotChange> free_, mattering_;  // of slots that decide nothing alone; of the others
};

}  // namespace

Sampled sample_around(const Case& failing, const Fails& fails, const std::function<bool()>& go_on,
                      const SamplingLimits& limits) {
  return NeighbourSampler(failing, fails, go_on, limits).run();
}

}  // namespace convict::explain
