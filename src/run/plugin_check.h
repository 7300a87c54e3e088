// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "abi/convict.h"

namespace convict::run {

inline constexpr size_t kLongestName = 100;  // bytes, of an implementation; they are in every signature and table

/// What of a contract has a value that convict.h does not list; nothing if all is well.
std::string wrong_in(const convict_contract& contract);

/// Throws UsageError if this is not what convict.h asks of a plugin, as far as its tables show without running its
/// code. `shown` names the plugin in messages.
void check_plugin(const convict_plugin* plugin, const std::string& shown);

}  // namespace convict::run
