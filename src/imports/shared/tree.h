// SPDX-License-Identifier: Apache-2.0
//
// A walk over a directory tree that somebody else made: bounded, and never out of it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "imports/shared/collector.h"

namespace convict::imports {

/// Calls visit(directory, name) for every directory below `root`, itself first, in the order of names; `name` is its
/// path from the root. Symbolic links to directories are not followed, and nothing below kDeepestTree is read: both are
/// put into `found` as refused. Throws UsageError if `root` is no directory or holds more than kMostEntries files.
inline constexpr int kDeepestTree = 32;
inline constexpr size_t kMostEntries = 200'000;
void walk_tree(const std::filesystem::path& root, Collector& found,
               const std::function<void(const std::filesystem::path&, const std::string&)>& visit);

/// Whether the path is a regular file and, links followed, lies below `root`, which is canonical.
bool is_file_within(const std::filesystem::path& root, const std::filesystem::path& file);

}  // namespace convict::imports
