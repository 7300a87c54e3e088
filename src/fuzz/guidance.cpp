// SPDX-License-Identifier: Apache-2.0
#include "fuzz/guidance.h"

#include <string_view>

#include "core/coverage.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "run/guarded_call.h"

namespace convict::fuzz {
namespace {

constexpr size_t kPairCounters = 1 << 13, kNameCounters = 1 << 12;

// libFuzzer reads, and clears before each execution, whatever lies in this section of the program.
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t counters[kPairCounters + kNameCounters];

void mark_pairs(const Case& c, const convict_problem& p) {
  const Levels levels = levels_of(c, p);
  for (int a = 0; a < kFeatureCount; ++a)
    for (int b = a + 1; b < kFeatureCount; ++b) {
      const Tuple pair{2, {static_cast<FeatureId>(a), static_cast<FeatureId>(b)}, {levels[a], levels[b]}};
      counters[id_of(pair) % kPairCounters] = 1;
    }
}

void mark_name(std::string_view implementation, std::string_view text) {
  uint64_t hash = 0;
  for (const std::string_view part : {implementation, text})
    for (const char c : part) hash = mix(hash ^ static_cast<unsigned char>(c));
  counters[kPairCounters + hash % kNameCounters] = 1;
}

}  // namespace

void mark(const Case& c, std::span<const judge::Result> results, run::FlightRecord& record) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  mark_pairs(c, resolved.problem);
  const convict_tensors tensors = describe_tensors(c, resolved.problem);
  for (size_t i = 0; i < results.size(); ++i) {
    const convict_implementation& who = *results[i].who;
    const bool refused = results[i].outcome.kind == Outcome::Kind::kRefused;
    mark_name(who.name, refused ? results[i].outcome.text
                                : run::ask_plan(who, static_cast<int>(i), resolved.problem, tensors, record));
  }
}

std::span<const uint8_t> marks() { return counters; }

}  // namespace convict::fuzz
