// SPDX-License-Identifier: Apache-2.0
//
// Walks an untrusted directory tree: with limits, and never outside of the tree.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "imports/shared/collector.h"

namespace convict::imports {

/// Calls visit(directory, name) for `root` and then every directory below it, in the order of names; `name` is the path
/// from the root. Does not follow symbolic links to directories and reads nothing below kDeepestTree: adds both to
/// `found` as refused. Throws UsageError if `root` is no directory or holds more than kMostEntries files.
inline constexpr int kDeepestTree = 32;
inline constexpr size_t kMostEntries = 200'000;
void walk_tree(const std::filesystem::path& root, Collector& found,
               const std::function<void(const std::filesystem::path&, const std::string&)>& visit);

/// Whether `file` is a regular file and lies below `root` after links are resolved. Precondition: `root` is canonical.
bool is_file_within(const std::filesystem::path& root, const std::filesystem::path& file);

}  // namespace convict::imports
