// SPDX-License-Identifier: Apache-2.0
//
// How much of a check runs: a small part of it before each commit, all of it with CONVICT_THOROUGH, which `make test-all`
// sets.
#pragma once

#include <cstdlib>

namespace convict::test {

template <class Number>
Number thorough(Number few, Number all) {
  return std::getenv("CONVICT_THOROUGH") ? all : few;
}

}  // namespace convict::test
