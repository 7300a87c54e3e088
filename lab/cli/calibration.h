// SPDX-License-Identifier: Apache-2.0
//
// `convict bench --calibrate`: from measured times to the file that `auto` reads (abi/calibration.h).
#pragma once

#include <string>
#include <vector>

#include "abi/calibration.h"
#include "lab/bench/result.h"

namespace convict::cli {

/// Layers to calibrate by, if the user names none: small ones of each kind that kernels differ in.
std::vector<std::string> calibrating_layers();

/// The kernels that `auto` chooses among.
std::vector<std::string> calibrated_kernels();

/// Factors that bring the estimates of `auto` near the times of each kernel, where it is not far behind the fastest.
/// `before`: those that the estimates of this process contain.
Calibration calibration_from(const bench::BenchResult& measured, const Calibration& before);

/// Replaces the file of this user, and says where it is. Throws UsageError if it cannot be written.
std::string keep(const Calibration& calibration);

}  // namespace convict::cli
