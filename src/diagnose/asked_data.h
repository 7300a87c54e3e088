// SPDX-License-Identifier: Apache-2.0
//
// With which data the neighbours of a failing case are asked whether they fail.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/case.h"
#include "diagnose/data_condition.h"

namespace convict::diagnose {

constexpr size_t kFewData = 4;  // are asked where all of them show the fault

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
