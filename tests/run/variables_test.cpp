// SPDX-License-Identifier: Apache-2.0
#include "run/variables.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

extern char** environ;

namespace convict {
namespace {

std::vector<std::string> now() {
  std::vector<std::string> all;
  for (char** one = environ; *one; ++one) all.emplace_back(*one);
  return all;
}

class VariablesTest : public testing::Test {
 protected:
  VariablesTest() : outer_(environ) {
    for (std::string& one : entries_) table_.push_back(one.data());
    table_.push_back(nullptr);
    environ = table_.data();
  }
  ~VariablesTest() override { environ = outer_; }

  char** outer_;
  std::vector<std::string> entries_ = {"TWICE=1", "ONCE=2", "TWICE=3", "no value", "=no name"};
  std::vector<char*> table_;
};

/// As a shell or a scheduler may hand them on: not as setenv() makes them.
TEST_F(VariablesTest, AreAsBeforeHoweverOftenTheyChange) {
  const std::vector<std::string> wanted = now();
  {
    run::Variables variables;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(variables.are_as_before());
      setenv("OMP_NUM_THREADS", "7", 1);
      setenv("ONCE", "changed", 1);
      EXPECT_FALSE(variables.are_as_before());
      variables.put_back();
      EXPECT_TRUE(variables.are_as_before());
      EXPECT_EQ(now(), wanted);
    }
    unsetenv("TWICE");
    getenv("ONCE")[0] = 'x';
    EXPECT_FALSE(variables.are_as_before());
    variables.put_back();
    EXPECT_EQ(now(), wanted);
    clearenv();
    EXPECT_FALSE(variables.are_as_before());
    variables.put_back();
    EXPECT_EQ(now(), wanted);
  }
  EXPECT_STREQ(getenv("ONCE"), "2");  // what it leaves behind is not its own memory
  clearenv();
}

}  // namespace
}  // namespace convict
