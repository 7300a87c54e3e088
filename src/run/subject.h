// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/declarations.h"
#include "run/process_target.h"
#include "run/turns.h"

namespace convict::run {

/// A code path of an implementation (convict_abilities), as an implementation of its own.
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

  static const convict_implementation& itself(const CodePath& path) { return path.original_; }
  static const convict_steps& steps_of(const CodePath& path) { return *path.original_.steps; }
  static const convict_abilities& abilities_of(const CodePath& path) { return path.abilities_; }

  /// A function of the original's, called with this path named.
  template <auto kFunction, auto kOwner, class Result, class... Rest>
  static Result forward(const convict_implementation* self, const convict_problem* p, Rest... rest) {
    const convict_problem with_path = of(self).named(*p);
    return (kOwner(of(self)).*kFunction)(&of(self).original_, &with_path, rest...);
  }
  static convict_status reshape(const convict_implementation* self, void* prepared, const convict_problem* p,
                                const convict_tensors* t, char* error, size_t error_size);

  const convict_implementation& original_;
  const convict_abilities abilities_;
  const std::string path_, name_;
  convict_steps steps_{};
};

/// One implementation in a campaign.
struct Subject {
  const convict_implementation* implementation = nullptr;
  bool is_target = false;
  std::string version = {};
  std::string name = {};    // as it was when it was loaded: the pointer above leads into memory of a library
  std::string plugin = {};  // what it came from (core/plugin_name.h); empty for a native kernel and for our modules
  bool is_foreign = false;  // it came from a file: a plugin or a module
  Turns turns = {};         // of an oracle that the user did not name
  convict_abilities abilities = {};
  Declarations declarations = {};
  std::vector<std::string> examples = {};  // lines of cases that it says it takes
  std::shared_ptr<const CodePath> code_path = {};     // that `implementation` is, of another one
  std::shared_ptr<ProcessTarget> process = {};  // its client computes; ends with the last subject
};

/// The implementations of a plugin in memory. `shown` names it in messages. Throws UsageError.
std::vector<Subject> subjects_of(const convict_plugin* plugin, const std::string& shown);

inline constexpr size_t kLongestName = 100;  // bytes, of an implementation's name; signatures and tables show it

/// The field of a contract with a value that convict.h does not list; empty if all are valid.
std::string wrong_in(const convict_contract& contract);

/// Throws UsageError if the abilities of an implementation break a rule of convict.h.
void check_abilities(const convict_abilities& abilities, const convict_implementation& one, const std::string& shown);

/// What an implementation declares of its transforms. Throws UsageError if that breaks a rule of convict.h.
Transforms checked_transforms(const convict_transforms& declared, const convict_implementation& one,
                              const std::string& shown);

/// Throws UsageError if these cannot be the points of the tiles of an implementation.
void check_points(std::span<const double> points, const convict_implementation& one, const std::string& shown);

/// Throws UsageError if an implementation cannot declare this matrix unit.
void check_matrix_unit(const MatrixUnit& declared, const convict_implementation& one, const std::string& shown);

/// Throws UsageError if the tables of the plugin break a rule of convict.h. Does not run its code. `shown` names the
/// plugin in messages.
void check_plugin(const convict_plugin* plugin, const std::string& shown);

/// Why an implementation with these abilities is not even asked about a problem; nullptr if it is.
inline const char* missing_ability(const convict_problem& p, const convict_abilities& abilities) {
  if (p.requantization != CONVICT_NO_REQUANTIZATION && !abilities.requantizes)
    return "it says nothing of requantization";
  return nullptr;
}

}  // namespace convict::run
