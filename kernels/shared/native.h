// SPDX-License-Identifier: Apache-2.0
//
// The border between a native kernel, written over Trilinear<T>, and the C ABI. A kernel file `kernels/foo.cpp` defines
//
//     struct Foo { template <class T> static void run(const Trilinear<T>& form); };
//     extern const convict_implementation kernel_foo = native_kernel<Foo>("foo", "one line about it");
//
// and is linked in by its file name; nothing else lists it. `run` computes form.face completely, bias included.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>

#include "abi/convict.h"
#include "abi/trilinear.h"
#include "abi/validity.h"

namespace convict {

/// The type of all operands of the pass, or nothing if they are mixed.
inline const char* mixed_types(const convict_tensors& t, convict_dtype* common) {
  *common = CONVICT_F32;
  bool first = true;
  for (const convict_tensor* tensor :
       {&t.src, &t.wei, &t.bias, &t.dst, &t.diff_src, &t.diff_wei, &t.diff_bias, &t.diff_dst}) {
    if (tensor->ndim == 0) continue;
    if (!first && tensor->dtype != *common) return "operands of different data types";
    *common = tensor->dtype;
    first = false;
  }
  return nullptr;
}

inline const char* native_unsupported(const convict_implementation*, const convict_problem* problem,
                                      const convict_tensors* tensors) {
  if (invalid(*problem)) return "not a legal problem";
  convict_dtype type;
  if (const char* mixed = mixed_types(*tensors, &type)) return mixed;
  return type == CONVICT_F32 || type == CONVICT_F64 ? nullptr : "data type is neither f32 nor f64";
}

template <class Kernel>
convict_status run_native(const convict_implementation*, const convict_problem* problem, const convict_tensors* tensors,
                          char* error, size_t error_size) {
  try {
    convict_dtype type;
    mixed_types(*tensors, &type);
    if (type == CONVICT_F32)
      Kernel::run(trilinear<float>(*problem, *tensors));
    else
      Kernel::run(trilinear<double>(*problem, *tensors));
    return CONVICT_OK;
  } catch (const std::bad_alloc&) {
    std::snprintf(error, error_size, "out of memory for the workspace");
    return CONVICT_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return CONVICT_FAILED;
  }
}

/// Every output is a plain sum of its products, kept in the type of the tensors.
inline constexpr convict_contract kDirectContract = {CONVICT_DIRECT,           CONVICT_F32,        0, 0,
                                                     /*flushes_subnormals=*/0, /*deterministic=*/1};

template <class Kernel>
constexpr convict_implementation native_kernel(const char* name, const char* description,
                                               convict_contract contract = kDirectContract) {
  return {name, description, "convict", contract, native_unsupported, run_native<Kernel>};
}

}  // namespace convict
