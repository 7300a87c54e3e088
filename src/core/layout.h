// SPDX-License-Identifier: Apache-2.0
//
// Names of data types and layouts, and the tensor descriptions (dimensions and strides, no data) of a case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

std::string_view type_name(convict_dtype type);
size_t type_size(convict_dtype type);
double smallest_subnormal(convict_dtype type);  // of a floating-point type; 1 for integers

/// The type of the bias: that of dst, but f32 beside 8 bits.
convict_dtype bias_type(convict_dtype dst);

/// "nchw", "nhwc", for rank 1 "ncw", for rank 3 "ncdhw"...
std::string layout_name(ActivationLayout layout, int rank);
std::string layout_name(WeightLayout layout, int rank);

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
