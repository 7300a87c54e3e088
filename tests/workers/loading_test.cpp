// SPDX-License-Identifier: Apache-2.0
//
// A library that never returns from loading ends its campaign once, with its name: the next worker would hang as well.
// So does one that writes into the pipe meanwhile.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/cli/plugin_events.h"
#include "workers/pool.h"

namespace convict::test {
namespace {

/// What the user is told; "" if a worker can load.
std::string trouble_of_loading(const workers::SupervisionSettings& settings) {
  workers::Pool pool;
  workers::Workers workers(pool, settings);
  const auto load = [&]() -> Task<void> {
    while (co_await workers.next()) {
    }
  };
  try {
    pool.finish(load());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Loading, WhatHangsIsNotLoadedAgain) {
  const PluginEvents events;
  workers::SupervisionSettings settings;
  settings.program = CONVICT_PROGRAM;
  settings.load_timeout = std::chrono::seconds(1);
  settings.worker.roster.plugins = {plugin("slow_to_load")};
  settings.worker.roster.targets = {"slow-to-load"};
  settings.worker.roster.oracles = {"none"};
  for (const std::string& variable : events.told_and_waiting()) {
    const size_t equals = variable.find('=');
    settings.worker.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  const std::string what = trouble_of_loading(settings);
  EXPECT_NE(what.find("a worker hung for 1 s while loading plugin"), std::string::npos) << what;
  EXPECT_NE(what.find("slow_to_load.so"), std::string::npos) << what;
}

TEST(Loading, WhatWritesIntoThePipeDidNotHang) {
  const TemporaryDirectory directory;
  workers::SupervisionSettings settings;
  settings.program = directory.file("worker");
  write_file(settings.program, "#!/bin/sh\necho nonsense >&4\nexec sleep 60\n");
  std::filesystem::permissions(settings.program, std::filesystem::perms::owner_all);
  const std::string what = trouble_of_loading(settings);
  EXPECT_NE(what.find("a worker wrote into the pipe"), std::string::npos) << what;
}

}  // namespace
}  // namespace convict::test
