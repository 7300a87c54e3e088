// SPDX-License-Identifier: Apache-2.0
//
// The border between a native kernel, written over Trilinear<T>, and the C ABI. A kernel file `kernels/foo.cpp` defines
//
//     struct Foo { template <class T> static void run(const Trilinear<T>& form); };
//     extern const NativeKernel kernel_foo = border::native_kernel<Foo>("foo", "one line about it");
//
// and is linked in by its file name; nothing else lists it. `run` computes form.face completely, bias included, of a
// problem that has products. This file sees to problems without, to diff_bias and to the ReLU. Members of Foo say what
// it takes:
//
//     run is no template but takes Trilinear<float>       f64 is refused
//     static constexpr bool kTakesIntegers = true         run is a template over any element, integers included
//     static void run(const QuantizedForm&)               computes integers itself (quantized.h)
//     static const char* unsuited(const convict_problem&) why it does not take a legal problem, or nullptr
//     static std::string plan(<as run>)                   how it would compute a problem; looks at no data
//     static int64_t workspace(<as run>)                  bytes that `run` takes from form.workspace, in whole cache
//                                                         lines, or allocates if that is nullptr; looks at no data
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "abi/convict.h"
#include "abi/native_kernel.h"
#include "abi/trilinear.h"
#include "abi/validity.h"
#include "kernels/border/planes.h"
#include "kernels/border/quantized.h"
#include "kernels/border/widened.h"

namespace convict::kernels::border {

/// Whether some operand of the pass has this type, and whether all have.
struct Presence {
  bool some = false, all = true;
};

inline Presence presence_of(convict_dtype type, const convict_tensors& t) {
  Presence presence;
  for (const auto operand : kOperands) {
    const convict_tensor& tensor = t.*operand;
    if (tensor.ndim == 0) continue;
    presence.some |= tensor.dtype == type;
    presence.all &= tensor.dtype == type;
  }
  return presence;
}

/// `plan`, `workspace` and `run` of a kernel that plans each form: Kernel::with_plan(form, use) returns use(plan). The
/// plan has text(), compute() and a Workspace.
template <class Kernel>
struct Planned {
  struct Computes {
    void operator()(auto&& made) const { made.compute(); }
  };

  template <class T>
  static std::string plan(const Trilinear<T>& form) {
    return Kernel::with_plan(form, [](const auto& made) { return made.text(); });
  }

  template <class T>
  static int64_t workspace(const Trilinear<T>& form) {
    return Kernel::with_plan(form, [](const auto& made) { return made.workspace.bytes(); });
  }

