// SPDX-License-Identifier: Apache-2.0
//
// What a campaign says first: whether the targets are wrong, and by which causes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "campaign/result.h"
#include "cli/fuzz_options.h"

namespace convict::cli {

/// A cause, and its rows in the order of sorted_rows().
struct FoundCause {
  const store::CauseRow* cause = nullptr;  // nullptr for a row that was never joined with others
  std::vector<const campaign::Found*> rows = {};

  bool is_known() const { return cause && !cause->name.empty(); }
  const campaign::Found& first() const { return *rows.front(); }
  uint64_t hits() const;
};

/// What is unknown first; then targets before oracles; then in the order in which people want to read of verdicts; then
/// by signature.
std::vector<const campaign::Found*> sorted_rows(const campaign::CampaignResult& result);

/// In the order of their first rows.
std::vector<FoundCause> found_causes(const campaign::CampaignResult& result);

/// A line of each target, or of all that nothing is wrong with; then causes of the targets, what was replayed, and a
/// line for all causes of others. With --verbose, every mismatch of every cause.
std::string verdict_text(const campaign::CampaignResult& result, const FuzzOptions& options);

/// `text` in lines of at most 80 columns, broken at blanks, of which all but the first are indented.
std::string wrapped(std::string text, size_t indent);

}  // namespace convict::cli
