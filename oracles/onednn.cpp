// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's convolution and deconvolution primitives (2.6 and later, 3.x) behind the C ABI.
//
// Our strided tensors become memory descriptors as they are, and nothing is copied. The library decides which of its
// implementations runs; `unsupported` repeats only what its descriptors can never say, and whatever else it declines
// comes back from `run` as a refusal with the library's status. What it accepts is computed, right or wrong.
#include <oneapi/dnnl/dnnl_debug.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "abi/convict.h"
#include "abi/validity.h"

// oneDNN takes its number of threads from the OpenMP runtime it was linked with. A weak reference binds to that very
// runtime, whatever compiler builds this file, and is null where oneDNN does not use OpenMP.
extern "C" __attribute__((weak)) void omp_set_num_threads(int);

namespace convict {
namespace {

using dnnl::memory;

/// Primitives kept by the library. Campaigns hardly ever repeat a geometry, so a larger cache would only hold memory.
constexpr int kPrimitiveCache = 16;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

const dnnl::stream& stream() {
  static const dnnl::stream in_order(engine());
  return in_order;
}

/// The spatial parameters in oneDNN's terms.
struct Geometry {
  using Array = std::array<int64_t, CONVICT_MAX_RANK>;
  Array strides{}, dilates{}, padding_l{}, padding_r{};
};

/// oneDNN has no output padding; its deconvolution is described by `dst = (src - 1) * stride - l - r + window`, so a
/// smaller, possibly negative, padding at the end says the same.
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

/// The operands of the pass, with gradients in the place of what they are the gradients of.
struct Operands {
  const convict_tensor *src, *wei, *bias, *dst;
};

Operands operands_of(const convict_problem& p, const convict_tensors& t) {
  switch (p.pass) {
    case CONVICT_FORWARD: return {&t.src, &t.wei, &t.bias, &t.dst};
    case CONVICT_BACKWARD_DATA: return {&t.diff_src, &t.wei, &t.bias, &t.diff_dst};
    case CONVICT_BACKWARD_WEIGHTS: return {&t.src, &t.diff_wei, &t.diff_bias, &t.diff_dst};
  }
  return {};
}

memory::desc described(const memory::dims& dims, const memory::dims& strides) {
  return memory::desc(dims, memory::data_type::f32, strides);
}

memory::desc described(const convict_tensor& t) {
  return described(memory::dims(t.dims, t.dims + t.ndim), memory::dims(t.strides, t.strides + t.ndim));
}

/// oneDNN wants [groups][oc / groups][ic / groups][kernel...] for either op, without the first dimension if there is
/// one group. Ours begin with the channels of all groups, which are input channels for conv_transpose.
memory::desc described_weights(const convict_problem& p, const convict_tensor& t) {
  memory::dims dims(t.dims, t.dims + t.ndim), strides(t.strides, t.strides + t.ndim);
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
  return described(dims, strides);
}

struct Descriptors {
  memory::desc src, wei, bias, dst;
};

#if DNNL_VERSION_MAJOR >= 3

const_dnnl_memory_desc_t raw(const memory::desc& desc) { return desc.get(); }

/// The library's descriptor of the primitive, with its choice of implementation. `bias` may be null. Convolutions
/// ignore the forward hint for gradients, and it costs as much as the descriptor itself, so there is none.
dnnl_status_t describe_primitive(const convict_problem& p, const Descriptors& d, const_dnnl_memory_desc_t bias,
                                 const Geometry& g, dnnl_primitive_desc_t* result) {
  const bool is_conv = p.op == CONVICT_CONV;
  const dnnl_alg_kind_t algorithm = is_conv ? dnnl_convolution_direct : dnnl_deconvolution_direct;
  switch (p.pass) {
    case CONVICT_FORWARD: {
      const auto create =
          is_conv ? dnnl_convolution_forward_primitive_desc_create : dnnl_deconvolution_forward_primitive_desc_create;
      return create(result, engine().get(), dnnl_forward_training, algorithm, raw(d.src), raw(d.wei), bias, raw(d.dst),
                    g.strides.data(), g.dilates.data(), g.padding_l.data(), g.padding_r.data(), nullptr);
    }
    case CONVICT_BACKWARD_DATA: {
      const auto create = is_conv ? dnnl_convolution_backward_data_primitive_desc_create
                                  : dnnl_deconvolution_backward_data_primitive_desc_create;
      return create(result, engine().get(), algorithm, raw(d.src), raw(d.wei), raw(d.dst), g.strides.data(),
                    g.dilates.data(), g.padding_l.data(), g.padding_r.data(), nullptr, nullptr);
    }
    case CONVICT_BACKWARD_WEIGHTS: {
      const auto create = is_conv ? dnnl_convolution_backward_weights_primitive_desc_create
                                  : dnnl_deconvolution_backward_weights_primitive_desc_create;
      return create(result, engine().get(), algorithm, raw(d.src), raw(d.wei), bias, raw(d.dst), g.strides.data(),
                    g.dilates.data(), g.padding_l.data(), g.padding_r.data(), nullptr, nullptr);
    }
  }
  return dnnl_invalid_arguments;
}

#else

const dnnl_memory_desc_t* raw(const memory::desc& desc) { return &desc.data; }

/// The operation in the library's terms; deconvolutions have the same description. `bias` may be null.
dnnl_status_t describe_operation(const convict_problem& p, const Descriptors& d, const dnnl_memory_desc_t* bias,
                                 const Geometry& g, dnnl_convolution_desc_t* result) {
  const bool is_conv = p.op == CONVICT_CONV;
  const dnnl_alg_kind_t algorithm = is_conv ? dnnl_convolution_direct : dnnl_deconvolution_direct;
  switch (p.pass) {
    case CONVICT_FORWARD: {
      const auto init =
          is_conv ? dnnl_dilated_convolution_forward_desc_init : dnnl_dilated_deconvolution_forward_desc_init;
      return init(result, dnnl_forward_training, algorithm, raw(d.src), raw(d.wei), bias, raw(d.dst), g.strides.data(),
                  g.dilates.data(), g.padding_l.data(), g.padding_r.data());
    }
    case CONVICT_BACKWARD_DATA: {
      const auto init = is_conv ? dnnl_dilated_convolution_backward_data_desc_init
                                : dnnl_dilated_deconvolution_backward_data_desc_init;
      return init(result, algorithm, raw(d.src), raw(d.wei), raw(d.dst), g.strides.data(), g.dilates.data(),
                  g.padding_l.data(), g.padding_r.data());
    }
    case CONVICT_BACKWARD_WEIGHTS: {
      const auto init = is_conv ? dnnl_dilated_convolution_backward_weights_desc_init
                                : dnnl_dilated_deconvolution_backward_weights_desc_init;
      return init(result, algorithm, raw(d.src), raw(d.wei), bias, raw(d.dst), g.strides.data(), g.dilates.data(),
                  g.padding_l.data(), g.padding_r.data());
    }
  }
  return dnnl_invalid_arguments;
}

/// The library's descriptor of the primitive, with its choice of implementation. Convolutions ignore the forward hint
/// for gradients, and it costs as much as the descriptor itself, so there is none.
dnnl_status_t describe_primitive(const convict_problem& p, const Descriptors& d, const dnnl_memory_desc_t* bias,
                                 const Geometry& g, dnnl_primitive_desc_t* result) {
  dnnl_convolution_desc_t operation;
  const dnnl_status_t status = describe_operation(p, d, bias, g, &operation);
  if (status != dnnl_success) return status;
  return dnnl_primitive_desc_create(result, &operation, nullptr, engine().get(), nullptr);
}

#endif

/// Outcome of a phase, and the end of its message if it went wrong.
struct Outcome {
  convict_status status = CONVICT_OK;
  const char* what = "";
  dnnl_status_t library = dnnl_success;
};

Outcome outcome(dnnl_status_t library, convict_status if_not, const char* what) {
  if (library == dnnl_success) return {};
  return {library == dnnl_out_of_memory ? CONVICT_OUT_OF_MEMORY : if_not, what, library};
}

Outcome create(const convict_problem& p, const Descriptors& d, dnnl::handle<dnnl_primitive_t>* result) {
  const bool bias = p.has_bias && p.pass != CONVICT_BACKWARD_DATA;
  dnnl_primitive_desc_t descriptor = nullptr;
  dnnl_status_t status = describe_primitive(p, d, bias ? raw(d.bias) : nullptr, geometry_of(p), &descriptor);
  if (status != dnnl_success) return outcome(status, CONVICT_REFUSED, "has no implementation for this");
  dnnl_primitive_t primitive = nullptr;
  status = dnnl_primitive_create(&primitive, descriptor);
  dnnl_primitive_desc_destroy(descriptor);
  if (status != dnnl_success) return outcome(status, CONVICT_REFUSED, "cannot create the primitive");
  result->reset(primitive);
  return {};
}

Outcome execute(const convict_problem& p, const Operands& o, const Descriptors& d, dnnl_primitive_t primitive) {
  const bool data = p.pass == CONVICT_BACKWARD_DATA, weights = p.pass == CONVICT_BACKWARD_WEIGHTS;
  const memory src(d.src, engine(), o.src->data), wei(d.wei, engine(), o.wei->data), dst(d.dst, engine(), o.dst->data),
      bias(d.bias, engine(), o.bias->data);
  const dnnl_exec_arg_t arguments[] = {
      {data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, src.get()},
      {weights ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, wei.get()},
      {p.pass == CONVICT_FORWARD ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, dst.get()},
      {weights ? DNNL_ARG_DIFF_BIAS : DNNL_ARG_BIAS, bias.get()},  // last, and left out without bias
  };
  const int count = p.has_bias && !data ? 4 : 3;
  dnnl_status_t status = dnnl_primitive_execute(primitive, stream().get(), count, arguments);
  if (status == dnnl_success) status = dnnl_stream_wait(stream().get());
  return outcome(status, CONVICT_FAILED, "failed in execution");
}

Outcome compute(const convict_problem& p, const convict_tensors& t) {
  const Operands o = operands_of(p, t);
  const bool bias = o.bias->ndim != 0;
  const Descriptors d = {described(*o.src), described_weights(p, *o.wei), bias ? described(*o.bias) : memory::desc(),
                         described(*o.dst)};
  dnnl::handle<dnnl_primitive_t> primitive;
  const Outcome created = create(p, d, &primitive);
  if (created.status != CONVICT_OK) return created;
  return execute(p, o, d, primitive.get());
}

convict_status run(const convict_implementation*, const convict_problem* problem, const convict_tensors* tensors,
                   char* error, size_t error_size) {
  try {
    if (omp_set_num_threads != nullptr) omp_set_num_threads(problem->threads);
    const Outcome result = compute(*problem, *tensors);
    if (result.status != CONVICT_OK)
      std::snprintf(error, error_size, "oneDNN %s (%s)", result.what, dnnl_status2str(result.library));
    return result.status;
  } catch (const std::bad_alloc&) {
    std::snprintf(error, error_size, "out of memory");
    return CONVICT_OUT_OF_MEMORY;
  } catch (const dnnl::error& e) {  // from the header's descriptors and memory objects; the rest reports by status
    std::snprintf(error, error_size, "oneDNN cannot describe the tensors (%s)", dnnl_status2str(e.status));
    return e.status == dnnl_out_of_memory ? CONVICT_OUT_OF_MEMORY : CONVICT_REFUSED;
  }
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  for (const convict_tensor* tensor :
       {&t->src, &t->wei, &t->bias, &t->dst, &t->diff_src, &t->diff_wei, &t->diff_bias, &t->diff_dst})
    if (tensor->ndim != 0 && tensor->dtype != CONVICT_F32) return "oneDNN computes f32 only on the CPU";
  if (invalid(*p)) return "not a legal problem";                // oneDNN knows no output padding that it could check
  for (const convict_tensor* bias : {&t->bias, &t->diff_bias})  // its guide knows them in format x only, i.e. dense
    if (bias->ndim != 0 && bias->strides[0] != 1) return "oneDNN wants a dense bias";
  if (p->ic == 0 || p->oc == 0) return "oneDNN wants at least one channel";
  const Geometry g = geometry_of(*p);
  for (int i = 0; i < p->rank; ++i) {
    if (g.padding_l[i] < 0) return "oneDNN has no negative padding at the begin";
    if (g.padding_r[i] <= -g.strides[i]) return "oneDNN needs pad_end - output_padding > -stride";
  }
  return nullptr;
}

const char* version() {
  static char text[32];
  const dnnl_version_t* v = dnnl_version();
  std::snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_ANY_ORDER,        /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
constexpr convict_implementation kOneDnn = {"onednn",    "oneDNN, the implementation it chooses for plain layouts",
                                            "onednn",    kContract,
                                            unsupported, run,
                                            nullptr,     nullptr,
                                            nullptr};
constexpr const convict_implementation* kImplementations[] = {&kOneDnn};

}  // namespace
}  // namespace convict

extern "C" const convict_plugin* convict_plugin_v1(void) {
  using namespace convict;
  if (dnnl_set_primitive_cache_capacity(kPrimitiveCache) != dnnl_success) return nullptr;
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, version(), 1, kImplementations};
  return &plugin;
}
