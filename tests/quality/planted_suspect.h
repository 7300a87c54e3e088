// SPDX-License-Identifier: Apache-2.0
//
// Runs a mutant in this process in the way the tool runs a suspect in a worker.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "generate/profile.h"
#include "run/loader.h"

namespace convict {

class PlantedSuspect {
 public:
  PlantedSuspect(const std::string& module, const std::string& name) {
    for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/" + module + ".so"))
      if (one.implementation->name == name) examiner_.subjects = {{one.implementation, true, one.version}};
    if (examiner_.subjects.empty()) throw std::runtime_error(module + " has no " + name);
  }

  std::optional<Mismatch> ask(const Case& c) {
    ++runs_;
    const examine::Examination examination = examiner_.examine(c);
    judged_ = examination.judged;
    return examination.mismatches.empty() ? std::nullopt : std::optional(examination.mismatches.front());
  }

  bool judged() const { return judged_; }  // of the last case: it was not refused
  int runs() const { return runs_; }

  /// The first failing case of a campaign.
  std::optional<Mismatch> first_hit(uint64_t seed, uint64_t most_cases) {
    for (uint64_t i = 0; i < most_cases; ++i)
      if (auto hit = ask(generate::generate(generate::find_profile("all"), seed, i))) return hit;
    return std::nullopt;
  }

 private:
  examine::LocalExaminer examiner_{{}, {.most_bytes = 1e9, .relations = examine::AskedRelations::kAll}};
  bool judged_ = false;
  int runs_ = 0;
};

}  // namespace convict
