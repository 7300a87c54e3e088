// SPDX-License-Identifier: Apache-2.0
#include "run/heap_guard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/text.h"

namespace convict::run {
namespace {

constexpr std::string_view kDirectories[] = {"/usr/lib", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu",
                                             "/usr/lib/aarch64-linux-gnu", "/usr/lib64"};

}  // namespace

std::span<const HeapGuard> heap_guards() {
  // Electric Fence ends each buffer at a page without access; its own defaults refuse malloc(0) and print a banner. A
  // process may have some ten thousand such buffers: the next one ends it, by a signal as well.
  // glibc's looks at the byte behind a buffer when that is freed.
  static const HeapGuard kGuards[] = {
      {"electric-fence",
       "libefence.so.0",
       "electric-fence",
       SIGSEGV,
       "ElectricFence Exiting",
       {{"EF_ALLOW_MALLOC_0", "1"}, {"EF_DISABLE_BANNER", "1"}}},
      {"glibc", "libc_malloc_debug.so.0", "libc6", SIGABRT, "", {{"GLIBC_TUNABLES", "glibc.malloc.check=3"}}}};
  return kGuards;
}

std::vector<std::string> heap_guard_names() {
  std::vector<std::string> names;
  for (const HeapGuard& guard : heap_guards()) names.emplace_back(guard.name);
  return names;
}

std::string file_of(const HeapGuard& guard) {
  for (const std::string_view directory : kDirectories) {
    std::string file = fmt::format("{}/{}", directory, guard.library);
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
  }
  return "";
}

std::map<std::string, std::string> guarded_environment(std::string_view name) {
  const auto guards = heap_guards();
  const auto guard = std::ranges::find(guards, name, &HeapGuard::name);
  if (guard == guards.end())
    throw UsageError(
        fmt::format("--heap-guard: '{}' is unknown; valid: {}", printable(name), fmt::join(heap_guard_names(), ", ")));
  const std::string file = file_of(*guard);
  if (file.empty())
    throw UsageError(fmt::format("--heap-guard {}: {} is not installed; it is in the package {}", name, guard->library,
                                 guard->package));
  std::map<std::string, std::string> environment = guard->environment;
  environment["LD_PRELOAD"] = file;
  return environment;
}

}  // namespace convict::run
