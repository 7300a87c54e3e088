// SPDX-License-Identifier: Apache-2.0
//
// What is known before a mismatch is explained, for all that explain one: causes that people have described, and
// rows of a database that are explained. So no bug is learnt twice.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/cause.h"
#include "diagnose/diagnosis.h"
#include "store/store.h"
#include "workers/messages.h"

namespace convict::diagnose {

/// The causes, and those that an implementation of the roster has from what it is built on.
std::vector<Cause> with_inherited(std::vector<Cause> causes, const std::vector<workers::RosterEntry>& roster);

class Known {
 public:
  /// Of a database, which is borrowed. What is explained there later is known from then on.
  explicit Known(const store::Store& store) : store_(&store), causes_(store.known_causes()) {}

  /// Of no database.
  explicit Known(std::vector<Cause> causes) : causes_(std::move(causes)) {}

  /// The faults of the suspect in this version that a mismatch may show, to be diagnosed with (DiagnosisSettings).
  std::vector<KnownFault> faults_of(const Mismatch& mismatch, const std::string& version) const;

  /// What the row of `original` is to keep of its diagnosis. Another row may explain the shrunk case already: of the
  /// same operation, it is the same row; of another one, its explanation is that of this row, too.
  store::RowExplanation explanation(const Diagnosis& diagnosis, const Mismatch& original) const;

  /// The cause that people have described, if the diagnosis came to it; nullptr if it did not.
  const Cause* cause_of(const Diagnosis& diagnosis) const;

 private:
  std::vector<std::pair<store::MismatchRow, Predicate>> explained_alike(const Mismatch& mismatch) const;

  const store::Store* store_ = nullptr;
  std::vector<Cause> causes_;
};

}  // namespace convict::diagnose
