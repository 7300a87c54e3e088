// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer as the source of cases: a program of its own (src/fuzz/guided.cpp), which only clang can build, takes the
// place of the workers, and keeps what it has found worth mutating in a folder, its corpus.
#pragma once

#include <string>

namespace convict::workers {

/// The program to run in place of the usual workers: the one that the environment names (CONVICT_GUIDED), else the one
/// that was built or installed with this program. Throws UsageError, saying how to come by it.
std::string guided_program();

/// Makes the folder if it is missing. Throws UsageError if nothing can be written there.
void prepare_corpus(const std::string& folder);

}  // namespace convict::workers
