// SPDX-License-Identifier: Apache-2.0
//
// The tensor descriptions of a case: dimensions and strides, no data.
#pragma once

#include <cstdint>

#include "core/case.h"

namespace convict::inline core {

/// Every tensor the pass of `c` uses, laid out as the case says, densely or, for views, with the strides of a larger
/// buffer; data is NULL, and unused tensors are empty. Precondition: `p` is resolve(c).
convict_tensors describe_tensors(const Case& c, const convict_problem& p);

/// Whether the image (X of the trilinear form) is an input so large that nobody may walk over all of it: it lives in
/// pages that are not touched unless they are read.
bool has_huge_image(const convict_problem& p, const convict_tensors& tensors);

/// Bytes that examining a problem with these tensors takes in this program: the tensors, and what the reference keeps;
/// of a huge image, a page for each product.
double examination_bytes(const convict_tensors& described, const convict_problem& p);

int64_t element_count(const convict_tensor& tensor);

/// Elements from the begin of the tensor's buffer to its last element: element_count() where there are no gaps.
int64_t buffer_count(const convict_tensor& tensor);

/// Whether the buffer has elements that the tensor does not.
bool has_gaps(const convict_tensor& tensor);

}  // namespace convict::inline core
