// SPDX-License-Identifier: Apache-2.0
#include "run/variables.h"

#include <unistd.h>

#include <cstdlib>

extern char** environ;

namespace convict::run {

Variables::Variables() {
  for (char** one = environ; one && *one; ++one) wanted_.emplace_back(*one);
}

Variables::~Variables() {
  if (environ != table_.data() || table_.empty()) return;
  environ = nullptr;
  for (const std::string& one : wanted_)
    if (const size_t equals = one.find('='); equals != std::string::npos)
      setenv(one.substr(0, equals).c_str(), one.c_str() + equals + 1, 1);
}

bool Variables::are_as_before() const {
  if (!environ) return wanted_.empty();
  size_t i = 0;
  for (; i < wanted_.size(); ++i)
    if (!environ[i] || wanted_[i] != environ[i]) return false;
  return !environ[i];
}

/// Whatever setenv() has changed in the table is written again. The strings are copied into the memory that they had,
/// because none is longer than before: pointers that a library has from getenv() stay good.
void Variables::put_back() {
  shown_ = wanted_;
  table_.clear();
  for (std::string& one : shown_) table_.push_back(one.data());
  table_.push_back(nullptr);
  environ = table_.data();
}

}  // namespace convict::run
