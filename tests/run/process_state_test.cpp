// SPDX-License-Identifier: Apache-2.0
#include "run/environment.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convict {
namespace {
namespace fs = std::filesystem;

struct Change {
  const char* what;
  std::function<void()> make;
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.what; }

class ProcessStateTest : public testing::TestWithParam<Change> {};

TEST_P(ProcessStateTest, IsNamedAndPutBack) {
  run::ProcessState before;
  EXPECT_EQ(before.restore().what, "");
  GetParam().make();
  const run::ProcessState::Changed changed = before.restore();
  EXPECT_EQ(changed.what, GetParam().what);
  EXPECT_TRUE(changed.mended);
  EXPECT_EQ(before.restore().what, "");
}

TEST_P(ProcessStateTest, IsNoticedInMemoryIfItIsThere) {
  run::ProcessState before;
  GetParam().make();
  const std::string what = GetParam().what;
  const bool there = what.starts_with("the locale") || what == "environment variables";
  EXPECT_EQ(before.restore(/*in_memory=*/true).what, there ? what : "");
  before.restore();
}

void pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

bool can_pin() {
  cpu_set_t all;
  return sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1;
}

std::vector<Change> changes() {
  std::vector<Change> all = {
      {"the locale", [] { setlocale(LC_ALL, "C.UTF-8"); }},
      {"the locale of its thread", [] { uselocale(newlocale(LC_ALL_MASK, "C", nullptr)); }},
      {"the working directory", [] { ASSERT_EQ(chdir(fs::current_path() == "/" ? "/tmp" : "/"), 0); }},
      {"the umask", [] { umask(0741); }},
      {"environment variables", [] { setenv("CONVICT_OF_A_TEST", "1", 1); }},
      {"environment variables", [] { clearenv(); }},
      {"the signal mask",
       [] {
         sigset_t mask;
         sigemptyset(&mask);
         sigaddset(&mask, SIGUSR1);
         pthread_sigmask(SIG_BLOCK, &mask, nullptr);
       }},
      {"resource limits",
       [] {
         rlimit limit{};
         getrlimit(RLIMIT_NOFILE, &limit);
         --limit.rlim_cur;  // allowed whatever the hard limit is
         setrlimit(RLIMIT_NOFILE, &limit);
       }},
      {"an interval timer",
       [] {
         const itimerval later{{0, 0}, {3600, 0}};
         setitimer(ITIMER_REAL, &later, nullptr);
       }},
  };
  if (can_pin()) all.push_back({"on which CPUs it may run", pin});
  if (geteuid() == 0)  // who may not lower the number again cannot test that
    all.push_back({"its priority", [] { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1); }});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, ProcessStateTest, testing::ValuesIn(changes()),
                         [](const auto& info) { return "change_" + std::to_string(info.index); });

}  // namespace
}  // namespace convict
