// SPDX-License-Identifier: Apache-2.0
//
// Merges several databases into one: those of shards, of machines, and of copies that changed separately.
//
// The result is a join of sets and maxima, so it depends neither on the order of the inputs nor on how often they are
// merged (docs/background/store-format.md, "Merging"). Ids are those of the output.
#pragma once

#include <string>
#include <vector>

namespace convict::store {

struct MergeSummary {
  size_t campaigns = 0, new_campaigns = 0;    // in the output; those it did not have before
  size_t mismatches = 0, new_mismatches = 0;  // in the output; those it did not have before
};

/// Adds the databases `inputs` to `output`, which is created if it does not exist. Reads all inputs first, then writes
/// in one transaction; never writes an input. Throws UsageError if an input is damaged, is not a convict database, or
/// is the output.
MergeSummary merge_databases(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace convict::store
