// SPDX-License-Identifier: Apache-2.0
//
// Metamorphic relations: laws that tie several results of one implementation together, so that it can contradict
// itself without any second library. One file each, src/relations/<name>.cpp, which defines `relation_<name>`; the
// build lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/convict.h"
#include "core/case.h"

namespace convict::relations {

/// A dense operand in logical row-major order (dimensions as in the ABI), as numbers that `type` holds exactly.
struct Array {
  convict_dtype type = CONVICT_F32;
  std::vector<int64_t> dims;  // empty: the call has no such operand
  std::vector<double> data;
};

/// One call, whatever the memory it happens in. Inputs that the pass does not use are empty. No beta, no ReLU.
struct Call {
  convict_problem problem{};
  Array src, wei, bias, diff_dst;
  convict_dtype output_type = CONVICT_F32;
  ActivationLayout src_layout = ActivationLayout::kChannelsFirst, dst_layout = ActivationLayout::kChannelsFirst;
  WeightLayout wei_layout = WeightLayout::kOihw;
};

struct Results {
  Array main;       // dst, diff_src or diff_wei
  Array diff_bias;  // empty unless the pass has one
};

/// The implementation on trial.
class Runner {
 public:
  virtual ~Runner() = default;
  /// What it computes; nothing if it refuses or fails, which is not for a relation to judge.
  virtual std::optional<Results> run(const Call& call) = 0;
};

/// The first place where two results differ that should not.
struct Violation {
  std::string text;         // "forward of the first half of the batch", for people
  std::vector<int64_t> at;  // in the main output of the original call, as far as there is one place
  double got = 0, expected = 0;
};

struct Relation {
  std::string_view name;  // "batch-split"
  std::string_view help;  // one line
  bool exact_only;        // holds only where no partial sum is rounded; otherwise bit for bit on any finite data
  /// Why it says nothing about this call, or nullptr.
  const char* (*unsuited)(const Call& call);
  /// Runs whatever calls it needs, the original among them; nothing if it holds, or if a call was refused.
  std::optional<Violation> (*check)(const Call& call, Runner& runner);
  /// Says nothing of transforms: their rounding errors may be far smaller than any term, and be lost at other scales.
  bool direct_only = false;
};

/// All of them, sorted by name.
std::span<const Relation* const> all();

}  // namespace convict::relations
