// SPDX-License-Identifier: Apache-2.0
//
// Metamorphic relations: laws between several results of one implementation. They need no second library. Each relation
// has its own file, src/relations/<name>.cpp, which defines `relation_<name>`; the build lists them.
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

/// One call, without its memory. Inputs that the pass does not use are empty. No beta, no ReLU.
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

/// Calls the implementation on trial.
class Runner {
 public:
  virtual ~Runner() = default;
  /// The computed results; nothing if it refuses or fails, which relations do not judge.
  virtual std::optional<Results> run(const Call& call) = 0;
};

/// The first difference between two results that should be the same.
struct Violation {
  std::string text;         // "forward of the first half of the batch", for people
  std::vector<int64_t> at;  // coordinates in the main output of the original call, if it is one element
  double got = 0, expected = 0;
};

/// Why no relation applies to this call: an operand or the result has no elements. Else nullptr.
const char* empty(const Call& call);

struct Relation {
  std::string_view name;  // "batch-split"
  std::string_view help;  // one line
  bool exact_only;        // true: holds only if no partial sum is rounded; false: bit for bit on any finite data
  /// Why the relation does not apply to this call, all of whose operands have elements; or nullptr.
  const char* (*unsuited_to)(const Call& call);
  /// Runs the calls that it needs, also the original one. Returns nothing if it holds, or if a call was refused.
  std::optional<Violation> (*check)(const Call& call, Runner& runner);
  /// Does not apply to transforms: their rounding errors may be far below any term, and vanish at other scales.
  bool direct_only = false;

  /// Why the relation does not apply to this call, or nullptr.
  const char* unsuited(const Call& call) const {
    const char* reason = empty(call);
    return reason ? reason : unsuited_to(call);
  }
};

/// All relations, sorted by name.
std::span<const Relation* const> all();

}  // namespace convict::relations
