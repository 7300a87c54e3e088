// SPDX-License-Identifier: Apache-2.0
//
// Runs the calls of a relation, and holds the results of each against the exact reference.
#pragma once

#include "examine/implementation_runner.h"
#include "judge/judge.h"

namespace convict::examine {

class JudgedRunner final : public relations::Runner {
 public:
  /// Borrows the runner. `exact`: no partial sum of any call is rounded, and equality is demanded; otherwise the bounds
  /// of the contract are. `c` is the case that the relation starts from.
  JudgedRunner(ImplementationRunner& runner, const Case& c, bool exact) : runner_(runner), case_(c), exact_(exact) {}

  std::optional<relations::Results> run(const relations::Call& call) override;

  /// The first call whose results are wrong; nothing if all are right.
  const std::optional<judge::WrongCall>& wrong() const { return wrong_; }

 private:
  ImplementationRunner& runner_;
  const Case& case_;
  bool exact_;
  std::optional<judge::WrongCall> wrong_;
};

/// What the reference knows about one element of the main result of a call; nothing if the call is refused.
std::optional<judge::Element> exact_element(ImplementationRunner& runner, const relations::Call& call,
                                            const std::vector<int64_t>& at);

}  // namespace convict::examine
