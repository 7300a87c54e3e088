// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "abi/calibration.h"
#include "core/text.h"

namespace convict::cli {

/// A line about a calibration file of this user that is ignored; empty if there is none.
inline std::string ignored_calibration() {
  const std::string complaint = read_calibration().complaint;
  if (complaint.empty()) return "";
  return fmt::format("'{}' is ignored: it {}; --calibrate writes it anew", printable(calibration_file().string(), 300),
                     complaint);
}

}  // namespace convict::cli
