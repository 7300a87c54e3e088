// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace convict::imports {
namespace {

namespace fs = std::filesystem;

/// The subdirectories, sorted. Links and directories that cannot be read go into `found`.
std::vector<fs::path> children(const fs::path& directory, const std::string& name, size_t& entries, Collector& found) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (++entries > kMostEntries)
      throw UsageError(fmt::format("more than {} files; import parts of it", with_commas(kMostEntries)));
    std::error_code ignored;
    const bool link = entry->is_symlink(ignored);
    if (!link && entry->is_directory(ignored)) result.push_back(entry->path());
    if (link && (entry->is_directory(ignored) || ignored))
      found.refuse(name, entry->path().filename().string(), "symbolic link: not followed");
  }
  if (error) found.refuse(name, name, fmt::format("unreadable directory: {}", error.message()));
  std::ranges::sort(result);
  return result;
}

}  // namespace

void walk_tree(const fs::path& root, Collector& found,
               const std::function<void(const fs::path&, const std::string&)>& visit) {
  struct OpenFolder {
    fs::path directory;
    std::string name;
    int depth;
  };
  std::vector<OpenFolder> open = {{root, "", 0}};
  size_t entries = 0;
  while (!open.empty()) {
    const OpenFolder place = std::move(open.back());
    open.pop_back();
    if (place.depth > kDeepestTree) {
      found.refuse(place.name, place.name, fmt::format("nested more than {} deep", kDeepestTree));
      continue;
    }
    visit(place.directory, place.name);
    std::vector<fs::path> next = children(place.directory, place.name, entries, found);
    for (auto child = next.rbegin(); child != next.rend(); ++child) {
      const std::string leaf = child->filename().string();
      open.push_back({*child, place.name.empty() ? leaf : place.name + "/" + leaf, place.depth + 1});
    }
  }
}

bool is_file_within(const fs::path& root, const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  if (error || !fs::is_regular_file(target, error)) return false;
  const fs::path inside = target.lexically_relative(root);
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace convict::imports
