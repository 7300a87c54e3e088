// SPDX-License-Identifier: Apache-2.0
//
// Shared by all parts of this module: one engine, one stream a thread, and the outcome of a step.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"

namespace convict::onednn {

inline const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// One for each thread: several may be at work at once.
inline const dnnl::stream& stream() {
  thread_local const dnnl::stream in_order(engine());
  return in_order;
}

/// The outcome of a step; on failure with the end of its message.
struct Outcome {
  convict_status status = CONVICT_OK;
  const char* what = "";
  dnnl_status_t library = dnnl_success;
};

inline Outcome outcome(dnnl_status_t library, convict_status if_not, const char* what) {
  if (library == dnnl_success) return {};
  return {library == dnnl_out_of_memory ? CONVICT_OUT_OF_MEMORY : if_not, what, library};
}

}  // namespace convict::onednn
