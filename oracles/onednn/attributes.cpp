// SPDX-License-Identifier: Apache-2.0
#include "oracles/onednn/attributes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "abi/element.h"
#include "oracles/onednn/library.h"

namespace convict::onednn {
namespace {

using dnnl::memory;

/// oneDNN's guide ("Nuances of int8 Computations") warns that on CPUs without instructions for 8 bits, sums of two
/// products saturate in 16 bits, and weights lose a bit.
bool saturates_pairs() {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
    case dnnl_cpu_isa_avx:
    case dnnl_cpu_isa_avx2:
    case dnnl_cpu_isa_avx512_core: return true;
    default: return false;
  }
}

std::vector<float> scales_of(const convict_tensor& t) {
  std::vector<float> scales(static_cast<size_t>(t.dims[0]));
  for (size_t i = 0; i < scales.size(); ++i)
    scales[i] = static_cast<const float*>(t.data)[static_cast<int64_t>(i) * t.strides[0]];
  return scales;
}

#if DNNL_VERSION_MAJOR >= 3

template <class T>
memory dense(const std::vector<T>& values, memory::data_type type) {
  memory result({{static_cast<int64_t>(values.size())}, type, memory::dims{1}}, engine());
  std::copy(values.begin(), values.end(), static_cast<T*>(result.get_data_handle()));
  return result;
}

/// Version 3: a scale of the weights scales the sums without bias. Its channels are the first dimension of the weights,
/// or the first two with groups.
void add_scale(Attributes& to, const convict_problem& p, const convict_tensor& scale) {
  to.attr.set_scales_mask(DNNL_ARG_WEIGHTS, scale.dims[0] == 1 ? 0 : p.groups > 1 ? 3 : 1);
  to.arguments.push_back({DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, dense(scales_of(scale), memory::data_type::f32)});
}

void add_zero_point(Attributes& to, int argument, int32_t zero_point) {
  to.attr.set_zero_points_mask(argument, 0);
  to.arguments.push_back(
      {DNNL_ARG_ATTR_ZERO_POINTS | argument, dense(std::vector<int32_t>{zero_point}, memory::data_type::s32)});
}

void add_relu(dnnl::post_ops& to) { to.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0); }

#else

/// Version 2: the output scale scales sum and bias together. Its channels are the second dimension of dst.
void add_scale(Attributes& to, const convict_problem&, const convict_tensor& scale) {
  to.attr.set_output_scales(scale.dims[0] == 1 ? 0 : 1 << 1, scales_of(scale));
}

void add_zero_point(Attributes& to, int argument, int32_t zero_point) {
  to.attr.set_zero_points(argument, 0, {zero_point});
}

void add_relu(dnnl::post_ops& to) { to.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0); }

#endif

}  // namespace

const char* inexpressible(const convict_problem& p, const convict_tensors& t) {
  if (p.pass != CONVICT_FORWARD) return p.beta != 0 ? "oneDNN accumulates in forward passes only" : nullptr;
  if (!is_integer(t.src.dtype)) return nullptr;
  if (saturates_pairs()) return "oneDNN may saturate sums of 8-bit products on a CPU without VNNI";
  const bool has_halves = t.scale.ndim != 0 || p.has_bias || std::trunc(p.beta) != p.beta;
  if (has_halves && p.dst_zero_point % 2 != 0)
    return "oneDNN rounds after an odd zero point of dst, which moves halves";
#if DNNL_VERSION_MAJOR < 3
  if (t.scale.ndim != 0 && p.has_bias) return "oneDNN 2 scales the bias as well";
#endif
  return nullptr;
}

Attributes describe_attributes(const convict_problem& p, const convict_tensors& t) {
  Attributes result;
  if (t.scale.ndim != 0) add_scale(result, p, t.scale);
  if (p.src_zero_point != 0) add_zero_point(result, DNNL_ARG_SRC, p.src_zero_point);
  if (p.dst_zero_point != 0) add_zero_point(result, DNNL_ARG_DST, p.dst_zero_point);
  dnnl::post_ops after;
  if (p.beta != 0) after.append_sum(static_cast<float>(p.beta), p.dst_zero_point);
  if (p.relu) add_relu(after);
  if (after.len() > 0) result.attr.set_post_ops(after);
  return result;
}

}  // namespace convict::onednn
