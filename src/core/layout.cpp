// SPDX-License-Identifier: Apache-2.0
#include "core/layout.h"

#include <initializer_list>
#include <span>

#include "core/role.h"

namespace convict {
namespace {

std::string_view spatial_letters(int rank) { return std::string_view("dhw").substr(kAxes - rank); }

/// A dense tensor whose dimensions are stored in `order`, outermost first.
convict_tensor dense(convict_dtype type, std::span<const int64_t> dims, std::span<const int> order) {
  convict_tensor tensor{};
  tensor.dtype = type;
  tensor.ndim = static_cast<int32_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) tensor.dims[i] = dims[i];
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    tensor.strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  return tensor;
}

/// The dimensions of a physical order: 0 and 1 are the leading logical ones, kSpatial stands for all spatial axes.
constexpr int kSpatial = 2;

convict_tensor dense_in_order(convict_dtype type, int64_t first, int64_t second, const int64_t* spatial, int rank,
                              std::initializer_list<int> order) {
  int64_t dims[CONVICT_MAX_DIMS] = {first, second};
  for (int axis = 0; axis < rank; ++axis) dims[2 + axis] = spatial[axis];
  int expanded[CONVICT_MAX_DIMS];
  int count = 0;
  for (const int dim : order) {
    if (dim != kSpatial) {
      expanded[count++] = dim;
      continue;
    }
    for (int axis = 0; axis < rank; ++axis) expanded[count++] = 2 + axis;
  }
  return dense(type, {dims, static_cast<size_t>(2 + rank)}, {expanded, static_cast<size_t>(count)});
}

convict_tensor activation(convict_dtype type, ActivationLayout layout, int64_t batch, int64_t channels,
                          const int64_t* spatial, int rank) {
  if (layout == ActivationLayout::kChannelsFirst)
    return dense_in_order(type, batch, channels, spatial, rank, {0, 1, kSpatial});
  return dense_in_order(type, batch, channels, spatial, rank, {0, kSpatial, 1});
}

/// Logical dimension 0 of the weights is o for conv and i for conv_transpose.
convict_tensor weights(const Case& c, const convict_problem& p) {
  const bool is_conv = c.op == CONVICT_CONV;
  const int o = is_conv ? 0 : 1, i = 1 - o;
  const int64_t first = is_conv ? p.oc : p.ic, second = (is_conv ? p.ic : p.oc) / p.groups;
  const auto in_order = [&](std::initializer_list<int> order) {
    return dense_in_order(c.wei_type, first, second, p.kernel, p.rank, order);
  };
  switch (c.wei_layout) {
    case WeightLayout::kOihw: return in_order({o, i, kSpatial});
    case WeightLayout::kIohw: return in_order({i, o, kSpatial});
    case WeightLayout::kOhwi: return in_order({o, kSpatial, i});
    case WeightLayout::kHwio: return in_order({kSpatial, i, o});
  }
  return {};
}

convict_tensor vector(convict_dtype type, int64_t length) {
  const int order[] = {0};
  return dense(type, {&length, 1}, order);
}

}  // namespace

std::string_view type_name(convict_dtype type) { return type == CONVICT_F32 ? "f32" : "f64"; }

size_t type_size(convict_dtype type) { return type == CONVICT_F32 ? sizeof(float) : sizeof(double); }

std::string layout_name(ActivationLayout layout, int rank) {
  const std::string spatial(spatial_letters(rank));
  return layout == ActivationLayout::kChannelsFirst ? "nc" + spatial : "n" + spatial + "c";
}

std::string layout_name(WeightLayout layout, int rank) {
  const std::string spatial(spatial_letters(rank));
  switch (layout) {
    case WeightLayout::kOihw: return "oi" + spatial;
    case WeightLayout::kIohw: return "io" + spatial;
    case WeightLayout::kOhwi: return "o" + spatial + "i";
    case WeightLayout::kHwio: return spatial + "io";
  }
  return "";
}

convict_tensors describe_tensors(const Case& c, const convict_problem& p) {
  const convict_tensor src = activation(c.src_type, c.src_layout, p.batch, p.ic, p.in, p.rank);
  const convict_tensor dst = activation(c.dst_type, c.dst_layout, p.batch, p.oc, p.out, p.rank);
  const convict_tensor wei = weights(c, p);
  const convict_tensor bias = c.bias ? vector(c.dst_type, p.oc) : convict_tensor{};
  convict_tensors t{};
  switch (p.pass) {
    case CONVICT_FORWARD:
      t.src = src;
      t.wei = wei;
      t.bias = bias;
      t.dst = dst;
      break;
    case CONVICT_BACKWARD_DATA:
      t.diff_dst = dst;
      t.wei = wei;
      t.diff_src = src;
      break;
    case CONVICT_BACKWARD_WEIGHTS:
      t.src = src;
      t.diff_dst = dst;
      t.diff_wei = wei;
      t.diff_bias = bias;
      break;
  }
  return t;
}

double examination_bytes(const convict_tensors& described, convict_pass pass) {
  double bytes = 0;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = described.*role.tensor;
    const double wide = tensor.dtype == CONVICT_F32 ? sizeof(double) : sizeof(long double);
    const double kept = role.is_output[pass] ? 2 * wide + sizeof(double) : wide;  // value, magnitude, bound; or a copy
    bytes += static_cast<double>(element_count(tensor)) * (static_cast<double>(type_size(tensor.dtype)) + kept);
  }
  return bytes;
}

int64_t element_count(const convict_tensor& tensor) {
  if (tensor.ndim == 0) return 0;
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.dims[i];
  return count;
}

}  // namespace convict
