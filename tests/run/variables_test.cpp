// SPDX-License-Identifier: Apache-2.0
#include "run/environment.h"

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
  VariablesTest() {
    for (std::string& one : entries_) table_.push_back(one.data());
    table_.push_back(nullptr);
    environ = table_.data();
  }
  /// Those of before, in a table of the C library's: setenv() may have freed the old one.
  ~VariablesTest() override {
    environ = nullptr;
    for (const std::string& one : outer_)
      if (const size_t equals = one.find('='); equals != std::string::npos)
        setenv(one.substr(0, equals).c_str(), one.c_str() + equals + 1, 1);
  }

  const std::vector<std::string> outer_ = now();
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
