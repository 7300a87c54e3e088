// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/tensors.h"

#include <ATen/Config.h>
#include <ATen/Parallel.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>

#include "abi/validity.h"

#if AT_PARALLEL_OPENMP
extern "C" void omp_set_num_threads(int threads);  // of the OpenMP library that LibTorch uses, whichever that is
#endif

namespace convict::libtorch {
namespace {

std::string text(at::IntArrayRef extents) {
  std::string joined;
  for (const int64_t extent : extents) {
    if (!joined.empty()) joined += 'x';
    joined += std::to_string(extent);
  }
  return joined;
}

/// The status for a message of LibTorch, which reports exhausted memory as an ordinary error of its allocator, and a
/// type that a kernel does not support only when the kernel is called.
convict_status failure(const char* message, std::string* why) {
  const std::string whole(message);
  const auto says = [&](const char* words) { return whole.find(words) != std::string::npos; };
  if (says("not implemented for 'Half'") || says("not implemented for 'BFloat16'")) {
    *why = "LibTorch has no kernel for this data type here";
    return CONVICT_REFUSED;
  }
  *why = std::string("LibTorch: ").append(whole, 0, whole.find('\n'));
  return says("DefaultCPUAllocator") ? CONVICT_OUT_OF_MEMORY : CONVICT_FAILED;
}

}  // namespace

void use_threads(int threads) {
  if (at::get_num_threads() == threads) return;  // the first call in a thread sets the default
#if AT_PARALLEL_OPENMP
  omp_set_num_threads(threads);
#else
  at::set_num_threads(threads);
#endif
}

void fetch_no_stack_traces() {
  c10::SetStackTraceFetcher([] { return std::string(); });
}

at::IntArrayRef spatial(const convict_problem& p, const int64_t* values) {
  return at::IntArrayRef(values, static_cast<size_t>(p.rank));
}

at::Tensor framed(const convict_problem& p, const TorchFrame& e, const at::Tensor& tensor, int sign, double value) {
  if (!e.framed) return tensor;
  std::array<int64_t, 2 * CONVICT_MAX_RANK> pads{};  // begin and end of the last axis, then of the one before...
  for (int i = 0; i < p.rank; ++i) {
    pads[2 * (p.rank - 1 - i)] = sign * e.begin[i];
    pads[2 * (p.rank - 1 - i) + 1] = sign * e.end[i];
  }
  return at::constant_pad_nd(tensor, at::IntArrayRef(pads.data(), 2 * static_cast<size_t>(p.rank)), value);
}

at::ScalarType scalar_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return at::kDouble;
    case CONVICT_F16: return at::kHalf;
    case CONVICT_BF16: return at::kBFloat16;
    case CONVICT_S8: return at::kChar;
    case CONVICT_U8: return at::kByte;
    case CONVICT_S32: return at::kInt;
    case CONVICT_S16: return at::kShort;
    case CONVICT_S64: return at::kLong;
    case CONVICT_F32: break;
  }
  return at::kFloat;
}

at::Tensor view(const convict_tensor& t) {
  const auto ndim = static_cast<size_t>(t.ndim);
  return at::from_blob(t.data, at::IntArrayRef(t.dims, ndim), at::IntArrayRef(t.strides, ndim), scalar_type(t.dtype));
}

convict_status deliver(const at::Tensor& result, const convict_tensor& to, const char* name, std::string* why) {
  const at::IntArrayRef dims(to.dims, static_cast<size_t>(to.ndim));
  if (!result.defined()) {
    *why = std::string("LibTorch returned no ") + name;
    return CONVICT_FAILED;
  }
  if (result.sizes() != dims) {
    *why = std::string("LibTorch's ") + name + " is " + text(result.sizes()) + " instead of " + text(dims);
    return CONVICT_WRONG_SHAPE;
  }
  const bool same_layout = result.strides() == at::IntArrayRef(to.strides, dims.size());
  if (same_layout && result.scalar_type() == scalar_type(to.dtype) && result.is_non_overlapping_and_dense()) {
    if (result.numel() > 0) std::memcpy(to.data, result.data_ptr(), result.nbytes());
  } else {
    view(to).copy_(result);
  }
  return CONVICT_OK;
}

const char* unsupported_empty(const convict_problem& p) {
  if (p.oc == 0) return "LibTorch wants at least one channel of dst";
  if (p.ic == 0 && p.op == CONVICT_CONV_TRANSPOSE) return "LibTorch's conv_transpose wants at least one channel of src";
  for (int i = 0; i < p.rank; ++i)
    if (p.in[i] == 0) return "LibTorch takes no empty spatial extents";
  return nullptr;
}

const char* unsupported_padding(const convict_problem& p) {
  const TorchFrame e = torch_frame(p);
  if (!e.framed) return nullptr;
  if (invalid(p)) return "not a legal problem";  // the frame would answer for LibTorch, which sees another problem
  const bool is_conv = p.op == CONVICT_CONV;
  for (int i = 0; i < p.rank; ++i) {
    const bool adds_rows = !is_conv && (e.begin[i] > 0 || e.end[i] > 0);
    if (adds_rows && p.has_bias) return "LibTorch has no bias where negative padding of conv_transpose adds rows";
    const int64_t cropped = is_conv ? p.in[i] + std::min<int64_t>(e.begin[i], 0) + std::min<int64_t>(e.end[i], 0)
                                    : p.out[i] - std::max<int64_t>(e.begin[i], 0) - std::max<int64_t>(e.end[i], 0);
    if (cropped < 0) return "LibTorch cannot crop more than the whole axis";
  }
  return nullptr;
}

convict_status failure_in_flight(std::string* why) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    *why = "out of memory";
    return CONVICT_OUT_OF_MEMORY;
  } catch (const c10::Error& e) {
    return failure(e.what_without_backtrace(), why);
  } catch (const std::exception& e) {
    return failure(e.what(), why);
  }
}

}  // namespace convict::libtorch
