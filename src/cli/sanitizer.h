// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's compute-sanitizer, which sees what a kernel reads and writes outside of memory on a GPU.
#pragma once

#include <string>

#include "core/temporary_folder.h"
#include "run/loader.h"

namespace convict::cli {

/// Runs the clients of one run under it.
class Sanitizer {
 public:
  /// Puts it before the commands of all clients that the request names. Throws UsageError if it is not installed, or if
  /// there is no client.
  explicit Sanitizer(run::RosterRequest& request);

  struct MemoryReport {
    std::string text;  // lines
    bool has_errors = false;
  };
  MemoryReport report() const;  // of all processes that have run

 private:
  std::string around(const std::string& command) const;

  TemporaryFolder logs_{"sanitizer"};  // with a file for each process
};

}  // namespace convict::cli
