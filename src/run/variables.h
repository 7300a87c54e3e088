// SPDX-License-Identifier: Apache-2.0
//
// The environment variables of this process, and how they are put back exactly: in their order, with names that occur
// twice and entries that setenv() cannot make. A shell or a batch scheduler may hand on any of these.
#pragma once

#include <string>
#include <vector>

namespace convict::run {

class Variables {
 public:
  Variables();   // of now
  ~Variables();  // leaves `environ` to the C library
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  bool are_as_before() const;
  void put_back();

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> shown_;  // the same, in memory that all code may write to
  std::vector<char*> table_;        // of shown_, for `environ`
};

}  // namespace convict::run
