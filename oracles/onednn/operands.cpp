// SPDX-License-Identifier: Apache-2.0
#include "oracles/onednn/operands.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace convict::onednn {
namespace {

using dnnl::memory;

/// The library's type; `undef` for types that it does not have on a CPU.
memory::data_type type_of(const convict_tensor& t) {
  switch (t.dtype) {
    case CONVICT_F32: return memory::data_type::f32;
    case CONVICT_F16: return memory::data_type::f16;
    case CONVICT_BF16: return memory::data_type::bf16;
    case CONVICT_S8: return memory::data_type::s8;
    case CONVICT_U8: return memory::data_type::u8;
    case CONVICT_S32: return memory::data_type::s32;
    case CONVICT_F64:
    case CONVICT_S16:
    case CONVICT_S64: break;
  }
  return memory::data_type::undef;
}

memory::dims dims_of(const convict_tensor& t) { return {t.dims, t.dims + t.ndim}; }

memory::desc given(const convict_tensor& t) {
  return {dims_of(t), type_of(t), memory::dims(t.strides, t.strides + t.ndim)};
}

/// oneDNN's weights are [groups][oc / groups][ic / groups][kernel...] for both ops, without the first dimension for one
/// group. Ours begin with the channels of all groups, which are input channels for conv_transpose.
memory::desc given_weights(const convict_problem& p, const convict_tensor& t) {
  memory::dims dims = dims_of(t), strides(t.strides, t.strides + t.ndim);
  dims[0] /= p.groups;
  const int64_t group_stride = dims[0] * strides[0];
  if (p.op == CONVICT_CONV_TRANSPOSE) {
    std::swap(dims[0], dims[1]);
    std::swap(strides[0], strides[1]);
  }
  if (p.groups > 1) {
    dims.insert(dims.begin(), p.groups);
    strides.insert(strides.begin(), group_stride);
  }
  return {dims, type_of(t), strides};
}

/// The dimensions and type of `desc`, in the order that the library chooses.
memory::desc open(const memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return {desc.get_dims(), desc.get_data_type(), memory::format_tag::any};
#else
  return {desc.dims(), desc.data_type(), memory::format_tag::any};
#endif
}

/// [batch][channels][spatial...] without gaps: in this order, or with the channels innermost.
memory::desc dense(const convict_tensor& t, bool channels_last) {
  memory::dims strides(static_cast<size_t>(t.ndim));
  int64_t next = 1;
  const auto place = [&](int dim) {
    strides[static_cast<size_t>(dim)] = next;
    next *= std::max<int64_t>(t.dims[dim], 1);
  };
  if (channels_last) place(1);
  for (int dim = t.ndim - 1; dim > 1; --dim) place(dim);
  if (!channels_last) place(1);
  place(0);
  return {dims_of(t), type_of(t), strides};
}

void describe_activation(Operand& o, Layouts layouts) {
  o.given = given(*o.tensor);
  switch (layouts) {
    case Layouts::kAsGiven: o.wanted = o.given; return;
    case Layouts::kAny: o.wanted = open(o.given); return;
    case Layouts::kChannelsFirst: o.wanted = dense(*o.tensor, false); return;
    case Layouts::kChannelsLast: o.wanted = dense(*o.tensor, true); return;
  }
}

/// The operands without their descriptors.
Operands named(const convict_problem& p, const convict_tensors& t) {
  const bool accumulates = p.beta != 0;
  switch (p.pass) {
    case CONVICT_FORWARD:
      return {{DNNL_ARG_SRC, &t.src, true, false, {}, {}},
              {DNNL_ARG_WEIGHTS, &t.wei, true, false, {}, {}},
              {DNNL_ARG_BIAS, &t.bias, true, false, {}, {}},
              {DNNL_ARG_DST, &t.dst, accumulates, true, {}, {}}};
    case CONVICT_BACKWARD_DATA:
      return {{DNNL_ARG_DIFF_SRC, &t.diff_src, accumulates, true, {}, {}},
              {DNNL_ARG_WEIGHTS, &t.wei, true, false, {}, {}},
              {DNNL_ARG_BIAS, &t.bias, true, false, {}, {}},
              {DNNL_ARG_DIFF_DST, &t.diff_dst, true, false, {}, {}}};
    case CONVICT_BACKWARD_WEIGHTS:
      return {{DNNL_ARG_SRC, &t.src, true, false, {}, {}},
              {DNNL_ARG_DIFF_WEIGHTS, &t.diff_wei, accumulates, true, {}, {}},
              {DNNL_ARG_DIFF_BIAS, &t.diff_bias, accumulates, true, {}, {}},
              {DNNL_ARG_DIFF_DST, &t.diff_dst, true, false, {}, {}}};
  }
  return {};
}

}  // namespace

Operands describe_operands(const convict_problem& p, const convict_tensors& t, Layouts layouts) {
  Operands o = named(p, t);
  describe_activation(o.src, layouts);
  describe_activation(o.dst, layouts);
  o.wei.given = given_weights(p, *o.wei.tensor);
  o.wei.wanted = layouts == Layouts::kAsGiven ? o.wei.given : open(o.wei.given);
  if (o.bias.tensor->ndim != 0) o.bias.given = o.bias.wanted = given(*o.bias.tensor);
  return o;
}

}  // namespace convict::onednn
