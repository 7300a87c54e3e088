// SPDX-License-Identifier: Apache-2.0
//
// Several databases into one: those of shards, of machines, and of copies that went separate ways.
//
// What a database says is a join of sets and maxima, so the result depends neither on the order of the inputs nor on
// how often they are merged (docs/store-format.md, "Merging"). Ids are those of the output.
#pragma once

#include <string>
#include <vector>

namespace convict::store {

struct MergeSummary {
  size_t campaigns = 0, new_campaigns = 0;    // in the output, and of them what it did not have before
  size_t mismatches = 0, new_mismatches = 0;  // the same
};

/// Adds the databases `inputs` to `output`, which is created if it does not exist. All inputs are read before anything
/// is written, and everything is written in one transaction; inputs are never written. Throws UsageError if an input is
/// damaged, is none of ours, or is the output.
MergeSummary merge_databases(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace convict::store
