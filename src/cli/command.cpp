// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "core/error.h"
#include "core/text.h"

namespace convict::cli {

Failure failure_of(const std::exception& error) {
  if (dynamic_cast<const UsageError*>(&error)) return {error.what(), kUsage};
  if (dynamic_cast<const CannotJudge*>(&error)) return {error.what(), kCannotJudge};
  if (dynamic_cast<const SystemError*>(&error)) return {error.what(), kSystem};
  const std::string what = printable(error.what(), 1000);
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return {"the system refuses memory; allow more (ulimit -v, the limit of the container), or give less at once",
            kSystem};
  if (dynamic_cast<const std::system_error*>(&error)) return {fmt::format("the system refuses: {}", what), kSystem};
  return {fmt::format("internal error: {}. This is a bug in convict {}, not in what it examined. Please report it with "
                      "this line, your command and what `convict doctor` prints",
                      what, CONVICT_VERSION),
          kInternal};
}

}  // namespace convict::cli
