// SPDX-License-Identifier: Apache-2.0
#include "run/proc.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

namespace convict::run {
namespace {

namespace fs = std::filesystem;

/// Calls visit(path) for each entry; a folder that is gone has none.
template <class Visit>
void for_each_in(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    visit(entry->path());
}

/// Blocks of the files in memory that a process has open; one that it has open twice counts once.
uint64_t bytes_of_memory_files(const fs::path& process) {
  constexpr std::string_view kMemoryFile = "/memfd:";
  std::set<ino_t> seen;
  uint64_t bytes = 0;
  for_each_in(process / "fd", [&](const fs::path& descriptor) {
    std::error_code error;
    if (!fs::read_symlink(descriptor, error).native().starts_with(kMemoryFile)) return;
    struct stat status {};
    if (stat(descriptor.c_str(), &status) != 0 || !seen.insert(status.st_ino).second) return;
    bytes += static_cast<uint64_t>(status.st_blocks) * 512;
  });
  return bytes;
}

/// What the kernel says of a process, or a thread, behind its name: a letter for its state, then numbers. Empty if it
/// is gone.
std::string stat_of(const fs::path& folder) {
  std::ifstream stat(folder / "stat");
  std::string text;
  std::getline(stat, text);
  const size_t name_end = text.rfind(')');  // the name may hold any character
  return name_end != std::string::npos && name_end + 2 < text.size() ? text.substr(name_end + 2) : "";
}

/// Kills the members of a session that live; returns whether there was one.
bool kill_members(pid_t session) {
  bool found = false;
  for_each_in("/proc", [&](const fs::path& process) {
    const std::string name = process.filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) return;
    std::istringstream stat(stat_of(process));
    char state = 'Z';
    pid_t parent = 0, group = 0, its_session = 0;
    if (!(stat >> state >> parent >> group >> its_session) || its_session != session || state == 'Z') return;
    found |= kill(std::stoi(name), SIGKILL) == 0;
  });
  return found;
}

}  // namespace

// The descriptor that reads the folder has the lowest free number, so that it is one more only where others are.
std::set<int> open_descriptors() {
  std::set<int> all;
  for_each_in("/proc/self/fd", [&](const fs::path& descriptor) { all.insert(std::stoi(descriptor.filename())); });
  return all;
}

size_t count_shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string addresses, access, rest; maps >> addresses >> access && std::getline(maps, rest);)
    count += access.starts_with("rw") && access.ends_with('s') ? 1 : 0;
  return count;
}

bool has_memory_of_its_own() {
  std::ifstream maps("/proc/self/smaps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.starts_with("VmFlags:")) continue;
    line += ' ';  // each flag is two letters between blanks
    const auto has = [&](const char* flag) { return line.find(flag) != std::string::npos; };
    // The state of getrandom() of glibc 2.41 is droppable (Linux 6.11) and wiped in a copy, as the C library expects.
    if (!has(" dp ") && (has(" dc ") || has(" wf "))) return true;
  }
  return false;
}

std::set<pid_t> children_of_this_process() { return children_of(getpid()); }

std::set<pid_t> children_of(pid_t process) {
  std::set<pid_t> all;
  for_each_in("/proc/" + std::to_string(process) + "/task", [&](const fs::path& thread) {
    std::ifstream list(thread / "children");
    for (pid_t child = 0; list >> child;) all.insert(child);
  });
  return all;
}

uint64_t bytes_kept_by_all_of(pid_t process) {
  constexpr size_t kMostProcesses = 1000;  // who starts more is not weighed to the end
  std::vector<pid_t> all = {process};
  uint64_t bytes = 0;
  for (size_t i = 0; i < all.size() && i < kMostProcesses; ++i) {
    bytes += bytes_kept_by(all[i]);
    std::ranges::copy(children_of(all[i]), std::back_inserter(all));
  }
  return bytes;
}

uint64_t bytes_kept_by(pid_t process) {
  const fs::path folder = "/proc/" + std::to_string(process);
  std::ifstream statm(folder / "statm");
  uint64_t total = 0, resident = 0, shared = 0;  // pages; shared ones belong to files, those in memory among them
  if (!(statm >> total >> resident >> shared)) return 0;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t files = bytes_of_memory_files(folder);
  return resident * page + files - std::min(files, shared * page);
}

std::string thread_states(pid_t process) {
  std::string states;
  for_each_in("/proc/" + std::to_string(process) + "/task", [&](const fs::path& thread) {
    if (const std::string stat = stat_of(thread); !stat.empty()) states += stat.front();
  });
  return states;
}

int reaped(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void kill_session(pid_t session) {
  constexpr int kMostLooks = 100;  // at those that were started while we looked; one that is killed lives a moment
  for (int look = 0; look < kMostLooks && kill_members(session); ++look) {
  }
}

void end_children_but(const std::set<pid_t>& wanted) {
  for (bool found = true; found;) {  // the end of one may hand us its children
    found = false;
    for (const pid_t child : children_of_this_process()) {
      if (wanted.contains(child)) continue;
      found = true;
      kill(child, SIGKILL);
      reaped(child);
    }
  }
}

}  // namespace convict::run
