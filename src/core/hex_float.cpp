// SPDX-License-Identifier: Apache-2.0
#include "core/hex_float.h"

#include <cmath>
#include <cstdio>

namespace convict::inline core {

// Not {:a} of fmt: since version 10 its zero is 0x0p-1022.
std::string hex_float(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];  // the longest is -0x1.fffffffffffffp+1023
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

}  // namespace convict::inline core
