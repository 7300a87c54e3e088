// SPDX-License-Identifier: Apache-2.0
//
// The elements of a tensor in runs: where no coordinates are wanted, most tensors are one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/convict.h"

namespace convict::inline core {

namespace detail_of_runs {

template <class T, class Visit>
void walk_runs(const int64_t* extent, const int64_t* stride, int dims, T* data, const Visit& visit) {
  if (dims == 1) return visit(data, *stride, *extent);
  for (int64_t i = 0; i < *extent; ++i) walk_runs(extent + 1, stride + 1, dims - 1, data + i * *stride, visit);
}

}  // namespace detail_of_runs

/// Calls visit(first, stride, count) for runs of elements, of type T, that are equally far apart, in logical row-major
/// order. They are as long as the strides allow: a dense tensor is one run. No run is empty.
template <class T, class Visit>
void for_each_run(const convict_tensor& tensor, const Visit& visit) {
  int64_t extent[CONVICT_MAX_DIMS] = {1}, stride[CONVICT_MAX_DIMS] = {1};
  int dims = 0;
  for (int dim = 0; dim < tensor.ndim; ++dim) {
    const int64_t count = tensor.dims[dim], step = tensor.strides[dim];
    if (count == 0) return;
    if (count == 1) continue;
    if (dims > 0 && stride[dims - 1] == count * step) {  // behind each other
      extent[dims - 1] *= count;
      stride[dims - 1] = step;
    } else {
      extent[dims] = count;
      stride[dims++] = step;
    }
  }
  auto* const data = static_cast<T*>(tensor.data);
  if (tensor.ndim > 0) detail_of_runs::walk_runs(extent, stride, std::max(dims, 1), data, visit);
}

}  // namespace convict::inline core
