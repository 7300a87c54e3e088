// SPDX-License-Identifier: Apache-2.0
//
// Shared by all parts of this module: one engine, one stream a thread, and the outcome of a step.
#pragma once

#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"

namespace convict::onednn {

inline dnnl::engine new_engine() {
#ifdef CONVICT_ONEDNN_OPENCL
  // Where OpenCL finds a driver for the processor; only the first engine looks. A call leaves the environment as it was.
  constexpr const char* kDrivers = "OCL_ICD_FILENAMES";
  const bool named = std::getenv(kDrivers) != nullptr;
  setenv(kDrivers, CONVICT_ONEDNN_OPENCL, /*overwrite=*/0);
  dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  if (!named) unsetenv(kDrivers);
  return cpu;
#else
  return dnnl::engine(dnnl::engine::kind::cpu, 0);
#endif
}

inline const dnnl::engine& engine() {
  static const dnnl::engine cpu = new_engine();
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
