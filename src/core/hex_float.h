// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace convict::inline core {

/// Every bit of a number, as printf's %a: "0x1.8p+1", "0x0p+0", "nan", "-inf". Python's float.fromhex reads all of
/// them.
std::string hex_float(double value);

}  // namespace convict::inline core
