// SPDX-License-Identifier: Apache-2.0
#include "run/client_messages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace convict::run {
namespace {

/// What a client says of one implementation, with these members.
Announced announced(const std::string& members) {
  const std::string line = fmt::format(
      R"({{"id": 7, "hello": {{"protocol": {}, "implementations": [{{"name": "mine"{}}}]}}}})", kClientProtocol, members);
  return hello_from(line, 7).implementations.at(0);
}

TEST(ClientMessages, EachMemberOfAContractIsRead) {
  const convict_contract plain = announced("").contract;
  const auto with = [](const std::string& member) {
    return announced(fmt::format(R"(, "contract": {{{}}})", member)).contract;
  };
  EXPECT_EQ(plain.algorithm, CONVICT_DIRECT);
  EXPECT_EQ(with(R"("algorithm": "fft")").algorithm, CONVICT_FFT);
  EXPECT_EQ(plain.min_accumulator, CONVICT_F32);
  EXPECT_EQ(with(R"("min_accumulator": "f16")").min_accumulator, CONVICT_F16);
  EXPECT_EQ(plain.summation, CONVICT_ANY_ORDER);
  EXPECT_EQ(with(R"("summation": "pairwise")").summation, CONVICT_PAIRWISE);
  struct Number {
    const char* name;
    int32_t convict_contract::*member;
    const char* value;
    int32_t number;
  };
  for (const Number& one : {Number{"sum_block", &convict_contract::sum_block, "4", 4},
                            Number{"winograd_m", &convict_contract::winograd_m, "2", 2},
                            Number{"winograd_r", &convict_contract::winograd_r, "3", 3},
                            Number{"flushes_subnormals", &convict_contract::flushes_subnormals, "true", 1},
                            Number{"deterministic", &convict_contract::deterministic, "true", 1},
                            Number{"accumulates", &convict_contract::accumulates, "true", 1},
                            Number{"fuses_relu", &convict_contract::fuses_relu, "true", 1}}) {
    EXPECT_EQ(plain.*one.member, 0) << one.name;
    EXPECT_EQ(with(fmt::format(R"("{}": {})", one.name, one.value)).*one.member, one.number) << one.name;
  }
}

TEST(ClientMessages, WhatAnImplementationIsSaidToBeIsRead) {
  const Announced plain = announced("");
  EXPECT_EQ(plain.description, "mine");
  EXPECT_EQ(plain.lineage, "mine");
  EXPECT_EQ(plain.batch, 1u);
  EXPECT_FALSE(plain.plans || plain.stateless || plain.abilities.requantizes);
  const Announced all = announced(
      R"(, "description": "a kernel", "lineage": "theirs", "batch": 32, "plans": true, "stateless": true,
         "examples": ["conv2d in=5 k=3"], "built_on": ["direct"], "contract": {"requantizes": true})");
  EXPECT_EQ(all.description, "a kernel");
  EXPECT_EQ(all.lineage, "theirs");
  EXPECT_EQ(all.batch, 32u);
  EXPECT_TRUE(all.plans && all.stateless && all.abilities.requantizes);
  EXPECT_EQ(all.examples, std::vector<std::string>{"conv2d in=5 k=3"});
  EXPECT_EQ(all.built_on, std::vector<std::string>{"direct"});
}

}  // namespace
}  // namespace convict::run
