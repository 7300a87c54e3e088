// SPDX-License-Identifier: Apache-2.0
//
// The laws of splitting. Every index of the trilinear form (image, group, channel, tap) is a dimension of two or three
// operands. Cut its range in parts and compute each alone: if the result has the index too, the parts stand one behind
// the other in it, and if not, it has been summed over, so they add up.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relations/shared/calls.h"

namespace convict::relations {

/// One index of the form.
struct Index {
  std::string name;  // "image"
  int64_t extent;
  int in_x = -1, in_w = -1, in_y = -1;  // its dimension there, or -1; the extent of the index divides that dimension's
  bool in_bias = false;
  std::function<void(convict_problem&, int64_t begin, int64_t end)> slice;  // to [begin, end) of the index
};

/// Whether the parts add up, instead of standing one behind the other.
bool is_summed(const Call& call, const Index& index);

/// Channels of X or Y, which are those of the bias for one of them. Precondition: one group.
Index x_channel_index(const Call& call);
Index y_channel_index(const Call& call);

/// Where to cut: into single values if they are few, else into the first, the last and two halves of the rest.
std::vector<int64_t> cuts_of(const Index& index);

/// Computes the parts that begin at `begins` (the first of them 0), and holds the whole against them. Precondition: if
/// is_summed(), keeps_sums(output_type).
std::optional<Violation> differs_from_parts(const Results& whole, const Call& call, const Index& index,
                                            std::span<const int64_t> begins, Runner& runner);

}  // namespace convict::relations
