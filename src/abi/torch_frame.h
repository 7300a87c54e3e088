// SPDX-License-Identifier: Apache-2.0
//
// How a problem is put to PyTorch. The oracle uses this to call it, an export to write a script.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/convict.h"

namespace convict::inline abi {

/// PyTorch's padding is the same at both ends and not negative. A frame of zeros (a crop where negative) makes up for
/// the difference. For conv, `begin` and `end` enlarge src of the problem to src of PyTorch; for conv_transpose, they
/// enlarge dst of PyTorch to dst of the problem. Entries from the rank on are 0.
struct TorchFrame {
  int64_t padding[CONVICT_MAX_RANK] = {}, output_padding[CONVICT_MAX_RANK] = {};
  int64_t begin[CONVICT_MAX_RANK] = {}, end[CONVICT_MAX_RANK] = {};
  bool framed = false;
};

/// Whether no frame is needed.
inline bool has_torch_padding(const convict_problem& p) {
  for (int i = 0; i < p.rank; ++i)
    if (p.pad_begin[i] != p.pad_end[i] || p.pad_begin[i] < 0) return false;
  return true;
}

inline TorchFrame torch_frame(const convict_problem& p) {
  TorchFrame frame;
  frame.framed = !has_torch_padding(p);
  for (int i = 0; i < p.rank; ++i) {
    if (!frame.framed) {
      frame.padding[i] = p.pad_begin[i];
      frame.output_padding[i] = p.output_padding[i];
    } else if (p.op == CONVICT_CONV) {
      frame.begin[i] = p.pad_begin[i];
      frame.end[i] = p.pad_end[i];
    } else {
      // Output padding first takes back what the padding crops at the end; only the rest needs new positions.
      frame.output_padding[i] = std::min(std::max<int64_t>(0, p.output_padding[i] - p.pad_end[i]), p.output_padding[i]);
      frame.begin[i] = -p.pad_begin[i];
      frame.end[i] = p.output_padding[i] - frame.output_padding[i] - p.pad_end[i];
    }
  }
  return frame;
}

}  // namespace convict::inline abi
