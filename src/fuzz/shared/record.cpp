// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shared/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/fields.h"
#include "core/random.h"
#include "fuzz/shared/repair.h"
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

/// Folds `value` into the domain of the slot; keeps values inside of it.
int64_t folded(const Slot& slot, int64_t value) {
  const int64_t highest = is_seed(slot) ? slot.highest : std::min(slot.highest, kLargestSize);
  const int64_t lowest = std::max(slot.lowest, -kLargestSize);
  if (value >= lowest && value <= highest) return value;
  if (is_seed(slot)) return value & slot.highest;
  const auto range = static_cast<uint64_t>(highest - lowest + 1);
  return lowest + static_cast<int64_t>(static_cast<uint64_t>(value) % range);
}

bool has_header(std::span<const uint8_t> bytes) {
  return bytes.size() >= kHeader && std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

Case drawn(std::span<const uint8_t> bytes) {
  uint64_t seed = mix(bytes.size());
  for (const uint8_t byte : bytes) seed = mix(seed ^ byte);
  Case c = generate::generate(nullptr, seed, 0);
  repair(c);
  return c;
}

uint8_t operation_byte(const Case& c) {
  return static_cast<uint8_t>((c.op - 1) | (c.pass - 1) << 2 | (c.rank - 1) << 4);
}

}  // namespace

std::string record_layout() {
  std::string text = "op pass rank";
  for (const Slot& slot : slots()) text += fmt::format(" {}:{}x{}", slot.name, count(slot), width(slot));
  return text;
}

size_t record_size() {
  size_t size = kHeader;
  for (const Slot& slot : slots()) size += static_cast<size_t>(count(slot)) * width(slot);
  return size;
}

std::vector<uint8_t> encode(const Case& c) {
  std::vector<uint8_t> bytes(std::begin(kMagic), std::end(kMagic));
  bytes.push_back(operation_byte(c));
  const Case plain = plain_case(c);
  size_t needed = bytes.size();
  for (const Slot& slot : slots())
    for (int axis = 0; axis < count(slot); ++axis) {
      // The distance from the default, so that what is missing is the default.
      const int64_t value = axis < count_of(slot, c.rank) ? slot.get(c, axis) - slot.get(plain, axis) : 0;
      put(bytes, value, width(slot));
      if (value != 0) needed = bytes.size();
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
  for (const Slot& slot : slots())
    for (int axis = 0; axis < count(slot); ++axis, offset += width(slot)) {
      if (axis >= count_of(slot, c.rank)) continue;
      const auto distance = static_cast<uint64_t>(number_at(bytes, offset, width(slot)));
      slot.set(c, axis, folded(slot, static_cast<int64_t>(static_cast<uint64_t>(slot.get(plain, axis)) + distance)));
    }
  repair(c);
  return c;
}

}  // namespace convict::fuzz
