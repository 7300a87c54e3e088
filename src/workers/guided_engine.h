// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer as the source of cases. A separate program (src/fuzz/guided.cpp), which only clang can build, runs in place
// of the workers. It keeps the inputs worth mutating in a folder, its corpus.
#pragma once

#include <string>

namespace convict::workers {

/// The program to run in place of the usual workers: the one that CONVICT_GUIDED names in the environment, else the one
/// built or installed with this program. Throws UsageError that says how to get it.
std::string guided_program();

/// Creates the folder if it is missing. Throws UsageError if it is not writable.
void prepare_corpus(const std::string& folder);

}  // namespace convict::workers
