// SPDX-License-Identifier: Apache-2.0
//
// A code path of an implementation (convict_abilities), as an implementation of its own.
#pragma once

#include <string>

#include "abi/convict.h"

namespace convict::run {

/// `name:path`: asks and calls the original with this path named in every problem. Neither moves nor copies, for it is
/// its own `self`.
class CodePath : public convict_implementation {
 public:
  /// Precondition: `original` is checked, and lives as long as this.
  CodePath(const convict_implementation& original, const convict_abilities& abilities, const char* path);
  CodePath(const CodePath&) = delete;
  CodePath& operator=(const CodePath&) = delete;

  /// Those of the original, to be asked of this object.
  convict_abilities abilities() const;

 private:
  static const CodePath& of(const convict_implementation* self) { return *static_cast<const CodePath*>(self); }
  convict_problem named(const convict_problem& p) const;

  static const char* ask(const convict_implementation* self, const convict_problem* p, const convict_tensors* t);
  static convict_status call(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                             char* error, size_t error_size);
  static const char* tell(const convict_implementation* self, const convict_problem* p, const convict_tensors* t);
  static const convict_contract* promise(const convict_implementation* self, const convict_problem* p,
                                         const convict_tensors* t);
  static void* get_ready(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                         char* error, size_t error_size);
  static convict_status make_fit(const convict_implementation* self, void* prepared, const convict_problem* p,
                                 const convict_tensors* t, char* error, size_t error_size);
  static size_t measure(const convict_implementation* self, const convict_problem* p, const convict_tensors* t);

  const convict_implementation& original_;
  const convict_abilities abilities_;
  const std::string path_, name_;
  convict_steps steps_{};
};

}  // namespace convict::run
