// SPDX-License-Identifier: Apache-2.0
//
// What names stand for. A plugin of several implementations and, where they are installed, the oracle modules.
#include "run/loader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "core/implementation.h"

namespace convict {
namespace {

using Names = std::vector<std::string>;

Names roster(const run::RosterRequest& request) {
  Names names;
  for (const run::Subject& subject : run::load_roster(request, native_kernels()).subjects)
    names.emplace_back(subject.implementation->name);
  return names;
}

Names oracles(const std::string& name) { return roster({{"direct"}, {name}, {}, true}); }

bool installed(const std::string& module) {
  const Names all = run::installed_modules();
  return std::ranges::find(all, module) != all.end();
}

TEST(Loader, ANameIsOneImplementationIfThereIsOne) {
  if (!installed("onednn")) GTEST_SKIP() << "without oneDNN";
  EXPECT_EQ(oracles("onednn"), (Names{"direct", "onednn"}));
  EXPECT_EQ(oracles("onednn:any"), (Names{"direct", "onednn:any"}));
}

TEST(Loader, AStarIsAWholeModule) {
  if (!installed("onednn")) GTEST_SKIP() << "without oneDNN";
  EXPECT_EQ(oracles("onednn:*"),
            (Names{"direct", "onednn", "onednn:any", "onednn:channels_first", "onednn:channels_last"}));
  EXPECT_EQ(roster({{"direct"}, {"onednn:any", "onednn:*"}, {}, true}).size(), 5u);  // nobody twice
}

TEST(Loader, AModuleWithoutAnImplementationOfItsNameIsAllOfIt) {
  if (!installed("libtorch")) GTEST_SKIP() << "without LibTorch";
  EXPECT_EQ(oracles("libtorch"), (Names{"direct", "libtorch:native", "libtorch:onednn", "libtorch:qnnpack"}));
  EXPECT_EQ(oracles("libtorch:*"), oracles("libtorch"));
}

TEST(Loader, TheDefaultOraclesAreOneOfEachModule) {
  if (!installed("libtorch") || !installed("onednn")) GTEST_SKIP() << "without one of them";
  EXPECT_EQ(roster({{"direct"}, {}, {}, true}), (Names{"direct", "libtorch:native", "onednn"}));
}

TEST(Loader, UnknownNamesAreRefused) {
  for (const char* name : {"nobody", "nobody:*", ":*", "onednn:", "onednn:nobody", "direct:*x"})
    EXPECT_ANY_THROW(oracles(name)) << name;
}

}  // namespace
}  // namespace convict
