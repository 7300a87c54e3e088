// SPDX-License-Identifier: Apache-2.0
#include "run/subject.h"

#include "core/text.h"
#include "run/plugin_check.h"

namespace convict::run {

std::vector<Subject> subjects_of(const convict_plugin* plugin, const std::string& shown) {
  constexpr size_t kLongestVersion = 200;  // bytes
  check_plugin(plugin, shown);
  const std::string version = plugin->version ? printable(plugin->version, kLongestVersion) : "";
  std::vector<Subject> subjects;
  for (size_t i = 0; i < plugin->count; ++i) {
    const convict_implementation* one = plugin->implementations[i];
    subjects.push_back({one, false, version, one->name, "", /*is_foreign=*/true});
  }
  return subjects;
}

}  // namespace convict::run
