// SPDX-License-Identifier: Apache-2.0
//
// The earlier problems of a case: what an implementation has computed, in the same process, before the judged call.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"

namespace convict::inline core {

inline constexpr int64_t kLargestStep = std::numeric_limits<int32_t>::max();  // of kernel, stride, dilation, padding
inline constexpr int64_t kLargestThreads = 1024;

/// The problems in the order of their calls, as cases of one call each. Some may be illegal if the case is.
std::vector<Case> earlier_cases(const Case& c);

inline bool has_earlier_problems(const Case& c) { return c.before.front().is_used(); }

/// A field that earlier problems may change: its name in a line, and how to read and write it.
struct ChangeableField {
  std::string_view name;
  bool per_axis = false;
  int64_t lowest = 0, highest = 0;  // as in a line; of words, their numbers
  int64_t (*get)(const Case&, int axis) = nullptr;
  void (*set)(Case&, int axis, int64_t value) = nullptr;
  // Of words: as in the field of the case. What parses throws BadValue.
  std::string (*print)(const Case&) = nullptr;
  void (*parse)(std::string_view, Case& to) = nullptr;

  bool is_number() const { return print == nullptr; }
};

/// Numbered as in Change::field, from 1: the sizes, then how they are computed, which leaves all operands their shapes.
/// Old lines and records name them by these numbers.
std::span<const ChangeableField> changeable_fields();
inline constexpr size_t kChangeableSizes = 7;
const ChangeableField& field_of(const Change& change);

/// Whether a line of this rank can say so: the axis exists, and the value is in range.
bool is_expressible(const Change& change, int rank);

/// "oc:8,in[1]:9/relu:1": problems apart by '/', changes by ','. Empty without earlier problems.
std::string text_of_earlier(const Case& c);

/// Reads that text into `to`. Precondition: the rank of `to` is set. Returns what is wrong with it; empty if nothing
/// is.
std::string read_earlier(std::string_view text, Case& to);

/// Makes sure that there are so many earlier problems and one: those that are missing have one image more.
void add_earlier(Case& c, size_t which);

/// Takes one of the earlier problems away, if it is there: those behind it move up.
void drop_earlier(Case& c, size_t which);

}  // namespace convict::inline core
