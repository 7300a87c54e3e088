// SPDX-License-Identifier: Apache-2.0
//
// Where in an output the errors lie, in a few words: "w: last", "c: from 16", "h: every 2nd from 1". Their pattern
// hints at the cause: a tail, a border, one phase of a stride, one group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convict::judge {

/// Elements of one output, as indices in logical row-major order, ascending.
struct Places {
  std::string_view role;      // decides the names of the dimensions
  std::vector<int64_t> dims;  // as in the ABI: [n, c, spatial...], [o, i, kernel...] or [c]
  std::vector<size_t> indices;
};

int64_t volume_of(const Places& places);

/// "everything", or for each dimension with positions that are not hit, the positions that are. Adds "scattered" if not
/// all elements at those positions are hit.
std::string geography(const Places& places, int64_t groups);

}  // namespace convict::judge
