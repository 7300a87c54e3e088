// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "abi/convict.h"
#include "core/declarations.h"

namespace convict::run {

inline constexpr size_t kLongestName = 100;  // bytes, of an implementation's name; signatures and tables show it

/// The field of a contract with a value that convict.h does not list; empty if all are valid.
std::string wrong_in(const convict_contract& contract);

/// Throws UsageError if the abilities of an implementation break a rule of convict.h.
void check_abilities(const convict_abilities& abilities, const convict_implementation& one, const std::string& shown);

/// What an implementation declares of its transforms. Throws UsageError if that breaks a rule of convict.h.
Transforms checked_transforms(const convict_transforms& declared, const convict_implementation& one,
                              const std::string& shown);

/// Throws UsageError if these cannot be the points of the tiles of an implementation.
void check_points(std::span<const double> points, const convict_implementation& one, const std::string& shown);

/// Throws UsageError if an implementation cannot declare this matrix unit.
void check_matrix_unit(const MatrixUnit& declared, const convict_implementation& one, const std::string& shown);

/// Throws UsageError if the tables of the plugin break a rule of convict.h. Does not run its code. `shown` names the
/// plugin in messages.
void check_plugin(const convict_plugin* plugin, const std::string& shown);

}  // namespace convict::run
