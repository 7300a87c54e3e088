// SPDX-License-Identifier: Apache-2.0
//
// Copies of tensors for libraries that take dense arrays in one order of dimensions only.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "abi/element.h"

namespace convict::shared {

/// The order of dimensions in a dense array, the outermost first: {0, 2, 3, 1} is NHWC.
using Order = std::initializer_list<int>;

/// The distance between neighbours in each logical dimension, in a dense array of this order.
inline std::array<int64_t, CONVICT_MAX_DIMS> dense_strides(const convict_tensor& tensor, Order order) {
  std::array<int64_t, CONVICT_MAX_DIMS> strides{};
  int64_t size = 1;
  for (const int* dim = order.end(); dim-- != order.begin(); size *= tensor.dims[*dim]) strides[*dim] = size;
  return strides;
}

/// Calls visit(element, place in the dense array) for each element of type T.
template <class T, class Visit>
void for_each_place(const convict_tensor& tensor, Order order, const Visit& visit) {
  const auto strides = dense_strides(tensor, order);
  for_each_element<T>(tensor, [&](T& element, const int64_t* at) {
    int64_t place = 0;
    for (int dim = 0; dim < tensor.ndim; ++dim) place += at[dim] * strides[dim];
    visit(element, static_cast<size_t>(place));
  });
}

/// The elements, of type T, in a dense array of this order with `spare` zeros behind them. Empty for an absent tensor.
template <class T>
std::vector<T> dense(const convict_tensor& tensor, Order order, size_t spare = 0) {
  int64_t count = tensor.ndim == 0 ? 0 : 1;
  for (int dim = 0; dim < tensor.ndim; ++dim) count *= tensor.dims[dim];
  std::vector<T> array(static_cast<size_t>(count) + spare);
  for_each_place<T>(tensor, order, [&](const T& element, size_t place) { array[place] = element; });
  return array;
}

/// The elements, of whatever type, as the bytes of a dense array in the order of the logical dimensions.
inline std::string dense_bytes(const convict_tensor& tensor) {
  std::string bytes;
  with_type(tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element<T>(tensor, [&](const T& element, const int64_t*) {
      bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
    });
  });
  return bytes;
}

/// The other way round.
inline void scatter_bytes(const void* bytes, const convict_tensor& tensor) {
  const auto* place = static_cast<const char*>(bytes);
  with_type(tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element<T>(tensor, [&](T& element, const int64_t*) {
      std::memcpy(static_cast<void*>(&element), place, sizeof element);
      place += sizeof element;
    });
  });
}

/// The way back from dense().
template <class T>
void scatter(const T* array, const convict_tensor& tensor, Order order) {
  for_each_place<T>(tensor, order, [&](T& element, size_t place) { element = array[place]; });
}

}  // namespace convict::shared
