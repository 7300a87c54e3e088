// SPDX-License-Identifier: Apache-2.0
#include "fuzz/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/earlier.h"
#include "core/fields.h"
#include "core/random.h"
#include "generate/repair.h"
#include "generate/generate.h"

namespace convict::fuzz {
namespace {

constexpr uint8_t kMagic[] = {'c', 'v', kRecordVersion};
constexpr size_t kHeader = sizeof kMagic + 1;  // bytes

/// Larger sizes are folded into the domain: no budget has room for them.
constexpr int64_t kLargestSize = 1 << 16;

size_t width(const Slot& slot) { return slot.highest > std::numeric_limits<int32_t>::max() ? 8 : 4; }
int count(const Slot& slot) { return slot.per_axis ? kAxes : 1; }
bool is_seed(const Slot& slot) { return slot.kind == SlotKind::kSeed; }

/// All but those of earlier problems: their changes say whether there are any.
std::vector<Slot> recorded_slots() {
  std::vector<Slot> list;
  std::ranges::copy_if(slots(), std::back_inserter(list), [](const Slot& s) { return s.kind != SlotKind::kEarlier; });
  return list;
}

constexpr size_t kFieldWidth = 1, kAxisWidth = 1, kDistanceWidth = 4;  // of a change
constexpr size_t kChangeWidth = kFieldWidth + kAxisWidth + kDistanceWidth;
constexpr size_t kProblems = std::tuple_size_v<decltype(Case::before)>;
constexpr size_t kChanges = std::tuple_size_v<decltype(Earlier::changes)>;  // of each

void put(std::vector<uint8_t>& bytes, int64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

/// The number at `offset`, with its sign; bytes behind the end are 0.
int64_t number_at(std::span<const uint8_t> bytes, size_t offset, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i)
    if (offset + i < bytes.size()) value |= uint64_t{bytes[offset + i]} << (8 * i);
  return width == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
}

/// Folds `value` into the domain from `lowest` to `highest`; keeps values inside of it.
int64_t folded(int64_t lowest, int64_t highest, int64_t value) {
  lowest = std::max(lowest, -kLargestSize);
  highest = std::min(highest, kLargestSize);
  if (value >= lowest && value <= highest) return value;
  const auto range = static_cast<uint64_t>(highest - lowest + 1);
  return lowest + static_cast<int64_t>(static_cast<uint64_t>(value) % range);
}

int64_t folded(const Slot& slot, int64_t value) {
  return is_seed(slot) ? value & slot.highest : folded(slot.lowest, slot.highest, value);
}

bool has_header(std::span<const uint8_t> bytes) {
  return bytes.size() >= kHeader && std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

Case drawn(std::span<const uint8_t> bytes) {
  uint64_t seed = mix(bytes.size());
  for (const uint8_t byte : bytes) seed = mix(seed ^ byte);
  Case c = generate::generate(nullptr, seed, 0);
  generate::repair(c);
  return c;
}

void put(std::vector<uint8_t>& bytes, const Change& change, const Case& c) {
  const bool is_used = change.field != 0;
  put(bytes, change.field, kFieldWidth);
  put(bytes, change.axis, kAxisWidth);
  put(bytes, is_used ? change.value - field_of(change).get(c, change.axis) : 0, kDistanceWidth);
}

/// The number of a word. There are at most 2^32 of them, which the distance tells apart.
int64_t wrapped(const ChangeableField& field, int64_t value) {
  const int64_t count = field.highest + 1, remainder = value % count;
  return remainder < 0 ? remainder + count : remainder;
}

Change change_at(std::span<const uint8_t> bytes, size_t offset, const Case& c) {
  const auto fields = static_cast<int64_t>(changeable_fields().size());
  Change change;
  change.field = static_cast<uint8_t>(number_at(bytes, offset, kFieldWidth) % (fields + 1));
  if (change.field == 0) return change;
  const ChangeableField& field = field_of(change);
  const int64_t axis = number_at(bytes, offset + kFieldWidth, kAxisWidth);
  change.axis = static_cast<uint8_t>(field.per_axis ? axis % c.rank : 0);
  const int64_t distance = number_at(bytes, offset + kFieldWidth + kAxisWidth, kDistanceWidth);
  const int64_t value = field.get(c, change.axis) + distance;
  change.value = field.is_number() ? folded(field.lowest, field.highest, value) : wrapped(field, value);
  return change;
}

/// Those behind one without changes are left out: unused ones come last.
void read_earlier(std::span<const uint8_t> bytes, size_t offset, Case& c) {
  for (Earlier& earlier : c.before) {
    Earlier read;
    for (Change& change : read.changes) {
      change = change_at(bytes, offset, c);
      offset += kChangeWidth;
    }
    if (!read.is_used()) return;
    earlier = read;
  }
}

uint8_t operation_byte(const Case& c) {
  return static_cast<uint8_t>((c.op - 1) | (c.pass - 1) << 2 | (c.rank - 1) << 4);
}

}  // namespace

std::string record_layout() {
  std::string text = "op pass rank";
  for (const Slot& slot : recorded_slots()) text += fmt::format(" {}:{}x{}", slot.name, count(slot), width(slot));
  return text + fmt::format(" before:{}x{}x{}+{}+{}", kProblems, kChanges, kFieldWidth, kAxisWidth, kDistanceWidth);
}

size_t record_size() {
  size_t size = kHeader + kProblems * kChanges * kChangeWidth;
  for (const Slot& slot : recorded_slots()) size += static_cast<size_t>(count(slot)) * width(slot);
  return size;
}

std::vector<uint8_t> encode(const Case& c) {
  std::vector<uint8_t> bytes(std::begin(kMagic), std::end(kMagic));
  bytes.push_back(operation_byte(c));
  const Case plain = plain_case(c);
  size_t needed = bytes.size();
  for (const Slot& slot : recorded_slots())
    for (int axis = 0; axis < count(slot); ++axis) {
      // The distance from the default, so that what is missing is the default.
      const int64_t value = axis < count_of(slot, c.rank) ? slot.get(c, axis) - slot.get(plain, axis) : 0;
      put(bytes, value, width(slot));
      if (value != 0) needed = bytes.size();
    }
  for (const Earlier& earlier : c.before)
    for (const Change& change : earlier.changes) {
      put(bytes, change, c);
      if (change.field != 0) needed = bytes.size();
    }
  bytes.resize(needed);
  return bytes;
}

Case decode(std::span<const uint8_t> bytes) {
  if (!has_header(bytes)) return drawn(bytes);
  const uint8_t operation = bytes[kHeader - 1];
  Case c;
  c.op = static_cast<convict_op>(1 + operation % 2);
  c.pass = static_cast<convict_pass>(1 + (operation >> 2 & 3) % 3);
  c.rank = 1 + (operation >> 4 & 3) % kAxes;
  const Case plain = c = plain_case(c);
  size_t offset = kHeader;
  for (const Slot& slot : recorded_slots())
    for (int axis = 0; axis < count(slot); ++axis, offset += width(slot)) {
      if (axis >= count_of(slot, c.rank)) continue;
      const auto distance = static_cast<uint64_t>(number_at(bytes, offset, width(slot)));
      slot.set(c, axis, folded(slot, static_cast<int64_t>(static_cast<uint64_t>(slot.get(plain, axis)) + distance)));
    }
  read_earlier(bytes, offset, c);
  generate::repair(c);
  return c;
}

}  // namespace convict::fuzz
