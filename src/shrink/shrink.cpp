// SPDX-License-Identifier: Apache-2.0
#include "shrink/shrink.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict::shrink {
namespace {

/// Slots that other passes move, because they make no sense alone.
bool has_its_own_pass(const Slot& slot) {
  return slot.kind == SlotKind::kGroups || slot.kind == SlotKind::kChannels || slot.kind == SlotKind::kPaddingWord ||
         slot.is_data();
}

/// Everything but the sizes at once; then each field alone.
std::vector<Case> reset_fields(const Case& c) {
  const Case plain = plain_case(c);
  std::vector<Case> list;
  const auto reset = [&](auto... member) {
    Case simpler = c;
    ((simpler.*member = plain.*member), ...);
    if (!(simpler == c)) list.push_back(simpler);
  };
  reset(&Case::bias, &Case::beta, &Case::relu, &Case::src_type, &Case::wei_type, &Case::dst_type, &Case::src_zero,
        &Case::dst_zero, &Case::scale, &Case::requant, &Case::clamp_low, &Case::clamp_high, &Case::src_layout,
        &Case::wei_layout, &Case::dst_layout, &Case::views, &Case::threads, &Case::calls, &Case::before);
  reset(&Case::bias);
  reset(&Case::beta);
  reset(&Case::relu);
  reset(&Case::src_type, &Case::wei_type, &Case::dst_type, &Case::src_zero, &Case::dst_zero, &Case::scale,
        &Case::requant, &Case::clamp_low, &Case::clamp_high);
  reset(&Case::requant, &Case::clamp_low, &Case::clamp_high);
  reset(&Case::clamp_low, &Case::clamp_high);
  reset(&Case::src_zero, &Case::dst_zero);
  reset(&Case::scale);
  reset(&Case::src_layout, &Case::wei_layout, &Case::dst_layout);
  reset(&Case::views);
  reset(&Case::threads);
  reset(&Case::calls);
  reset(&Case::before);
  reset(&Case::batch);
  reset(&Case::dilation);
  reset(&Case::output_padding);
  reset(&Case::stride, &Case::output_padding);
  return list;
}

/// Groups first, with their channels; then channels of a group; then fewer of either.
std::vector<Case> channels(const Case& c) {
  const int64_t groups = std::max<int64_t>(c.groups, 1), ic = c.ic / groups, oc = c.oc / groups;
  std::vector<Case> list;
  const auto propose = [&](int64_t g, int64_t group_ic, int64_t group_oc) {
    const auto farther = [](int64_t to, int64_t from) { return std::abs(to - 1) > std::abs(from - 1); };
    if (g > groups || farther(group_ic, ic) || farther(group_oc, oc)) return;
    if (g == groups && group_ic == ic && group_oc == oc) return;
    Case simpler = c;
    simpler.groups = g;
    simpler.ic = g * group_ic;
    simpler.oc = g * group_oc;
    list.push_back(simpler);
  };
  for (const int64_t g : {int64_t{1}, int64_t{2}, groups / 2, groups - 1}) {
    if (g < 1) continue;
    propose(g, 1, 1);
    propose(g, ic, oc);
    propose(g, 1, oc);
    propose(g, ic, 1);
  }
  for (const int64_t fewer : {int64_t{1}, int64_t{2}, ic / 2, ic - 1}) propose(groups, fewer, oc);
  for (const int64_t fewer : {int64_t{1}, int64_t{2}, oc / 2, oc - 1}) propose(groups, ic, fewer);
  return list;
}

/// An axis of extent 1 with nothing on it.
std::vector<Case> flatten_axes(const Case& c) {
  std::vector<Case> list;
  const Case plain = plain_case(c);
  for (int axis = 0; axis < c.rank; ++axis) {
    Case flat = c;
    for (const Slot& slot : slots())
      if (slot.per_axis) slot.set(flat, axis, slot.get(plain, axis));
    if (!(flat == c)) list.push_back(flat);
  }
  return list;
}

/// Words for padding, as the numbers they stand for.
std::vector<Case> spell_padding_out(const Case& c) {
  if (c.pad_mode == PadMode::kExplicit) return {};
  Case without = c, spelt = c;
  without.pad_mode = spelt.pad_mode = PadMode::kExplicit;
  const convict_problem p = resolve(c).problem;
  for (int axis = 0; axis < c.rank; ++axis) {
    spelt.pad_begin[axis] = p.pad_begin[axis];
    spelt.pad_end[axis] = p.pad_end[axis];
    spelt.output_padding[axis] = p.output_padding[axis];
  }
  return {without, spelt};
}

/// Each number to its default; else by half of the way, a quarter, ... and at last by one.
std::vector<Case> smaller_numbers(const Case& c) {
  std::vector<Case> list;
  const Case plain = plain_case(c);
  for (const Slot& slot : slots()) {
    if (has_its_own_pass(slot)) continue;
    for (int axis = 0; axis < count_of(slot, c.rank); ++axis) {
      const int64_t now = slot.get(c, axis), aim = slot.get(plain, axis);
      for (int64_t step = now - aim; step != 0; step /= 2) {
        Case simpler = c;
        slot.set(simpler, axis, now - step);
        list.push_back(simpler);
      }
    }
  }
  return list;
}

/// Earlier problems with one change instead of two; then with values nearer to those of the case.
std::vector<Case> simpler_earlier(const Case& c) {
  std::vector<Case> list;
  const auto propose = [&](const Case& simpler) {
    if (simpler != c) list.push_back(simpler);
  };
  for (size_t i = 0; i < c.before.size(); ++i) {
    const auto& [first, second] = c.before[i].changes;
    for (const Change& kept : {first, second}) {
      if (second.field == 0) break;
      Case simpler = c;
      simpler.before[i].changes = {kept, Change{}};
      propose(simpler);
    }
    for (size_t k = 0; k < c.before[i].changes.size(); ++k) {
      const Change& change = c.before[i].changes[k];
      if (change.field == 0 || !field_of(change).is_number()) continue;
      const int64_t away = change.value - field_of(change).get(c, change.axis);
      for (int64_t step = away / 2; step != 0; step /= 2) {
        Case simpler = c;
        simpler.before[i].changes[k].value -= step;  // between two legal values
        propose(simpler);
      }
    }
  }
  return list;
}

/// Simpler kinds of data: small integers that are all alike, a few of them, any of them; then a small seed.
std::vector<Case> simpler_data(const Case& c) {
  constexpr Fill kSimplestFirst[] = {Fill::kOnes,           Fill::kSparse, Fill::kInt,        Fill::kNormal,
                                     Fill::kPositive,       Fill::kWide,   Fill::kSpecial,    Fill::kSubnormal,
                                     Fill::kZero,           Fill::kComb,   Fill::kStructured, Fill::kLargeSums,
                                     Fill::kSpecialWeights, Fill::kOneHot};
  std::vector<Case> list;
  for (const Fill fill : kSimplestFirst) {
    if (fill == c.fill || c.fill == Fill::kOneHot) break;  // a single product is what is looked for
    Case simpler = c;
    simpler.fill = fill;
    list.push_back(simpler);
  }
  for (uint64_t seed = 0; seed < std::min<uint64_t>(c.seed, 4); ++seed) {
    Case simpler = c;
    simpler.seed = seed;
    list.push_back(simpler);
  }
  return list;
}

/// Changes two numbers of one axis together; tried when no single change helps.
std::vector<Case> joint_steps(const Case& c) {
  std::vector<Case> list;
  const Case plain = plain_case(c);
  const auto toward = [&](const Slot& slot, int axis, Case& to) {
    const int64_t now = slot.get(c, axis), aim = slot.get(plain, axis);
    if (now != aim) slot.set(to, axis, now > aim ? now - 1 : now + 1);
    return now != aim;
  };
  for (int axis = 0; axis < c.rank; ++axis)
    for (const Slot& first : slots())
      for (const Slot& second : slots()) {
        if (!first.per_axis || !second.per_axis || &first >= &second) continue;
        Case simpler = c;
        if (toward(first, axis, simpler) && toward(second, axis, simpler)) list.push_back(simpler);
      }
  return list;
}

/// How many numbers differ from those of the plain case, although those of `c` do not.
size_t strangers(const Case& one, const Case& c, const Case& plain) {
  size_t count = 0;
  for (const Slot& slot : slots())
    for (int axis = 0; !slot.is_data() && axis < count_of(slot, c.rank); ++axis) {
      const int64_t usual = slot.get(plain, axis);
      count += slot.get(one, axis) != usual && slot.get(c, axis) == usual;
    }
  return count;
}

/// Cases one or two steps from the plain one, if `c` is farther away. Single steps from `c` may not reach them, for
/// example because an extent has to be traded for padding. Those come first that change only what `c` changes, too.
std::vector<Case> near_plain(const Case& c) {
  std::vector<Case> singles;
  const Case plain = plain_case(c);
  const auto step = [](const Case& from, const Slot& slot, int axis, int64_t by) {
    Case to = from;
    slot.set(to, axis, slot.get(from, axis) + by);
    return to;
  };
  const auto each_step = [&](const Case& from, const auto& visit) {
    for (const Slot& slot : slots())
      for (int axis = 0; slot.words.empty() && !slot.is_data() && axis < count_of(slot, c.rank); ++axis)
        for (const int64_t by : {1, -1})
          if (slot.get(from, axis) + by >= slot.lowest) visit(step(from, slot, axis, by));
  };
  const auto each_word = [&](const Case& from, const auto& visit) {
    for (const Slot& slot : slots())
      for (int64_t word = 0; !slot.is_data() && word < static_cast<int64_t>(slot.words.size()); ++word)
        if (word != slot.get(from, 0)) visit(step(from, slot, 0, word - slot.get(from, 0)));
  };
  const int64_t limit = distance_from_plain(c);
  // So small a case may hide the fault behind the data at hand: others get their chance.
  using Data = std::pair<Fill, uint64_t>;
  std::vector<Data> data = {{c.fill, c.seed}, {Fill::kComb, 1}, {Fill::kInt, 2}, {Fill::kOnes, 0}};
  // What the fault needs is most likely among what the case has: changes of other fields come last, as there are many.
  std::map<size_t, std::vector<Case>> by_strangers;
  const auto propose = [&](Case one) {
    if (distance_from_plain(one) >= limit) return;
    for (const auto& [fill, seed] : data) {
      one.fill = fill;
      one.seed = seed;
      by_strangers[strangers(one, c, plain)].push_back(one);
    }
  };
  propose(plain);
  each_step(plain, [&](const Case& one) { singles.push_back(one); });
  std::ranges::for_each(singles, propose);
  each_word(plain, propose);
  data.resize(2);  // there are many pairs
  if (limit > 3)
    for (const Case& one : singles) each_step(one, propose);
  std::vector<Case> list;
  for (const auto& [count, part] : by_strangers) list.insert(list.end(), part.begin(), part.end());
  return list;
}

/// The same sizes with the axes in another order, if that is simpler: axes with values other than the defaults go last.
std::vector<Case> axis_orders(const Case& c) {
  std::vector<int> order(static_cast<size_t>(c.rank));
  std::iota(order.begin(), order.end(), 0);
  // How much there is on each axis, the last one weighing most: only what is more than before is proposed.
  const Case plain = plain_case(c);
  const auto load = [&](const Case& one) {
    std::vector<int64_t> loads;
    for (int axis = c.rank - 1; axis >= 0; --axis) {
      int64_t sum = 0;
      for (const Slot& slot : slots())
        if (slot.per_axis) sum += std::abs(slot.get(one, axis) - slot.get(plain, axis));
      loads.push_back(sum);
    }
    return loads;
  };
  std::vector<Case> list;
  while (std::ranges::next_permutation(order).found) {
    Case moved = c;
    for (const Slot& slot : slots())
      for (int axis = 0; slot.per_axis && axis < c.rank; ++axis) slot.set(moved, axis, slot.get(c, order[axis]));
    if (load(moved) > load(c)) list.push_back(moved);
  }
  return list;
}

/// Data with a single product, for a small case.
std::vector<Case> one_hot_seeds(const Case& c) {
  constexpr int64_t kMostPairs = 64;
  if (c.fill != Fill::kOnes && c.fill != Fill::kSparse && c.fill != Fill::kInt && c.fill != Fill::kComb) return {};
  const convict_problem p = resolve(c).problem;
  const convict_tensors tensors = describe_tensors(c, p);
  int64_t pairs = 1;
  for (const convict_tensor* operand : {&tensors.src, &tensors.wei, &tensors.diff_dst})
    if (operand->ndim > 0) pairs *= std::max<int64_t>(element_count(*operand), 1);
  std::vector<Case> list;
  for (int64_t seed = 0; seed < std::min(pairs, kMostPairs); ++seed) {
    Case hot = c;
    hot.fill = Fill::kOneHot;
    hot.seed = static_cast<uint64_t>(seed);
    list.push_back(hot);
  }
  return list;
}

/// The operand that has the first number of a single product, and the one that has the second (src/fill).
struct ProductOperands {
  const convict_tensor *image, *weight;
};
ProductOperands operands_of(const Case& c, const convict_tensors& t) {
  if (c.pass != CONVICT_BACKWARD_WEIGHTS) return {c.pass == CONVICT_FORWARD ? &t.src : &t.diff_dst, &t.wei};
  return c.op == CONVICT_CONV ? ProductOperands{&t.src, &t.diff_dst} : ProductOperands{&t.diff_dst, &t.src};
}

uint64_t elements(const convict_tensor& t) { return static_cast<uint64_t>(std::max<int64_t>(element_count(t), 1)); }

/// The element of `to` that has the coordinates of element `index` of `from`; counted from the end of each dimension if
/// `from_end`. Coordinates outside of `to` become the nearest inside.
uint64_t placed(uint64_t index, const convict_tensor& from, const convict_tensor& to, bool from_end) {
  uint64_t result = 0, factor = 1;
  for (int dim = from.ndim - 1; dim >= 0; --dim) {
    const int64_t was = std::max<int64_t>(from.dims[dim], 1), is = std::max<int64_t>(to.dims[dim], 1);
    const int64_t at = static_cast<int64_t>(index % static_cast<uint64_t>(was)), moved = from_end ? at + is - was : at;
    result += factor * static_cast<uint64_t>(std::clamp<int64_t>(moved, 0, is - 1));
    factor *= static_cast<uint64_t>(is);
    index /= static_cast<uint64_t>(was);
  }
  return result;
}

/// One number one nearer to its default, or one word.
std::vector<Case> single_steps(const Case& c) {
  std::vector<Case> list;
  const Case plain = plain_case(c);
  for (const Slot& slot : slots()) {
    if (slot.is_data() || slot.kind == SlotKind::kPaddingWord) continue;
    for (int axis = 0; axis < count_of(slot, c.rank); ++axis) {
      const int64_t step = slot.kind == SlotKind::kChannels ? std::max<int64_t>(c.groups, 1) : 1;
      const int64_t now = slot.get(c, axis), aim = step * slot.get(plain, axis);
      if (now == aim) continue;
      Case nearer = c;
      slot.set(nearer, axis, !slot.words.empty() ? aim : now > aim ? now - step : now + step);
      list.push_back(nearer);
    }
  }
  return list;
}

/// `to`, a step from `c`; if both have a single product, then with the product where it was: as far from the begin of
/// each axis, or from its end. Its seed counts elements, of which `to` has fewer.
std::vector<Case> with_product_of(const Case& c, const Case& to) {
  const bool has_room = !resolve(c).why_not && !resolve(to).why_not;
  if (c.fill != Fill::kOneHot || to.fill != Fill::kOneHot || to.seed != c.seed || !has_room) return {to};
  const convict_tensors before = describe_tensors(c, resolve(c).problem);
  const convict_tensors after = describe_tensors(to, resolve(to).problem);
  const auto [image, weight] = operands_of(c, before);
  const auto [smaller_image, smaller_weight] = operands_of(to, after);
  if (image->ndim != smaller_image->ndim || weight->ndim != smaller_weight->ndim) return {to};
  std::vector<Case> list;
  for (const bool image_from_end : {false, true})
    for (const bool weight_from_end : {false, true}) {
      Case one = to;
      const uint64_t number = c.seed / elements(*image) % elements(*weight);
      one.seed = placed(c.seed % elements(*image), *image, *smaller_image, image_from_end) +
                 elements(*smaller_image) * placed(number, *weight, *smaller_weight, weight_from_end);
      if (std::ranges::find(list, one) == list.end()) list.push_back(one);
    }
  return list;
}

/// One number one nearer to its default, or one word: with each of 64 seeds, because what a smaller case needs is
/// other data. Tried when nothing else helps.
std::vector<Case> reseeded_steps(const Case& c) {
  constexpr uint64_t kSeeds = 64;
  const std::vector<Case> steps = single_steps(c);
  std::vector<Case> list;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    for (Case one : steps) {
      one.seed = seed;
      list.push_back(one);
    }
  return list;
}

class Shrinking {
 public:
  Shrinking(const Case& c, const StillFails& still_fails, const GoOn& go_on)
      : best_(c), still_fails_(still_fails), go_on_(go_on) {
    tried_.insert(to_text(c));
  }

