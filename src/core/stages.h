// SPDX-License-Identifier: Apache-2.0
//
// The stages of an examination. A campaign adds up the time of each: `convict fuzz -v` and its JSON tell where the time
// went.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace convict::inline core {

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
