// SPDX-License-Identifier: Apache-2.0
//
// The sum of one element, written out, so that a reader can check it with pencil and paper.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::certificate {

/// "2 * 3 + 1 * -1 = 5": the terms of an element of the output `role` at the logical coordinates `at`, drawn from the
/// case again. Terms of zero are left out; "0" if there is no other. Sums of integers are without scale, bias and old
/// contents, and without the zero point of dst. Empty if more than `most` terms are left, the case has no such
/// element, or its operands take too much memory. Precondition: the case is legal.
std::string by_hand(const Case& c, std::string_view role, std::span<const int64_t> at, size_t most);

}  // namespace convict::certificate
