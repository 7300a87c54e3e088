// SPDX-License-Identifier: Apache-2.0
//
// The tables of clients/: names, and what stands for what. That they are true is tests/clients/table_test.py's to say.
#include "run/named_clients.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "run/loader.h"

namespace convict::test {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<run::NamedClient>& clients) {
  Names names;
  for (const run::NamedClient& one : clients) names.push_back(one.name);
  return names;
}

TEST(NamedClients, HaveNamesOfTheirOwn) {
  const Names names = names_of(run::named_clients());
  const std::set<std::string> all(names.begin(), names.end());
  EXPECT_EQ(all.size(), names.size());
  for (const char* ours : {"mlir", "opencvjs", "tfjs"}) EXPECT_TRUE(all.contains(ours)) << ours;
  for (const std::string& module : run::installed_modules()) EXPECT_FALSE(all.contains(module)) << module;
}

TEST(NamedClients, OfOneFolderShareTheBeginOfNamesWithNobodyElse) {
  std::map<std::string, std::string> folders;  // by the begin of a name
  std::set<std::string> all;
  for (const run::NamedClient& client : run::named_clients()) {
    EXPECT_FALSE(client.implementations.empty()) << client.name;
    for (const auto& [name, description] : client.implementations) {
      EXPECT_TRUE(all.insert(name).second) << name;
      EXPECT_EQ(folders.emplace(name.substr(0, name.find(':')), client.folder).first->second, client.folder) << name;
      EXPECT_EQ(names_of(run::named_clients(name)), Names{client.name});
      EXPECT_NE(description, "");
    }
    EXPECT_EQ(client.command.find('{'), std::string::npos) << "a placeholder is left in " << client.command;
    EXPECT_EQ(client.version_command.find("{clients}"), std::string::npos);
  }
}

TEST(NamedClients, AreFoundByImplementationClientAndFolder) {
  EXPECT_EQ(names_of(run::named_clients("tfjs:cpu")), Names{"tfjs"});
  EXPECT_EQ(names_of(run::named_clients("tfjs")), Names{"tfjs"});
  EXPECT_EQ(names_of(run::named_clients("mlir:*")), Names{"mlir"});
  EXPECT_EQ(names_of(run::named_clients("opencvjs:*")), Names{"opencvjs"});
  EXPECT_EQ(names_of(run::named_clients("tfjs:cpu:*")), Names{"tfjs"});
  EXPECT_EQ(names_of(run::named_clients("js")), (Names{"opencvjs", "tfjs"}));
  for (const char* nobody : {"tfjs:", "tfjs:gpu", "tfj", "tfjs:cpu:", "", "direct", "shared", ":*"})
    EXPECT_EQ(names_of(run::named_clients(nobody)), Names()) << nobody;
}

TEST(NamedClients, OfSeveralProgramsAreMeantTogether) {
  const run::NamedClient one = {.name = "frame-b", .folder = "frame", .implementations = {{"frame:b", ""}, {"frame:b:x", ""}}};
  for (const char* all : {"frame", "frame:*", "frame-b", "frame-b:*", "frame:b:*"}) {
    EXPECT_TRUE(one.is_meant(all, "frame:b")) << all;
    EXPECT_TRUE(one.is_meant(all, "frame:b:x")) << all;
  }
  EXPECT_TRUE(one.is_meant("frame:b", "frame:b"));
  EXPECT_FALSE(one.is_meant("frame:b", "frame:b:x"));
  for (const char* other : {"frame:", "fram", "frame:bx", "frame:b:x:*y", ""}) EXPECT_FALSE(one.is_meant(other, "frame:b:x")) << other;
}

