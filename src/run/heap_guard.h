// SPDX-License-Identifier: Apache-2.0
//
// Allocators that notice who writes beyond a heap buffer. They are libraries of the distribution, preloaded into a
// worker that repeats a suspicion; decision 39 compares them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convict::run {

struct HeapGuard {
  std::string_view name;              // of --heap-guard
  std::string_view library, package;  // its file, and the Debian package that has it
  int signal;                         // by which it ends the process that has done damage
  std::string_view gives_up;          // what it says if it cannot go on itself; empty: nothing
  std::map<std::string, std::string> environment;
};

/// All of them, the one that notices most first.
std::span<const HeapGuard> heap_guards();

/// Their names.
std::vector<std::string> heap_guard_names();

/// The file of its library; empty if it is not installed.
std::string file_of(const HeapGuard& guard);

/// The environment of a process that is to have it. Throws UsageError if it is not known, or not installed.
std::map<std::string, std::string> guarded_environment(std::string_view name);

}  // namespace convict::run
