// SPDX-License-Identifier: Apache-2.0
#include "run/subject.h"

#include <fmt/format.h>

#include "core/text.h"
#include "run/plugin_check.h"

namespace convict::run {

CodePath::CodePath(const convict_implementation& original, const convict_abilities& abilities, const char* path)
    : convict_implementation(original),
      original_(original),
      abilities_(abilities),
      path_(path),
      name_(fmt::format("{}:{}", original.name, path)) {
  name = name_.c_str();
  unsupported = ask;
  run = call;
  plan = original.plan ? tell : nullptr;
  contract_for = original.contract_for ? promise : nullptr;
  if (!original.steps) return;
  steps_ = *original.steps;
  steps_.prepare = get_ready;
  steps = &steps_;
}

convict_abilities CodePath::abilities() const {
  convict_abilities mine = abilities_;
  mine.code_paths = nullptr;
  mine.workspace_size = abilities_.workspace_size ? measure : nullptr;
  mine.reshape = abilities_.reshape ? make_fit : nullptr;
  return mine;
}

convict_problem CodePath::named(const convict_problem& p) const {
  convict_problem with_path = p;
  with_path.code_path = path_.c_str();
  return with_path;
}

const char* CodePath::ask(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).original_.unsupported(&of(self).original_, &with_path, t);
}

convict_status CodePath::call(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).original_.run(&of(self).original_, &with_path, t, error, error_size);
}

const char* CodePath::tell(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).original_.plan(&of(self).original_, &with_path, t);
}

const convict_contract* CodePath::promise(const convict_implementation* self, const convict_problem* p,
                                          const convict_tensors* t) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).original_.contract_for(&of(self).original_, &with_path, t);
}

void* CodePath::get_ready(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).original_.steps->prepare(&of(self).original_, &with_path, t, error, error_size);
}

convict_status CodePath::make_fit(const convict_implementation* self, void* prepared, const convict_problem* p,
                                  const convict_tensors* t, char* error, size_t error_size) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).abilities_.reshape(&of(self).original_, prepared, &with_path, t, error, error_size);
}

size_t CodePath::measure(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).abilities_.workspace_size(&of(self).original_, &with_path, t);
}

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
