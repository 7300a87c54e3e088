// SPDX-License-Identifier: Apache-2.0
#include "fill/fill.h"

#include <cmath>

#include "core/random.h"
#include "core/role.h"
#include "core/terms.h"

namespace convict {
namespace {

/// Odd multipliers that give each logical coordinate its own step on the 64-bit circle; mix() does the scattering.
constexpr uint64_t kSteps[CONVICT_MAX_DIMS] = {0x9fb21c651e98df25, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
                                               0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3};

/// Uniform in [-range, range].
struct Integers {
  uint64_t width;  // 2 * range + 1
  int64_t range;
  template <class T>
  T value(uint64_t hash) const {
    return static_cast<T>(static_cast<int64_t>(((hash >> 32) * width) >> 32) - range);
  }
};

/// Sum of four uniform 16-bit numbers, centred and scaled to unit variance: nearly normal, never above 3.47 in
/// magnitude, and with at most 18 significant bits before scaling, so that its square does not flush to zero.
struct Normals {
  template <class T>
  T value(uint64_t hash) const {
    const int64_t sum =
        static_cast<int64_t>((hash & 0xffff) + ((hash >> 16) & 0xffff) + ((hash >> 32) & 0xffff) + (hash >> 48));
    constexpr double kScale = 1.7320508075688772 / 65536;  // sqrt(12 / 4) / 2^16
    return static_cast<T>(static_cast<double>(sum - 2 * 65535) * kScale);
  }
};

/// Normals times a power of two each, from 2^-20 to 2^20: products from 2^-40 to 2^44, far from both ends of f32.
struct WideNormals {
  template <class T>
  T value(uint64_t hash) const {
    constexpr int kExponents = 41;  // -20 to 20
    const auto exponent = static_cast<int>(((mix(hash) >> 32) * kExponents) >> 32) - kExponents / 2;
    return std::ldexp(Normals{}.value<T>(hash), exponent);
  }
};

template <class T, class Values>
void fill_dimension(const convict_tensor& tensor, int dim, T* data, uint64_t key, const Values& values) {
  const int64_t extent = tensor.dims[dim], stride = tensor.strides[dim];
  for (int64_t i = 0; i < extent; ++i, data += stride, key += kSteps[dim]) {
    if (dim + 1 == tensor.ndim)
      *data = values.template value<T>(mix(key));
    else
      fill_dimension(tensor, dim + 1, data, key, values);
  }
}

template <class Values>
void fill_tensor(const convict_tensor& tensor, uint64_t key, const Values& values) {
  if (tensor.dtype == CONVICT_F32)
    fill_dimension(tensor, 0, static_cast<float*>(tensor.data), key, values);
  else
    fill_dimension(tensor, 0, static_cast<double*>(tensor.data), key, values);
}

}  // namespace

int64_t exact_range(const Case& c, const convict_problem& p) {
  const bool narrow = c.src_type == CONVICT_F32 || c.wei_type == CONVICT_F32 || c.dst_type == CONVICT_F32;
  const double largest = narrow ? 0x1p24 : 0x1p53;  // consecutive integers end here
  const double terms = static_cast<double>(most_terms(p)), bias_terms = static_cast<double>(diff_bias_terms(p));
  for (const double range : {16, 4, 1})
    if (range * range * terms + range <= largest && range * bias_terms <= largest) return static_cast<int64_t>(range);
  return 0;
}

void fill_inputs(const Case& c, const convict_problem& p, const convict_tensors& tensors) {
  const int64_t range = c.fill == Fill::kInt ? exact_range(c, p) : 0;
  for (size_t i = 0; i < kRoles.size(); ++i) {
    const convict_tensor& tensor = tensors.*kRoles[i].tensor;
    if (tensor.ndim == 0 || kRoles[i].is_output[p.pass]) continue;
    const uint64_t key = mix(c.seed + kGoldenGamma * (i + 1));
    if (range > 0)
      fill_tensor(tensor, key, Integers{static_cast<uint64_t>(2 * range + 1), range});
    else if (c.fill == Fill::kWide)
      fill_tensor(tensor, key, WideNormals{});
    else
      fill_tensor(tensor, key, Normals{});
  }
}

}  // namespace convict
