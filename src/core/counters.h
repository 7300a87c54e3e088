// SPDX-License-Identifier: Apache-2.0
//
// The counter table: one row per number that a campaign counts. Everything that adds counters up, keeps, prints or
// shows them walks this table; the place that counts is the only one that names a counter.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace convict::inline core {

enum class Counter {
  kCases,       // examined to the end, or given up because an implementation died on them
  kJudged,      // at least one target's result was held against the reference
  kWitnessed,   // judged, and every oracle computed it too
  kUnjudged,    // every target refused
  kIllegal,     // not legal: judged by whether it was refused
  kMistrusted,  // judged again with data that hide nothing
  kRedrawn,     // results beyond the probabilistic bound that did not come back on other data
  kDeaths,      // of workers
  kEnd
};

/// Its line in the text of `convict fuzz`: the label, the number, and a remark.
enum class CounterLine {
  kNone,
  kNote,             // the remark is `note`
  kNoteIfAny,        // the remark is `note`; no line if the number is 0
  kShare,            // the remark is the share of all cases
  kShareWithOracles  // the remark is the share; no line if there are no oracles
};

struct CounterRow {
  Counter counter;
  std::string_view key;  // in JSON: docs/background/store-format.md
  CounterLine line = CounterLine::kNone;
  std::string_view label = {}, note = {};
  std::string_view column = {};  // of the campaigns in the web page; none if it is empty
};

/// In the order of Counter, which is that of the lines.
inline constexpr std::array<CounterRow, static_cast<size_t>(Counter::kEnd)> kCounters = {{
    {.counter = Counter::kCases, .key = "cases", .column = "cases"},
    {Counter::kJudged, "judged", CounterLine::kShare, "judged by the exact reference"},
    {Counter::kWitnessed, "witnessed", CounterLine::kShareWithOracles, "  and computed by its oracles"},
    {.counter = Counter::kUnjudged,
     .key = "unjudged",
     .line = CounterLine::kShare,
     .label = "unjudged",
     .column = "unjudged"},
    {Counter::kIllegal, "illegal", CounterLine::kNoteIfAny, "invalid problems tried", "a right kernel refuses them"},
    {Counter::kMistrusted, "mistrusted", CounterLine::kNoteIfAny, "weak data", "repeated with stronger data"},
    {Counter::kRedrawn, "redrawn", CounterLine::kNoteIfAny, "improbable errors", "did not come back on redrawn data"},
    {.counter = Counter::kDeaths,
     .key = "worker_deaths",
     .line = CounterLine::kNote,
     .label = "workers lost",
     .column = "worker deaths"},
}};
static_assert(kCounters.back().counter == Counter{static_cast<int>(Counter::kEnd) - 1}, "a counter without a row");

/// A number for each counter.
template <class Number>
struct PerCounter {
  std::array<Number, kCounters.size()> numbers{};

  Number& operator[](Counter counter) { return numbers[static_cast<size_t>(counter)]; }
  const Number& operator[](Counter counter) const { return numbers[static_cast<size_t>(counter)]; }
};

/// The stages of an examination. A campaign adds up the time of each: `convict fuzz -v` and its JSON tell where the time
/// went.
enum class Stage {
  kWait,       // for the next cases
  kDraw,       // a case from the profile
  kAsk,        // who accepts it, and by which contract
  kFill,       // operands placed and filled
  kReference,  // the exact results and their magnitudes
  kGuard,      // around each call: outputs prepared, guards and the state of the process checked
  kCall,       // the calls themselves
  kCompare,    // results with the reference
  kRelate,     // operands and comparisons of relations, without their calls
  kCount,      // coverage, counts and messages
  kOther,
  kEnd
};

struct StageRow {
  Stage stage;
  std::string_view key;    // in JSON
  std::string_view label;  // in text
};

/// In the order of Stage.
inline constexpr std::array<StageRow, static_cast<size_t>(Stage::kEnd)> kStages = {{
    {Stage::kWait, "wait", "wait for cases"},
    {Stage::kDraw, "draw", "draw a case"},
    {Stage::kAsk, "ask", "ask who accepts it"},
    {Stage::kFill, "fill", "fill its operands"},
    {Stage::kReference, "reference", "exact reference"},
    {Stage::kGuard, "guard", "guard the calls"},
    {Stage::kCall, "call", "calls"},
    {Stage::kCompare, "compare", "compare results"},
    {Stage::kRelate, "relate", "relations"},
    {Stage::kCount, "count", "count and report"},
    {Stage::kOther, "other", "other"},
}};

}  // namespace convict::inline core
