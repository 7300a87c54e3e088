// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {

namespace {

template <class Enum, size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw UsageError(fmt::format("'{}' is not one of {}", printable(name), fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

Verdict verdict_named(std::string_view name) { return named<Verdict>(kVerdictNames, name); }
Blame blame_named(std::string_view name) { return named<Blame>(kBlameNames, name); }

std::string signature(const Mismatch& mismatch) {
  return fmt::format("{}|{}|{}", mismatch.suspect, name_of(mismatch.verdict), operation_text(mismatch.problem_case));
}

}  // namespace convict::inline core
