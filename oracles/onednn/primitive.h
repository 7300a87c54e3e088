// SPDX-License-Identifier: Apache-2.0
//
// A problem in the library's terms, for its versions 2.x and 3.x.
#pragma once

#include <array>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"
#include "oracles/onednn/operands.h"

namespace convict::onednn {

/// The spatial parameters in oneDNN's terms.
struct Geometry {
  using Array = std::array<int64_t, CONVICT_MAX_RANK>;
  Array strides{}, dilates{}, padding_l{}, padding_r{};
};

/// oneDNN has no output padding. Its deconvolution has `dst = (src - 1) * stride - l - r + window`, so a smaller,
/// possibly negative, padding at the end gives the same dst.
Geometry geometry_of(const convict_problem& p);

/// Makes the library's descriptor of the primitive on operands as `wanted`, with its choice of implementation. Returns
/// a status instead of throwing, because campaigns have many refusals.
dnnl_status_t describe_primitive(const convict_problem& p, const Operands& o, const dnnl::primitive_attr& attr,
                                 dnnl::primitive_desc_base* result);

}  // namespace convict::onednn
