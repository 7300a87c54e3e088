// SPDX-License-Identifier: Apache-2.0
//
// The flags of `convict fuzz`, how much of them a campaign remembers, and what the command prints at its end.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "campaign/campaign.h"
#include "cli/options.h"
#include "generate/profile.h"

namespace convict::cli {

/// For a further flag: a member here, and a row in the table of fuzz_options.cpp.
struct FuzzOptions {
  RunOptions run;
  OutputOptions out;
  std::string database = "convict.db", profile{generate::kDefaultProfile}, time, shard = "1/1", resume, shrink;
  std::string engine = "generator", corpus;
  std::string where;
  std::vector<std::string> known, examples;
  uint64_t seed = 1, start = 0;
  double illegal = 0.01;
  std::optional<uint64_t> cases, min_judged;
  int jobs = 1;

  /// Those of `run` and `out`, too.
  void add_to(Command command);
};

inline constexpr const char* kGuidedEngine = "libfuzzer";

/// The column `flags` of the table `campaigns`.
nlohmann::json flags_of(const FuzzOptions& options);

/// Which campaign --resume means. Sets the flags that decide what is examined, and how, to those of its first start.
/// Throws UsageError if there is no such campaign, for a flag that was given again on `command` and differs, and for
/// plugins and a corpus that were not given again.
int64_t resumed_campaign(Command command, FuzzOptions& options);

/// On how many cases a target has to be judged.
campaign::Enough enough_of(const FuzzOptions& options);

/// What `convict fuzz` prints at its end: lines of at most 80 characters, but for commands, which are there to be
/// copied.
std::string fuzz_as_text(const campaign::CampaignResult& result, const FuzzOptions& options);
std::string fuzz_as_json(const campaign::CampaignResult& result, const FuzzOptions& options);

}  // namespace convict::cli