  Case run() {
    do {
      while (exhaust(shrink_passes())) {
      }
      // What uses up many runs comes last.
    } while (improve(axis_orders) || improve(joint_steps) || improve(one_hot_seeds) || improve(near_plain) ||
             improve(reseeded_steps));
    return best_;
  }

 private:
  /// Whether any pass made the case smaller. After a success the same pass goes on from there.
  bool exhaust(const std::vector<ShrinkPass>& passes) {
    bool any = false;
    for (const ShrinkPass pass : passes)
      while (improve(pass)) any = true;
    return any;
  }

  bool improve(ShrinkPass pass) {
    const Case from = best_;
    for (const Case& step : pass(from))
      for (const Case& candidate : with_product_of(from, step))
        if (accept(candidate)) return true;
    return false;
  }

  bool accept(const Case& candidate) {
    if (stopped_ || !tried_.insert(to_text(candidate)).second || resolve(candidate).why_not) return false;
    stopped_ = !go_on_();
    if (stopped_ || !still_fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  Case best_;
  const StillFails& still_fails_;
  const GoOn& go_on_;
  std::set<std::string> tried_;  // also prevents cycles between passes
  bool stopped_ = false;
};

}  // namespace

std::vector<ShrinkPass> shrink_passes() {
  return {reset_fields, channels, flatten_axes, spell_padding_out, smaller_numbers, simpler_earlier, simpler_data};
}

int64_t distance_from_plain(const Case& c) {
  const Case plain = plain_case(c);
  int64_t sum = 0;
  for (const Slot& slot : slots())
    for (int axis = 0; !slot.is_data() && axis < count_of(slot, c.rank); ++axis) {
      const int64_t away = std::abs(slot.get(c, axis) - slot.get(plain, axis));
      sum += slot.words.empty() ? away : std::min<int64_t>(away, 1);
    }
  return sum;
}

Case shrink(const Case& c, const StillFails& still_fails, const GoOn& go_on) {
  return Shrinking(c, still_fails, go_on).run();
}

}  // namespace convict::shrink
