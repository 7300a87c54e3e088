// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/earlier.h"
#include "core/fields.h"
#include "fuzz/record.h"
#include "generate/repair.h"
#include "generate/generate.h"
#include "shrink/shrink.h"

namespace convict::fuzz {
namespace {

/// A number of the case: which slot, and of which axis.
struct SlotOfAxis {
  const Slot* slot;
  int axis;
};

SlotOfAxis any_place(const Case& c, Random& random) {
  const Slot& slot = slots()[static_cast<size_t>(random.below(static_cast<int64_t>(slots().size())))];
  return {&slot, static_cast<int>(random.below(count_of(slot, c.rank)))};
}

void set(Case& c, const SlotOfAxis& place, int64_t value) {
  place.slot->set(c, place.axis, std::clamp(value, place.slot->lowest, place.slot->highest));
}

/// Sets a number to that of another case; of earlier problems, all that they are.
void take(Case& c, const SlotOfAxis& place, const Case& other, int axis) {
  if (place.slot->kind == SlotKind::kEarlier)
    c.before = other.before;
  else
    set(c, place, place.slot->get(other, axis));
}

/// A case of the generator. All are made once, because making one costs as much as examining it.
const Case& generated(Random& random) {
  constexpr int64_t kCount = 4096;
  static const std::vector<Case> cases = [] {
    std::vector<Case> list;
    for (int64_t i = 0; i < kCount; ++i) list.push_back(generate::generate(nullptr, 1, static_cast<uint64_t>(i)));
    return list;
  }();
  return cases[static_cast<size_t>(random.below(kCount))];
}

/// Takes a value from a case of the generator, which draws boundary values often.
void take_from_generator(Case& c, Random& random) {
  const Case& other = generated(random);
  const SlotOfAxis place = any_place(c, random);
  take(c, place, other, std::min(place.axis, other.rank - 1));
}

void step(Case& c, Random& random) {
  const SlotOfAxis place = any_place(c, random);
  const int64_t now = place.slot->get(c, place.axis);
  if (!place.slot->words.empty()) return set(c, place, random.below(static_cast<int64_t>(place.slot->words.size())));
  const int64_t near[] = {now - 1, now + 1, now + 1, now / 2, now * 2, now * 2 + 1, -now};
  set(c, place, random.pick(std::span<const int64_t>(near)));
}

/// Copies the values of one axis to another.
void copy_axis(Case& c, Random& random) {
  const SlotOfAxis place = any_place(c, random);
  const auto from = static_cast<int>(random.below(count_of(*place.slot, c.rank)));
  set(c, place, place.slot->get(c, from));
}

/// Keeps the numbers, in another operation, pass or rank.
void change_operation(Case& c, Random& random) {
  const int64_t what = random.below(3);
  if (what == 0) c.pass = static_cast<convict_pass>(random.between(CONVICT_FORWARD, CONVICT_BACKWARD_WEIGHTS));
  if (what == 1) c.op = c.op == CONVICT_CONV ? CONVICT_CONV_TRANSPOSE : CONVICT_CONV;
  if (what == 2) c.rank = static_cast<int>(random.between(1, kAxes));
  const Case plain = plain_case(c);
  for (const Slot& slot : slots())  // axes that are gone are at their default, new ones become like the last
    for (int axis = 1; slot.per_axis && axis < kAxes; ++axis)
      slot.set(c, axis, slot.get(axis < c.rank ? c : plain, axis));
}

/// Sets as many channels as groups, or many of both.
void regroup(Case& c, Random& random) {
  const int64_t groups[] = {1, 2, 3, 4, 8, 16, 17}, multiples[] = {1, 1, 2, 3, 8};
  c.groups = random.pick(std::span<const int64_t>(groups));
  c.ic = c.groups * random.pick(std::span<const int64_t>(multiples));
  c.oc = c.groups * random.pick(std::span<const int64_t>(multiples));
}

/// Another change of an earlier problem, or one more: any field, and of numbers a value near that of the case.
void change_earlier(Case& c, Random& random) {
  constexpr int64_t kMostWords = int64_t{1} << 31;
  const int64_t used = std::ranges::count_if(c.before, &Earlier::is_used);
  const int64_t which = random.below(std::min<int64_t>(used + 1, std::ssize(c.before)));
  auto& changes = c.before[static_cast<size_t>(which)].changes;
  Change& change = changes[changes[0].field == 0 || random.chance(0.5) ? 0 : 1];
  change.field = static_cast<uint8_t>(1 + random.below(std::ssize(changeable_fields())));
  const ChangeableField& field = field_of(change);
  change.axis = static_cast<uint8_t>(field.per_axis ? random.below(c.rank) : 0);
  if (field.is_number())
    change.value = std::clamp(field.get(c, change.axis) + random.between(-2, 4), field.lowest, field.highest);
  else
    change.value = random.below(std::min(field.highest + 1, kMostWords));
}

}  // namespace

Case mutated(const Case& c, Random& random) {
  Case next = c;
  for (int64_t changes = random.between(1, 4); changes > 0; --changes) {
    const int64_t how = random.below(17);
    if (how < 7)
      take_from_generator(next, random);
    else if (how < 12)
      step(next, random);
    else if (how < 13)
      copy_axis(next, random);
    else if (how < 14)
      change_operation(next, random);
    else if (how < 15)
      regroup(next, random);
    else if (how < 16)
      change_earlier(next, random);
    else
      next = generated(random);
  }
  generate::repair(next);
  return next;
}

Case crossed(const Case& first, const Case& second, Random& random) {
  Case child = first;
  for (const Field& field : fields()) {
    if (random.chance(0.5)) continue;
    for (const Slot& slot : field.slots)
      for (int axis = 0; axis < count_of(slot, std::min(first.rank, second.rank)); ++axis)
        take(child, {&slot, axis}, second, axis);
  }
  generate::repair(child);
  return child;
}

Case simplified(const Case& c, size_t most_bytes, Random& random) {
  std::vector<Case> candidates;
  for (const shrink::ShrinkPass pass : shrink::shrink_passes())
    for (Case& simpler : pass(c)) {
      generate::repair(simpler);
      if (encode(simpler).size() <= most_bytes) candidates.push_back(simpler);
    }
  return candidates.empty() ? plain_case(c) : random.pick(std::span<const Case>(candidates));
}

}  // namespace convict::fuzz
