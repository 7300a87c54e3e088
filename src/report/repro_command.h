// SPDX-License-Identifier: Apache-2.0
//
// The command that shows a mismatch again: `convict repro [--plugin FILE] [--target|--oracle SUSPECT] 'CASE'`, with
// --after and --times for what needs earlier calls, --memory and --timeout for what exceeds another limit than the
// default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/store.h"

namespace convict::report {

/// A value of --memory: "200M". Precondition: whole kilobytes, as the flag has them.
std::string memory_flag(int64_t bytes);

/// Quoted for a shell, whatever the texts contain. `plugins`: those that the campaign or the command has loaded.
std::string repro_command(const Mismatch& mismatch, const std::vector<std::string>& plugins);

/// For a row: with its shrunk case if there is one.
std::string repro_command(const store::MismatchRow& row, const std::vector<std::string>& plugins);

}  // namespace convict::report
