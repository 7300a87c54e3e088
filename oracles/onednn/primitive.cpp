// SPDX-License-Identifier: Apache-2.0
#include "oracles/onednn/primitive.h"

#include "oracles/onednn/library.h"

namespace convict::onednn {
namespace {

using dnnl::memory;

#if DNNL_VERSION_MAJOR >= 3

const_dnnl_memory_desc_t raw(const memory::desc& desc) { return desc.get(); }

/// `bias` may be null. Convolutions ignore the forward hint for gradients, and it costs as much as the descriptor
/// itself, so there is none.
dnnl_status_t describe(const convict_problem& p, const Operands& o, const_dnnl_memory_desc_t bias, const Geometry& g,
                       const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t* result) {
  const bool is_conv = p.op == CONVICT_CONV;
  const dnnl_alg_kind_t algorithm = is_conv ? dnnl_convolution_direct : dnnl_deconvolution_direct;
  const auto src = raw(o.src.wanted), wei = raw(o.wei.wanted), dst = raw(o.dst.wanted);
  switch (p.pass) {
    case CONVICT_FORWARD: {
      const auto create =
          is_conv ? dnnl_convolution_forward_primitive_desc_create : dnnl_deconvolution_forward_primitive_desc_create;
      return create(result, engine().get(), dnnl_forward_training, algorithm, src, wei, bias, dst, g.strides.data(),
                    g.dilates.data(), g.padding_l.data(), g.padding_r.data(), attr);
    }
    case CONVICT_BACKWARD_DATA: {
      const auto create = is_conv ? dnnl_convolution_backward_data_primitive_desc_create
                                  : dnnl_deconvolution_backward_data_primitive_desc_create;
      return create(result, engine().get(), algorithm, src, wei, dst, g.strides.data(), g.dilates.data(),
                    g.padding_l.data(), g.padding_r.data(), nullptr, attr);
    }
    case CONVICT_BACKWARD_WEIGHTS: {
      const auto create = is_conv ? dnnl_convolution_backward_weights_primitive_desc_create
                                  : dnnl_deconvolution_backward_weights_primitive_desc_create;
      return create(result, engine().get(), algorithm, src, wei, bias, dst, g.strides.data(), g.dilates.data(),
                    g.padding_l.data(), g.padding_r.data(), nullptr, attr);
    }
  }
  return dnnl_invalid_arguments;
}

#else

const dnnl_memory_desc_t* raw(const memory::desc& desc) { return &desc.data; }

/// Describes the operation to the library; deconvolutions have the same description. `bias` may be null.
dnnl_status_t describe_operation(const convict_problem& p, const Operands& o, const dnnl_memory_desc_t* bias,
                                 const Geometry& g, dnnl_convolution_desc_t* result) {
  const bool is_conv = p.op == CONVICT_CONV;
  const dnnl_alg_kind_t algorithm = is_conv ? dnnl_convolution_direct : dnnl_deconvolution_direct;
  const auto src = raw(o.src.wanted), wei = raw(o.wei.wanted), dst = raw(o.dst.wanted);
  switch (p.pass) {
    case CONVICT_FORWARD: {
      const auto init =
          is_conv ? dnnl_dilated_convolution_forward_desc_init : dnnl_dilated_deconvolution_forward_desc_init;
      return init(result, dnnl_forward_training, algorithm, src, wei, bias, dst, g.strides.data(), g.dilates.data(),
                  g.padding_l.data(), g.padding_r.data());
    }
    case CONVICT_BACKWARD_DATA: {
      const auto init = is_conv ? dnnl_dilated_convolution_backward_data_desc_init
                                : dnnl_dilated_deconvolution_backward_data_desc_init;
      return init(result, algorithm, src, wei, dst, g.strides.data(), g.dilates.data(), g.padding_l.data(),
                  g.padding_r.data());
    }
    case CONVICT_BACKWARD_WEIGHTS: {
      const auto init = is_conv ? dnnl_dilated_convolution_backward_weights_desc_init
                                : dnnl_dilated_deconvolution_backward_weights_desc_init;
      return init(result, algorithm, src, wei, bias, dst, g.strides.data(), g.dilates.data(), g.padding_l.data(),
                  g.padding_r.data());
    }
  }
  return dnnl_invalid_arguments;
}

/// Convolutions ignore the forward hint for gradients, and it costs as much as the descriptor itself, so there is none.
dnnl_status_t describe(const convict_problem& p, const Operands& o, const dnnl_memory_desc_t* bias, const Geometry& g,
                       const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t* result) {
  dnnl_convolution_desc_t operation;
  const dnnl_status_t status = describe_operation(p, o, bias, g, &operation);
  if (status != dnnl_success) return status;
  return dnnl_primitive_desc_create(result, &operation, attr, engine().get(), nullptr);
}

#endif

}  // namespace

Geometry geometry_of(const convict_problem& p) {
  Geometry g;
  for (int i = 0; i < p.rank; ++i) {
    g.strides[i] = p.stride[i];
    g.dilates[i] = p.dilation[i] - 1;
    g.padding_l[i] = p.pad_begin[i];
    g.padding_r[i] = p.pad_end[i] - p.output_padding[i];
  }
  return g;
}

dnnl_status_t describe_primitive(const convict_problem& p, const Operands& o, const dnnl::primitive_attr& attr,
                                 dnnl::primitive_desc_base* result) {
  dnnl_primitive_desc_t descriptor = nullptr;
  const bool has_bias = o.bias.tensor->ndim != 0;
  const dnnl_status_t status =
      describe(p, o, has_bias ? raw(o.bias.wanted) : nullptr, geometry_of(p), attr.get(), &descriptor);
  if (status == dnnl_success) result->reset(descriptor);
  return status;
}

}  // namespace convict::onednn
