// SPDX-License-Identifier: Apache-2.0
#include "core/layout.h"

#include <initializer_list>
#include <span>

#include "core/geometry.h"
#include "core/names.h"
#include "core/random.h"
#include "core/role.h"

namespace convict::inline core {
namespace {

/// How one operand lies in its buffer. Bit i of `cut`: dimension i has foreign elements in front of and behind the
/// tensor's own. 0 is dense.
struct Storage {
  convict_dtype type;
  uint64_t cut = 0;
};

constexpr int64_t kFront = 1, kBehind = 2;  // elements of a cut dimension that are not the tensor's

/// A tensor with its dimensions stored in `order`, outermost first.
convict_tensor stored(const Storage& storage, std::span<const int64_t> dims, std::span<const int> order) {
  convict_tensor tensor{};
  tensor.dtype = storage.type;
  tensor.ndim = static_cast<int32_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) tensor.dims[i] = dims[i];
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int dim = order[i];
    const bool cut = (storage.cut >> dim & 1) != 0;
    tensor.strides[dim] = stride;
    if (cut) tensor.offset += kFront * stride;
    stride *= dims[dim] + (cut ? kFront + kBehind : 0);
  }
  return tensor;
}

/// The storage of an operand that may be a view. The seed chooses the cut dimensions, at least one, so that the same
/// line always means the same strides.
Storage storage_of(const Case& c, convict_dtype type, bool view, uint64_t role) {
  if (!view) return {type};
  const uint64_t cut = mix(c.seed + kGoldenGamma * role) & ((1u << (2 + c.rank)) - 1);
  return {type, cut != 0 ? cut : 1u << (1 + c.rank)};
}

constexpr uint64_t kSrcRole = 1, kWeiRole = 2, kDstRole = 3;  // for storage_of; a gradient has the role of its operand

/// The dimensions of a physical order: 0 and 1 are the leading logical ones, kSpatial stands for all spatial axes.
constexpr int kSpatial = 2;

convict_tensor in_order(const Storage& storage, int64_t first, int64_t second, const int64_t* spatial, int rank,
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
  return stored(storage, {dims, static_cast<size_t>(2 + rank)}, {expanded, static_cast<size_t>(count)});
}

convict_tensor activation(const Storage& storage, ActivationLayout layout, int64_t batch, int64_t channels,
                          const int64_t* spatial, int rank) {
  if (layout == ActivationLayout::kChannelsFirst)
    return in_order(storage, batch, channels, spatial, rank, {0, 1, kSpatial});
  return in_order(storage, batch, channels, spatial, rank, {0, kSpatial, 1});
}

/// Logical dimension 0 of the weights is o for conv and i for conv_transpose.
convict_tensor weights(const Case& c, const convict_problem& p) {
  const bool is_conv = c.op == CONVICT_CONV;
  const int o = is_conv ? 0 : 1, i = 1 - o;
  const int64_t first = is_conv ? p.oc : p.ic, second = (is_conv ? p.ic : p.oc) / p.groups;
  const auto stored_in = [&](std::initializer_list<int> order) {
    return in_order(storage_of(c, c.wei_type, c.views.wei, kWeiRole), first, second, p.kernel, p.rank, order);
  };
  switch (c.wei_layout) {
    case WeightLayout::kOihw: return stored_in({o, i, kSpatial});
    case WeightLayout::kIohw: return stored_in({i, o, kSpatial});
    case WeightLayout::kOhwi: return stored_in({o, kSpatial, i});
    case WeightLayout::kHwio: return stored_in({kSpatial, i, o});
  }
  return {};
}

/// A vector. A view is a column of a matrix with two columns, behind one element in front.
convict_tensor vector(convict_dtype type, int64_t length, bool view) {
  const int order[] = {0};
  convict_tensor tensor = stored({type}, {&length, 1}, order);
  if (view) {
    tensor.strides[0] = 2;
    tensor.offset = 1;
  }
  return tensor;
}

/// Factors in f32, or multipliers and shifts.
void add_scales(const Case& c, const convict_problem& p, convict_tensors& t) {
  if (c.scale == Scale::kNone) return;
  const int64_t length = c.scale == Scale::kTensor ? 1 : p.oc;
  if (c.requant == Requant::kNone)
    t.scale = vector(CONVICT_F32, length, false);
  else
    t.multiplier = t.shift = vector(CONVICT_S32, length, false);
}

}  // namespace

convict_tensors describe_tensors(const Case& c, const convict_problem& p) {
  const convict_tensor src =
      activation(storage_of(c, c.src_type, c.views.src, kSrcRole), c.src_layout, p.batch, p.ic, p.in, p.rank);
  const convict_tensor dst =
      activation(storage_of(c, c.dst_type, c.views.dst, kDstRole), c.dst_layout, p.batch, p.oc, p.out, p.rank);
  const convict_tensor wei = weights(c, p);
  const convict_tensor bias = c.bias ? vector(bias_type(c), p.oc, c.views.wei) : convict_tensor{};
  convict_tensors t{};
  switch (p.pass) {
    case CONVICT_FORWARD:
      t.src = src;
      t.wei = wei;
      t.bias = bias;
      t.dst = dst;
      add_scales(c, p, t);
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

bool has_huge_image(const convict_problem& p, const convict_tensors& tensors) {
  return buffer_count(p.op == CONVICT_CONV ? tensors.src : tensors.diff_dst) > int64_t{1} << 28;
}

double examination_bytes(const convict_tensors& described, const convict_problem& p) {
  double bytes = 0;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = described.*role.tensor;
    const bool is_image = &tensor == (p.op == CONVICT_CONV ? &described.src : &described.diff_dst);
    if (is_image && has_huge_image(p, described)) {
      constexpr double kPage = 4096;
      bytes += kPage * multiply_adds(p);
      continue;
    }
    const double wide = tensor.dtype == CONVICT_F64 ? sizeof(long double) : sizeof(double);
    const double kept =
        role.is_output[p.pass] ? 2 * wide + sizeof(double) : wide;  // value, magnitude, bound; or a copy
    bytes += static_cast<double>(buffer_count(tensor)) * static_cast<double>(type_size(tensor.dtype)) +
             static_cast<double>(element_count(tensor)) * kept;
  }
  return bytes;
}

int64_t element_count(const convict_tensor& tensor) {
  if (tensor.ndim == 0) return 0;
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.dims[i];
  return count;
}

int64_t buffer_count(const convict_tensor& tensor) {
  if (element_count(tensor) == 0) return tensor.offset;
  int64_t last = 0;
  for (int i = 0; i < tensor.ndim; ++i) last += (tensor.dims[i] - 1) * tensor.strides[i];
  return tensor.offset + last + 1;
}

bool has_gaps(const convict_tensor& tensor) { return buffer_count(tensor) != element_count(tensor); }

bool is_contiguous(const convict_tensor& tensor) {
  if (element_count(tensor) == 0) return true;
  int64_t stride = 1;
  for (int dim = tensor.ndim; dim-- > 0;) {
    if (tensor.dims[dim] > 1 && tensor.strides[dim] != stride) return false;
    stride *= tensor.dims[dim];
  }
  return true;
}

}  // namespace convict::inline core
