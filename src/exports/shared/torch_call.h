// SPDX-License-Identifier: Apache-2.0
//
// A problem as users of PyTorch express it: torch.nn.functional and, where the padding is not symmetric or negative, a
// frame of zeros or a crop around it.
#pragma once

#include <string>

#include "exports/exporter.h"

namespace convict::exports {

/// Lines of Python, and why they are not just one call. `forward` computes `dst` from `src`, `wei` and `bias`.
struct TorchCall {
  std::string forward;  // indented by four blanks
  std::string note;     // empty where one call says it all
};

TorchCall torch_call(const convict_problem& p);

/// Why PyTorch cannot express the request, or nothing.
std::string torch_unsuited(const ExportRequest& request);

/// "torch.float32".
std::string torch_type(convict_dtype type);

/// "(1, 2)", "(1,)".
std::string python_tuple(const int64_t* values, int count);

}  // namespace convict::exports
