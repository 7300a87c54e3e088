// SPDX-License-Identifier: Apache-2.0
#include "run/environment.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

#include "run/proc.h"
#include "run/worker_process.h"

extern char** environ;

namespace convict::run {
namespace {

constexpr std::array kTimers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

std::string locale_now() { return std::setlocale(LC_ALL, nullptr); }

std::string directory_now() {
  std::array<char, PATH_MAX> path;
  return getcwd(path.data(), path.size()) ? path.data() : "";
}

/// Linux shows it without a change in /proc only, which costs more than to set it twice.
mode_t umask_now() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

sigset_t signals_now() {
  sigset_t mask{};  // of which the kernel, and sigemptyset(), sets a part
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

bool equal(const sigset_t& a, const sigset_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

rlimit limit_now(int resource) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return limit;
}

bool equal(const rlimit& a, const rlimit& b) { return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max; }

/// The nice value. -1 is one of them, so that an error shows in errno alone; there is none to expect.
int priority_now() { return getpriority(PRIO_PROCESS, 0); }

cpu_set_t affinity_now() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

bool timer_runs(int timer) {
  itimerval value{};
  getitimer(static_cast<__itimer_which>(timer), &value);
  return value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0;
}

bool stop_timer(int timer) {
  const itimerval none{};
  return setitimer(static_cast<__itimer_which>(timer), &none, nullptr) == 0;
}

void note(ProcessState::Changed& changed, std::string_view what, bool mended) {
  if (!changed.what.empty()) changed.what += ", ";
  changed.what += what;
  changed.mended &= mended;
}

#if defined(__x86_64__)
FloatingPointState state() {
  FloatingPointState now;
  asm volatile("fnstenv %0\n\tfldcw %0" : "=m"(now.x87));  // FNSTENV masks exceptions, the control word unmasks them
  now.mxcsr = __builtin_ia32_stmxcsr();
  return now;
}

/// What differs, apart from exception flags. Bits as in Intel's Software Developer's Manual, volume 1, 8.1 and 10.2.3.
std::string_view difference(const FloatingPointState& before, const FloatingPointState& now) {
  constexpr unsigned kRounding = 0x6000, kFlushing = 0x8040, kMasks = 0x1f80;  // of MXCSR; flushing: FTZ and DAZ
  constexpr unsigned kX87Rounding = 0x0c00, kX87Others = 0x033f;               // of its control word; precision, masks
  constexpr unsigned kTop = 0x3800;                                            // of its status word
  const unsigned sse = before.mxcsr ^ now.mxcsr;
  const unsigned x87 = static_cast<unsigned>(before.x87.control ^ now.x87.control);
  const unsigned status = static_cast<unsigned>(before.x87.status ^ now.x87.status);
  if ((sse & kRounding) || (x87 & kX87Rounding)) return "the rounding mode";
  if (sse & kFlushing) return "whether subnormals are flushed to zero";
  if (before.x87.tags != now.x87.tags || (status & kTop))
    return "values on the x87 register stack, as MMX code without EMMS does";
  if ((sse & kMasks) || (x87 & kX87Others)) return "which exceptions trap, or the precision of the x87 unit";
  return {};
}

/// The direction of string instructions, which the ABI wants forward.
bool string_instructions_run_backward() {
  constexpr unsigned long long kDirection = 0x400;
  return (__builtin_ia32_readeflags_u64() & kDirection) != 0;
}
#endif

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

ProcessState::ProcessState()
    : locale_(locale_now()),
      directory_(directory_now()),
      umask_(umask_now()),
      signals_(signals_now()),
      priority_(priority_now()),
      affinity_(affinity_now()) {
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) limits_[resource] = limit_now(resource);
}

void ProcessState::note_priority() { priority_ = priority_now(); }

ProcessState::Changed ProcessState::restore(bool in_memory) {
  Changed changed;
  restore_memory(changed);
  if (!in_memory) restore_system(changed);
  return changed;
}

void ProcessState::restore_memory(Changed& changed) {
  if (std::string_view(std::setlocale(LC_ALL, nullptr)) != locale_)
    note(changed, "the locale", std::setlocale(LC_ALL, locale_.c_str()) != nullptr);
  if (uselocale(nullptr) != LC_GLOBAL_LOCALE)
    note(changed, "the locale of its thread", uselocale(LC_GLOBAL_LOCALE) != nullptr);
  if (variables_.are_as_before()) return;
  variables_.put_back();
  note(changed, "environment variables", true);
}

void ProcessState::restore_system(Changed& changed) const {
  if (directory_now() != directory_) note(changed, "the working directory", chdir(directory_.c_str()) == 0);
  if (const mode_t mask = umask(umask_); mask != umask_) note(changed, "the umask", true);
  if (!equal(signals_now(), signals_))
    note(changed, "the signal mask", pthread_sigmask(SIG_SETMASK, &signals_, nullptr) == 0);
  bool limits_differ = false, limits_mended = true;
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    if (equal(limit_now(resource), limits_[resource])) continue;
    limits_differ = true;
    limits_mended &= setrlimit(static_cast<__rlimit_resource>(resource), &limits_[resource]) == 0;
  }
  if (limits_differ) note(changed, "resource limits", limits_mended);
  if (priority_now() != priority_) note(changed, "its priority", setpriority(PRIO_PROCESS, 0, priority_) == 0);
  if (const cpu_set_t now = affinity_now(); !CPU_EQUAL(&now, &affinity_))
    note(changed, "on which CPUs it may run", sched_setaffinity(0, sizeof affinity_, &affinity_) == 0);
  for (const auto timer : kTimers)
    if (timer_runs(timer)) note(changed, "an interval timer", stop_timer(timer));
}

#if defined(__x86_64__)
FloatingPoint::FloatingPoint() : before_(state()) {}

std::string_view FloatingPoint::restore() const {
  const bool backward = string_instructions_run_backward();
  if (backward) asm volatile("cld");  // before any code that copies
  const std::string_view changed = difference(before_, state());
  if (!changed.empty()) {
    asm volatile("fninit\n\tfldcw %0" : : "m"(before_.x87.control));  // an empty register stack, as we have it
    __builtin_ia32_ldmxcsr(before_.mxcsr);
  }
  return backward ? "the direction flag" : changed;
}
#else
FloatingPoint::FloatingPoint() { std::fegetenv(&before_); }

std::string_view FloatingPoint::restore() const {
  if (std::fegetround() == FE_TONEAREST) return {};  // we never leave it
  std::fesetenv(&before_);
  return "the rounding mode";
}
#endif

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
