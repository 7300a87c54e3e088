// SPDX-License-Identifier: Apache-2.0
//
// The tensor descriptions of a case: dimensions and strides, no data.
#pragma once

#include <cstdint>

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

}  // namespace convict::inline core