  template <class T>
  static void run(const Trilinear<T>& form) requires requires { Kernel::with_plan(form, Computes()); }
  {
    Kernel::with_plan(form, Computes());
  }
};

/// Whether a kernel also computes in double. It does if `run` is a template.
template <class Kernel>
inline constexpr bool kTakesF64 = requires(const Trilinear<double>& form) {
  Kernel::run(form);
};

template <class Kernel>
inline constexpr bool kComputesFloats = requires(const Trilinear<float>& form) {
  Kernel::run(form);
};

/// Whether it computes integers itself.
template <class Kernel>
inline constexpr bool kReadsBytes = requires(const QuantizedForm& form) {
  Kernel::run(form);
};

template <class Kernel>
const char* native_unsupported(const convict_implementation*, const convict_problem* problem,
                               const convict_tensors* tensors) {
  const OperandTypes types = types_of(*problem, *tensors);
  if (invalid(*problem) || invalid_types(*problem, types)) return "not a legal problem";
  if (types.has_integers() && !kReadsBytes<Kernel> && !requires { Kernel::kTakesIntegers; }) return "no integers";
  if (!types.has_integers() && !kComputesFloats<Kernel>) return "integers only";
  if (types.src == CONVICT_S16 && kReadsBytes<Kernel>) return "s16";
  const Presence f64 = presence_of(CONVICT_F64, *tensors);
  if (f64.some && !kTakesF64<Kernel>) return "f64";
  if (f64.some && !f64.all) return "f64 mixed with other data types";
  if constexpr (requires { Kernel::unsuited(*problem); }) return Kernel::unsuited(*problem);
  return nullptr;
}

template <class Kernel, class T>
void run_form(const Trilinear<T>& form, bool relu) {
  if (has_products(form))
    Kernel::run(form);
  else
    start_output(form);
  sum_diff_bias(form);
  if (relu) clamp_output(form);
}

template <class Kernel>
void run_integers(const QuantizedForm& form) {
  const auto sums = [](const auto& wide) { run_form<Kernel>(wide, /*relu=*/false); };
  if constexpr (kReadsBytes<Kernel>) {
    if (has_products(form.over<float>())) return Kernel::run(form);
    compute_in_words<uint32_t>(form, [](const Trilinear<uint32_t>& empty) { start_output(empty); });
  } else if constexpr (requires { Kernel::kTakesIntegers; }) {
    if (form.tensors.src.dtype == CONVICT_S16)
      compute_in_words<uint64_t>(form, sums);
    else
      compute_in_words<uint32_t>(form, sums);
  }
}

template <class Kernel>
convict_status run_native(const convict_implementation*, const convict_problem* problem, const convict_tensors* tensors,
                          char* error, size_t error_size) {
  try {
    const bool relu = problem->relu != 0;
    if (is_integer(tensors->src.dtype)) {
      run_integers<Kernel>(quantized_form(*problem, *tensors));
    } else if (presence_of(CONVICT_F64, *tensors).some) {
      if constexpr (kTakesF64<Kernel>) run_form<Kernel>(trilinear<double>(*problem, *tensors), relu);
    } else if constexpr (kComputesFloats<Kernel>) {
      if (presence_of(CONVICT_F32, *tensors).all)
        run_form<Kernel>(trilinear<float>(*problem, *tensors), relu);
      else
        widened(*problem, *tensors,
                [&](const convict_tensors& wide) { run_form<Kernel>(trilinear<float>(*problem, wide), relu); });
    }
    return CONVICT_OK;
  } catch (const std::bad_alloc&) {
    std::snprintf(error, error_size, "out of memory for the workspace");
    return CONVICT_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return CONVICT_FAILED;
  }
}

template <class Kernel, class T>
std::string plan_form(const Trilinear<T>& form) {
  return has_products(form) ? Kernel::plan(form) : "empty";
}

/// The line of Kernel::plan. It lives until the next call on this thread.
template <class Kernel>
const char* native_plan(const convict_implementation*, const convict_problem* problem, const convict_tensors* tensors) {
  thread_local std::string text;
  if constexpr (!kComputesFloats<Kernel>) {
    const QuantizedForm form = quantized_form(*problem, *tensors);
    text = has_products(form.over<float>()) ? Kernel::plan(form) : "empty";
  } else if (presence_of(CONVICT_F64, *tensors).some) {
    if constexpr (kTakesF64<Kernel>) text = plan_form<Kernel>(trilinear<double>(*problem, *tensors));
  } else if (presence_of(CONVICT_F32, *tensors).all) {
    text = plan_form<Kernel>(trilinear<float>(*problem, *tensors));
  } else {
    text = plan_form<Kernel>(trilinear<float>(*problem, widened_shapes(*tensors))) +
           " widened=" + std::to_string(widened_bytes(*tensors));
  }
  return text.c_str();
}

/// What Kernel::run takes of the caller, or allocates, in bytes. A kernel without Kernel::workspace takes nothing.
template <class Kernel, class T>
int64_t form_bytes(const Trilinear<T>& form) {
  if constexpr (requires { Kernel::workspace(form); })
    return has_products(form) ? Kernel::workspace(form) : 0;
  else
    return 0;
}

template <class Kernel>
int64_t integer_bytes(const QuantizedForm& form) {
  if constexpr (kReadsBytes<Kernel>) {
    return has_products(form.over<float>()) ? Kernel::workspace(form) : words_bytes<uint32_t>(form);
  } else if constexpr (requires { Kernel::kTakesIntegers; }) {
    if (form.tensors.src.dtype == CONVICT_S16)
      return words_bytes<uint64_t>(form) + form_bytes<Kernel>(form.over<uint64_t>());
    return words_bytes<uint32_t>(form) + form_bytes<Kernel>(form.over<uint32_t>());
  } else {
    return 0;
  }
}

template <class Kernel>
int64_t native_bytes(const convict_problem& p, const convict_tensors& t) {
  if (is_integer(t.src.dtype)) return integer_bytes<Kernel>(quantized_form(p, t));
  if (presence_of(CONVICT_F64, t).some) {
    if constexpr (kTakesF64<Kernel>) return form_bytes<Kernel>(trilinear<double>(p, t));
  } else if constexpr (kComputesFloats<Kernel>) {
    if (presence_of(CONVICT_F32, t).all) return form_bytes<Kernel>(trilinear<float>(p, t));
    return widened_bytes(t) + form_bytes<Kernel>(trilinear<float>(p, widened_shapes(t)));
  }
  return 0;
}

/// What `run` wants is 0 where convict would not give it, or there is no memory for the plan: then `run` allocates.
template <class Kernel>
size_t native_workspace_size(const convict_implementation*, const convict_problem* problem,
                             const convict_tensors* tensors) {
  try {
    const auto bytes = static_cast<size_t>(native_bytes<Kernel>(*problem, *tensors));
    return bytes <= CONVICT_MAX_WORKSPACE ? bytes : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

/// Every output is a plain sum of its products, kept in the type of the tensors, but at least in f32.
inline constexpr convict_contract kDirectContract = {CONVICT_DIRECT,           CONVICT_F32,
                                                     /*winograd_m=*/0,
                                                     /*winograd_r=*/0,
                                                     /*flushes_subnormals=*/0,
                                                     /*deterministic=*/1,      CONVICT_FIXED_ORDER,
                                                     /*sum_block=*/0,
                                                     /*accumulates=*/1,        /*fuses_relu=*/1};

/// The contract of a kernel that uses a transform: F(m, r) of Winograd, or FFT.
constexpr convict_contract transform_contract(convict_algorithm algorithm, int winograd_m = 0, int winograd_r = 0) {
  convict_contract contract = kDirectContract;
  contract.algorithm = algorithm;
  contract.winograd_m = winograd_m;
  contract.winograd_r = winograd_r;
  return contract;
}

/// What all native kernels can; they refuse by themselves what they do not take.
constexpr convict_abilities native_abilities(decltype(convict_abilities::workspace_size) workspace_size) {
  return {/*requantizes=*/1, workspace_size, /*code_paths=*/nullptr, /*concurrent=*/1, /*reshape=*/nullptr};
}

template <class Kernel>
constexpr NativeKernel native_kernel(const char* name, const char* description,
                                     convict_contract contract = kDirectContract) {
  NativeKernel kernel = {{name, description, "convict", contract, native_unsupported<Kernel>, run_native<Kernel>,
                          nullptr, nullptr, nullptr},
                         native_abilities(native_workspace_size<Kernel>)};
  if constexpr (
      requires(const Trilinear<float>& form) { Kernel::plan(form); } ||
      requires(const QuantizedForm& form) { Kernel::plan(form); })
    kernel.plan = native_plan<Kernel>;
  return kernel;
}

}  // namespace convict::kernels::border
