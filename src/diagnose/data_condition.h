// SPDX-License-Identifier: Apache-2.0
//
// Which data a fault needs that most data do not show: a condition on one number of the values, such as "8 or more
// weights in a row are zero". And with which data the neighbours of a failing case are asked whether they fail.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/case.h"
#include "store/rows.h"

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

constexpr size_t kFewData = 4;  // are asked where all of them show the fault

/// With which data the neighbours of a failing case are asked.
struct AskedData {
  std::vector<Data> data;
  bool needs_fill = false;  // only data of the case's own fill show the fault
  int64_t images = 1;       // instead of each one: as many results that may show it

  /// Whether the case itself shows the fault with some of them only.
  bool by_luck() const { return data.size() > kFewData || images > 1; }

  /// What is asked instead of a neighbour with some of the data.
  Case of(const Case& neighbour, const Data& one) const;
};

/// A fault that not all data show, such as one of rounding halves, may hide in a neighbour by luck. So the more seldom
/// the case itself shows it, the more data are asked, and the more images of each, if it shows with any number of them.
/// `fails`: nullopt if the case is refused; `go_on` is asked before each run.
AskedData asked_data(const Case& failing, const std::function<std::optional<bool>(const Case&)>& fails,
                     const std::function<bool()>& go_on);

}  // namespace convict::diagnose
