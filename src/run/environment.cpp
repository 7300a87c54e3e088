// SPDX-License-Identifier: Apache-2.0
#include "run/environment.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "run/proc.h"
#include "run/process_state.h"
#include "run/worker_process.h"

namespace convict::run {
namespace {

// Static, because a handler of fork() gets no argument.
volatile bool is_forked_copy = false, forks_own = false;

void on_forked() {
  if (forks_own) return;
  is_forked_copy = true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// A descriptor by what it stands for: dup2() may put another pipe in its place.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Identity&) const = default;
};

Identity identity_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

/// What is watched, as it was before the first library was loaded.
struct Watched {
  ProcessState state;
  Identity commands = identity_of(kCommandFd), results = identity_of(kResultFd);
  std::set<int> descriptors = open_descriptors();
  size_t shared_mappings = count_shared_mappings();
};

std::optional<Watched>& watched() {
  static std::optional<Watched> one;  // one for the process
  return one;
}

[[noreturn]] void end(FlightRecord& record, Unfit why) {
  record.unfit = static_cast<int32_t>(why);
  _exit(1);
}

}  // namespace

void give_way() {
  constexpr int kBehindOthers = 10;  // more of the nice value: a tenth of the time of what has not given way
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kBehindOthers);  // at most 19, as the system has it
  if (watched()) watched()->state.note_priority();
}

void watch_process() {
  pthread_atfork(nullptr, nullptr, on_forked);
  watched().emplace();
}

pid_t fork_own() {
  forks_own = true;
  const pid_t child = fork();
  forks_own = false;
  return child;
}

void watch_forked_process() {
  watched()->commands = identity_of(kCommandFd);
  watched()->results = identity_of(kResultFd);
}

std::string newly_opened() {
  if (!std::ranges::includes(watched()->descriptors, open_descriptors()))
    return "a library keeps files open when it is loaded";
  return count_shared_mappings() > watched()->shared_mappings ? "a library shares memory when it is loaded" : "";
}

void end_copied_process() {
  if (is_forked_copy) _exit(0);
}

std::string mend_process(FlightRecord& record, Care care) {
  end_copied_process();
  if (!watched()) return "";
  Watched& before = *watched();
  const bool all = care == Care::kAll;
  if (all && (identity_of(kCommandFd) != before.commands || identity_of(kResultFd) != before.results))
    end(record, Unfit::kDescriptorClosed);
  const ProcessState::Changed changed = before.state.restore(/*in_memory=*/!all);
  if (!changed.mended) {
    std::fprintf(stderr, "changed %s, and it cannot be put back\n", changed.what.c_str());
    end(record, Unfit::kNotMended);
  }
  return changed.what;
}

uint64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  unsigned long long total = 0, resident = 0;
  if (std::fscanf(file, "%llu %llu", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace convict::run
