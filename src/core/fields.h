// SPDX-License-Identifier: Apache-2.0
//
// The field table: one row per key of a case line, in canonical order. Everything that walks the fields of a case
// (printing, parsing, help, and through the text the case id) walks this table and knows no field by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/names.h"

namespace convict::inline core {

/// What those who walk slots treat in its own way.
enum class SlotKind {
  kOther,
  kSize,           // n, in: of 0, there is nothing to compute
  kGroups,         // g
  kChannels,       // ic, oc: multiples of the groups
  kPaddingWord,    // p.mode: stands for the numbers below
  kPadding,        // p.begin, p.end
  kOutputPadding,  // op: follows from the word, too
  kFill,           // the data are made of these two
  kSeed,
  kEarlier  // before: whether there is such an earlier problem; its changes are no slots (earlier.h)
};

/// A number of a case that can be changed by itself: the extent of one axis, one of three layouts, a switch. Mutation,
/// shrinking and explanation walk these. Words are numbered from 0, the default first unless it depends on the op.
struct Slot {
  std::string_view name;  // "k", "p.begin", "lay.wei"
  bool per_axis = false;
  int64_t lowest = 0, highest = 0;               // what parse would accept
  std::span<const std::string_view> words = {};  // names of the values, if they are words
  int64_t (*get)(const Case&, int axis) = nullptr;
  void (*set)(Case&, int axis, int64_t value) = nullptr;
  SlotKind kind = SlotKind::kOther;

  bool is_data() const { return kind == SlotKind::kFill || kind == SlotKind::kSeed; }
  bool is_padding() const { return kind == SlotKind::kPaddingWord || kind == SlotKind::kPadding; }
};

struct Field {
  std::string_view key;
  std::string_view help;  // what it is and which values it takes, for errors and `list fields`
  std::span<const Slot> slots;
  // How they are written together; nullptr if there is one, which is written as a number, "AxBxC" or its word.
  std::string (*print_slots)(const Case&) = nullptr;
  void (*parse_slots)(std::string_view value, Case& to) = nullptr;
  bool required = false;
  bool bare = false;  // a word without "=value": its presence is its value

  /// The value, or nothing if the field has its default.
  std::string print(const Case& c) const;
  /// `rank` and `op` of `to` are already set; may throw BadValue.
  void parse(std::string_view value, Case& to) const;
};

std::span<const Field> fields();

/// The slots of all fields, in their order.
std::span<const Slot> slots();

/// How many numbers a slot has in a case of this rank.
inline int count_of(const Slot& slot, int rank) { return slot.per_axis ? rank : 1; }

/// The case of one multiplication, with every field at its default, that is the same operation in the same pass.
Case plain_case(const Case& c);

}  // namespace convict::inline core
