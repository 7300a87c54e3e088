// SPDX-License-Identifier: Apache-2.0
#include "run/process_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string_view>

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

}  // namespace convict::run
