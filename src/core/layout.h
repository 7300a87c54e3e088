// SPDX-License-Identifier: Apache-2.0
//
// The tensor descriptions of a case: dimensions and strides, no data; and their elements in runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/convict.h"
#include "core/case.h"

namespace convict::inline core {

/// Every tensor that the pass of `c` uses, in the layout of the case: dense, or for views with the strides of a larger
/// buffer. `data` is NULL; unused tensors are empty. Precondition: `p` is resolve(c).
convict_tensors describe_tensors(const Case& c, const convict_problem& p);

/// Whether the image (X of the trilinear form) is an input too large to walk over. Only the pages that are read get
/// memory.
bool has_huge_image(const convict_problem& p, const convict_tensors& tensors);

/// The memory that examining a problem takes, in bytes: the tensors, and what the reference keeps. A huge image counts
/// one page per product.
double examination_bytes(const convict_tensors& described, const convict_problem& p);

int64_t element_count(const convict_tensor& tensor);

/// Elements from the begin of the tensor's buffer to the tensor's last one. Equals element_count() without gaps.
int64_t buffer_count(const convict_tensor& tensor);

/// Whether the buffer has elements that are not the tensor's.
bool has_gaps(const convict_tensor& tensor);

/// Whether the elements lie one behind the other in the order of the dimensions, as PyTorch's is_contiguous() has it:
/// the stride of a dimension of extent 1 means nothing, and a tensor without elements is contiguous.
bool is_contiguous(const convict_tensor& tensor);

namespace detail_of_runs {

template <class T, class Visit>
void walk_runs(const int64_t* extent, const int64_t* stride, int dims, T* data, const Visit& visit) {
  if (dims == 1) return visit(data, *stride, *extent);
  for (int64_t i = 0; i < *extent; ++i) walk_runs(extent + 1, stride + 1, dims - 1, data + i * *stride, visit);
}

}  // namespace detail_of_runs

/// Calls visit(first, stride, count) for runs of elements, of type T, that are equally far apart, in logical row-major
/// order, where no coordinates are wanted. They are as long as the strides allow: a dense tensor is one run. No run is
/// empty.
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