TEST(NamedClients, OfAnOpenTableHaveWhateverIsCalledSo) {
  const Names client = {"cudnn-f32-data"};
  for (const char* name : {"cudnn:f32:data:7", "cudnn:f32:data", "cudnn:f32:data:*", "cudnn-f32-data"})
    EXPECT_EQ(names_of(run::named_clients(name)), client) << name;
  EXPECT_EQ(names_of(run::named_clients("cudnn:f32")), (Names{"cudnn-f32-data", "cudnn-f32-filter", "cudnn-f32-forward"}));
  for (const char* nobody : {"cudnn:f32:dat", "cudnn:f32:data7", "cudnn:f8"})
    EXPECT_EQ(names_of(run::named_clients(nobody)), Names()) << nobody;
  const run::NamedClient one = run::named_clients("cudnn:f32:data")[0];
  EXPECT_TRUE(one.is_meant("cudnn:f32:data:7", "cudnn:f32:data:7"));
  EXPECT_FALSE(one.is_meant("cudnn:f32:data:7", "cudnn:f32:data:70"));
  for (const char* all : {"cudnn", "cudnn:f32:data", "cudnn:f32:data:*"})
    EXPECT_TRUE(one.is_meant(all, "cudnn:f32:data:7")) << all;
}

TEST(NamedClients, OnADeviceAreClientsOfTheirOwn) {
  const auto found = run::named_clients("torch:eager@cuda");
  ASSERT_EQ(names_of(found), Names{"torch@cuda"});
  EXPECT_TRUE(found[0].command.ends_with("client.py cuda")) << found[0].command;
  EXPECT_TRUE(found[0].offers("torch:eager@cuda"));
  EXPECT_FALSE(found[0].offers("torch:eager"));
  EXPECT_EQ(names_of(run::named_clients("torch@cuda")), Names{"torch@cuda"});
  EXPECT_EQ(names_of(run::named_clients("jax:jit@cuda")), Names{"jax@cuda"});
  for (const char* nobody : {"torch@tpu", "torch@", "@cuda", "tvm@cuda", "jax:quick@cuda", "torch:eager@cuda@cuda"})
    EXPECT_EQ(names_of(run::named_clients(nobody)), Names()) << nobody;
}

TEST(NamedClients, HaveOneWitness) {
  for (const auto& [name, witness] : std::map<std::string, std::string>{{"torch", "torch:native"},
                                                                        {"torch@cuda", "torch:native@cuda"},
                                                                        {"tf", "tf:raw"},
                                                                        {"tensorflow", "tf:raw"},
                                                                        {"torch:eager", ""},
                                                                        {"torch:*", ""},
                                                                        {"opencvjs", ""},
                                                                        {"libtorch", ""}})
    EXPECT_EQ(run::witness_of(name), witness) << name;
  std::map<std::string, int> witnesses;  // by folder
  for (const run::NamedClient& client : run::named_clients()) {
    if (client.implementations[0].first.ends_with(run::kWholeModule)) continue;  // it is not known which there are
    witnesses[client.folder] += client.oracle.empty() ? 0 : 1;
    EXPECT_TRUE(client.oracle.empty() || client.offers(client.oracle)) << client.oracle;
  }
  for (const auto& [folder, count] : witnesses) EXPECT_EQ(count, 1) << folder;
}

TEST(NamedClients, AreStartedIfARequestNamesThem) {
  EXPECT_TRUE(run::starts_clients({{"mlir:loops"}, {}, {}}));
  EXPECT_TRUE(run::starts_clients({{"direct"}, {"none", "js"}, {}}));
  EXPECT_TRUE(run::starts_clients({{}, {}, {"command:python3 mine.py"}}));
  EXPECT_TRUE(run::starts_clients({{}, {}, {"client:tfjs"}}));
  EXPECT_FALSE(run::starts_clients({{"direct"}, {"libtorch"}, {"./mine.so"}}));
}

TEST(NamedClients, SayHowTheyAreInstalled) {
  for (const run::NamedClient& client : run::named_clients())
    EXPECT_NE(client.how_to_install().find("`make " + client.folder + "` installs it"), std::string::npos);
}

TEST(NamedClients, VersionsAreWhatTheirCommandsPrint) {
  const std::vector<run::NamedClient> clients = {
      {.name = "there", .version_command = "echo ' 1.2 '; echo /usr/bin/python3; echo more"},
      {.name = "one line", .version_command = "echo 7"},
      {.name = "absent", .version_command = "ls /nowhere/at/all && echo 1"}};
  const auto found = run::installations_of(clients);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].version, "1.2");
  EXPECT_EQ(found[0].where, "/usr/bin/python3");
  EXPECT_EQ(found[1].version, "7");
  EXPECT_EQ(found[1].where, "");
  EXPECT_FALSE(found[2].is_there());
}

}  // namespace
}  // namespace convict::test
