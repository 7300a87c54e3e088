// SPDX-License-Identifier: Apache-2.0
//
// Many tests share a process. One that leaves the working directory, the locale or a limit changed fails, so that it is
// not another one that fails, in another number of shards.
#include <gtest/gtest.h>

#include "run/environment.h"

namespace convict {
namespace {

class NoTraces : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    const std::string changed = before_.restore().what;
    EXPECT_EQ(changed, "") << "this test left it changed";
  }
  run::ProcessState before_;
};

const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new NoTraces);
  return true;
}();

}  // namespace
}  // namespace convict
