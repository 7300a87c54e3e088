// SPDX-License-Identifier: Apache-2.0
//
// Which data a fault needs that most data do not show: a condition on one number of the values, such as "8 or more
// weights in a row are zero".
#pragma once

#include <functional>
#include <optional>

#include "core/case.h"
#include "store/explanation.h"

namespace convict::diagnose {

struct Data {
  Fill fill;
  uint64_t seed;
};

/// A case passes only if it passes with all of these data: zeros or equal numbers may hide a fault.
inline constexpr Data kTellingData[] = {{Fill::kComb, 1}, {Fill::kInt, 2}};

Case with(Case c, const Data& data);

/// Asks about a failing case with kTellingData, and with the data of other seeds of its fill. The condition on one of
/// fill::data_numbers() that tells those that fail from those that pass. Nothing if no number does, or too few of
/// either were seen. `fails`: nullopt if the case is refused; `go_on` is asked before each run.
std::optional<store::DataEvidence> data_condition(const Case& c,
                                                  const std::function<std::optional<bool>(const Case&)>& fails,
                                                  const std::function<bool()>& go_on);

}  // namespace convict::diagnose
