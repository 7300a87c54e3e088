// SPDX-License-Identifier: Apache-2.0
//
// What can be wrong with an implementation, which one is at fault, and the record that is kept of it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/certificate.h"

namespace convict::inline core {

/// The rungs of the ladder, strongest evidence first (docs/verdicts.md).
enum class Verdict {
  kCrash,             // the worker process died while the implementation ran
  kHang,              // it exceeded its time
  kOom,               // it exceeded its memory
  kShape,             // it computes an output of other extents
  kAcceptsInvalid,    // it computed an illegal problem
  kRefusesValid,      // it accepted a legal problem and then failed
  kOutOfBounds,       // it read or wrote outside its tensors
  kInputWritten,      // it wrote to an input
  kOutputUnwritten,   // it left output elements as they were
  kNondeterministic,  // it declares the same bits for the same call, and gave others
  kWrongExact,        // exact data, and a result that differs at all
  kWrongProven,       // real data, and an error above the proven bound of its numeric contract
  kSpecialValues,     // NaN, infinities, signed zeros are not what IEEE arithmetic makes of the taps that are read
  kWrongRelation,     // two results of its own that a metamorphic relation ties together differ
  kWrongRounding,     // each wrong element is the exact result, rounded to its other neighbour
  kContract,          // explained by a numeric contract weaker than the one it declares
  kWrongStatistical,  // an error that rounding hardly ever makes, at the same place on redrawn data
  kLessAccurate,      // inside its bound, but far worse than the witnesses
  kSideEffect         // it changed what others depend on, or wrote to memory after it had returned
};

inline constexpr std::array<std::string_view, 19> kVerdictNames = {
    {"crash", "hang", "oom", "shape", "accepts-invalid", "refuses-valid", "out-of-bounds", "input-written",
     "output-unwritten", "nondeterministic", "wrong-exact", "wrong-proven", "special-values", "wrong-relation",
     "wrong-rounding", "contract", "wrong-statistical", "less-accurate", "side-effect"}};

constexpr std::string_view name_of(Verdict verdict) { return kVerdictNames[static_cast<size_t>(verdict)]; }

/// Whether the verdict is on what was computed, which depends on the data.
constexpr bool is_on_values(Verdict verdict) {
  return verdict >= Verdict::kOutputUnwritten && verdict <= Verdict::kLessAccurate;
}

/// Whether a fault that has shown with one verdict may show with another one: with any on values, if its own is. But a
/// fault that only rounds to the wrong neighbour shows with no stronger one.
constexpr bool may_show(Verdict fault, Verdict seen) {
  const bool is_stronger = fault == Verdict::kWrongRounding && seen < Verdict::kWrongRelation;
  return fault == seen || (is_on_values(fault) && is_on_values(seen) && !is_stronger);
}

/// Whether time or memory is the charge, which neighbours may have caused.
constexpr bool is_of_cost(Verdict verdict) { return verdict == Verdict::kHang || verdict == Verdict::kOom; }

/// In which order people want to read of them: wrong values, values that are not as exact as declared, deaths, memory
/// of others, refusals of what is legal; and last, what shows on problems that are not legal.
constexpr int reading_order(Verdict verdict) {
  if (verdict >= Verdict::kWrongRounding && verdict <= Verdict::kLessAccurate) return 1;
  if (is_on_values(verdict) || verdict == Verdict::kShape) return 0;
  if (verdict <= Verdict::kOom) return 2;
  if (verdict == Verdict::kRefusesValid) return 4;
  return verdict == Verdict::kAcceptsInvalid ? 5 : 3;
}

/// Which side is at fault in a mismatch. A mistake of the reference ends the campaign. `nobody`: nothing that was seen
/// came back with one implementation alone.
enum class Blame { kTarget, kOracle, kReference, kNobody };

inline constexpr std::array<std::string_view, 4> kBlameNames = {"target", "oracle", "reference", "nobody"};

constexpr std::string_view name_of(Blame blame) { return kBlameNames[static_cast<size_t>(blame)]; }

/// The value with this name. Throws UsageError for an unknown one.
Verdict verdict_named(std::string_view name);
Blame blame_named(std::string_view name);

/// Two special suspects: `unattributed` (the blame is `nobody`) and `reference` (the reference is wrong).
inline constexpr std::string_view kUnattributed = "unattributed", kReference = "reference";

/// One implementation caught on one case, and the evidence.
struct Mismatch {
  Case problem_case;
  std::string suspect;
  Verdict verdict = Verdict::kCrash;
  Blame blame = Blame::kTarget;
  Certificate certificate = {};
};

/// Whether they end in the same way, as far as their verdicts leave that open: of two errors that an implementation
/// returns, whether their texts say the same but for numbers; of two deaths, whether it was the same signal; of values,
/// whether nothing but the rounding is wrong in both or in none.
bool is_same_failure(const Mismatch& one, const Mismatch& other);

/// What was seen, as a mismatch with the blame `nobody`: `seen` names the implementation that was seen.
Mismatch without_blame(Mismatch mismatch);

/// Who did it; of what did not come back when it ran alone, the implementation of which it was seen.
std::string who_was_seen(const Mismatch& mismatch);

/// The key that makes two mismatches the same bug as far as can be told without shrinking: suspect, verdict and
/// operation, e.g. "onednn|wrong-exact|conv2d.backward_weights".
std::string signature(const Mismatch& mismatch);

/// The operation of its case; "any" for accepts-invalid, because who does not check one argument checks none.
std::string operation_of(const Mismatch& mismatch);

/// Between processes, and in what commands print: {"case","suspect","verdict","blame","certificate"}.
nlohmann::json to_json(const Mismatch& mismatch);

/// Throws UsageError or nlohmann::json::exception if it is anything else.
Mismatch mismatch_from_json(const nlohmann::json& json);

/// What one implementation did with one problem, if its process survived.
struct Outcome {
  enum class Kind { kComputed, kRefused, kFailed, kWrongShape, kOutOfMemory };
  Kind kind = Kind::kComputed;
  std::string text;              // the reason or error, one line
  std::string_view overrun;      // the output beside which it wrote, if any
  std::string side_effect = {};  // what it has done to the process or to memory beside its task, in words; or empty
};

/// How results are judged: by the whole ladder, or as other tools do it, for comparison.
enum class Yardstick {
  kLadder,
  kIntegers,     // integer data and equality only
  kAssertClose,  // the default tolerances of torch.testing.assert_close, by data type
  kLoose         // 1e-2 of the value plus 1e-3
};

}  // namespace convict::inline core
