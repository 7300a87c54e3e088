// SPDX-License-Identifier: Apache-2.0
//
// The flags of `convict fuzz`, and how much of them a campaign remembers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

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

}  // namespace convict::cli
