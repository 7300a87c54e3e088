// SPDX-License-Identifier: Apache-2.0
//
// The trial of one case. Calls every implementation as the case says, compares its results with the reference, and
// examines doubtful results more closely.
#pragma once

#include <string>
#include <vector>

#include "examine/rules.h"
#include "examine/scene.h"
#include "examine/spared.h"
#include "judge/compare.h"
#include "judge/judge.h"
#include "judge/rule.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::examine {

/// What an implementation read for an element of a comb case instead of the right operand, in words:
/// "wei[3,0,1,1] instead of wei[3,0,1,2]". Empty if no single product gives the element's value. `tensors` holds the
/// filled inputs.
std::string comb_reading(const Scene& scene, const convict_tensors& tensors, const judge::JudgedElement& element);

/// The memory, the flight record and the options of a trial.
struct TrialContext {
  run::GuardedMemory& memory;
  run::FlightRecord& record;
  Yardstick yardstick;
  bool values = false;  // see ExaminationSettings
  AskedRelations relations = AskedRelations::kOne;
};

/// Places the operands of the scene and fills them.
void set_scene(const Scene& scene, const TrialContext& context);

/// Calls every implementation that has not refused, and fills in its result. Precondition: the scene is set. Returns
/// how many results were beyond the probabilistic bound on these data only.
int run_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

/// The trial of an illegal case, where only the outcome of a call matters, not its results.
void run_illegal_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

/// Results of a case that agree with the reference. The same bytes under the same rule agree as well:
/// sums of small integers are the same in any order, and so are those of kernels that add alike.
class KnownResults {
 public:
  /// What the comparison of the outputs in memory would find, if it is known.
  const judge::Comparison* find(const run::GuardedMemory& memory, const judge::Rule& rule) const {
    for (const KnownResult& one : all_)
      if (memory.outputs_are(one.bytes) && is_same(one.rule, rule)) return &one.comparison;
    return nullptr;
  }

  /// Keeps the outputs in memory if there is nothing more to say of them.
  void add(const run::GuardedMemory& memory, const judge::Rule& rule, const judge::Comparison& found) {
    const bool is_clean = found.agrees() && found.suspects.empty() && found.minus_zeros.empty();
    if (is_clean && found.elements <= kMostElements && all_.size() < kMostKept)
      all_.push_back({memory.output_bytes(), rule, found});
  }

  void forget() { all_.clear(); }

 private:
  static constexpr size_t kMostKept = 3;
  static constexpr int64_t kMostElements = 1 << 17;  // copies of larger ones would count against a worker's memory

  struct KnownResult {
    std::vector<unsigned char> bytes;
    judge::Rule rule;
    judge::Comparison comparison;
  };

  /// Equality does not ask how the numbers were computed.
  static bool is_same(const judge::Rule& a, const judge::Rule& b) {
    return a == b || (a.kind == judge::Rule::Kind::kExact && b.kind == judge::Rule::Kind::kExact);
  }

  std::vector<KnownResult> all_;
};

}  // namespace convict::examine
