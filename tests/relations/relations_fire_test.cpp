// SPDX-License-Identifier: Apache-2.0
//
// Every relation convicts a planted fault on its own word alone, and says where.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "abi/element.h"
#include "tests/mutants/benchdnn_faults.h"
#include "tests/mutants/public_faults.h"
#include "tests/relations/relation_bench.h"

namespace convict {
namespace {

struct Caught {
  const char *relation, *module, *mutant, *line;
  const char* text;         // part of what the violation says
  std::vector<int64_t> at;  // where
};

const std::vector<Caught>& all_caught() {
  static const std::vector<Caught> kAll = {
      {"adjoint", "mutants_b", "B09", "conv2d in=4 k=2", "forward stands alone", {}},
      {"adjoint", "mutants_p", "P17", "conv1d.backward_data in=5 k=1 s=2", "", {}},
      {"adjoint", "mutants_p", "P08", "conv2d.backward_weights g=2 ic=2 oc=2 in=5 k=2", "backward_weights stands", {}},
      {"axis-permutation", "mutants_b", "B04", "conv2d in=7 k=2 d=2x1", "order 1 0", {0, 0, 0, 0}},
      {"axis-permutation", "mutants_b", "B24", "conv3d in=5 k=2 d=2x1x1", "order", {0, 0, 0, 0, 0}},
      {"batch-split", "mutants_p", "P29", "conv_transpose2d n=2 in=3 k=2", "image", {1, 0, 0, 0}},
      {"batch-split", "mutants_b", "B10", "conv2d n=2 in=3 k=2", "image", {1, 0, 0, 0}},
      {"batch-split", "mutants_p", "P26", "conv1d.backward_weights n=3 in=4 k=2", "sum over image", {0, 0, 0}},
      {"channel-split", "mutants_b", "B11", "conv2d ic=9 in=3", "sum over src channel", {0, 0, 0, 0}},
      {"channel-split", "mutants_p", "P20", "conv2d oc=9 in=3", "results of dst channel", {0, 8, 0, 0}},
      {"dilation-stuffing", "mutants_b", "B13", "conv2d in=5 k=2 d=2", "dense", {0, 0, 0, 0}},
      {"explicit-padding", "mutants_p", "P22", "conv2d in=3 p=1", "padding done outside", {0, 0, 0, 0}},
      {"explicit-padding", "mutants_p", "P06", "conv_transpose2d in=3 k=3 p=same_upper", "padding", {0, 0, 0, 0}},
      {"group-split", "mutants_p", "P07", "conv_transpose2d g=2 ic=2 oc=2 in=3 k=2", "group", {0, 1, 0, 0}},
      {"group-split", "mutants_p", "P19", "conv2d g=2 ic=2 oc=2 in=3 bias", "group", {0, 1, 0, 0}},
      {"kernel-split", "mutants_b", "B12", "conv2d in=7 k=1x6", "tap of axis 1", {0, 0, 0, 0}},
      {"kernel-split", "mutants_p", "P21", "conv1d.backward_weights in=12 k=8", "tap of axis 0", {0, 0, 6}},
      {"layout-invariance", "mutants_p", "P10", "conv2d ic=2 in=4 k=2", "ohwi", {0, 0, 0, 0}},
      {"output-padding-prefix",
       "mutants_p",
       "P01",
       "conv_transpose2d in=3x2 k=2 s=2 op=1x0",
       "end padding",
       {0, 0, 6, 0}},
      {"output-padding-prefix",
       "mutants_p",
       "P02",
       "conv_transpose1d in=3 k=3 s=2 p=0:1 op=1",
       "end padding",
       {0, 0, 6}},
      {"padding-shift", "mutants_p", "P15", "conv1d in=5 k=3 p=0:2", "axis 0 moved to the begin", {0, 0, 0}},
      {"padding-shift",
       "mutants_b",
       "D05",
       "conv_transpose2d in=4 k=3 p=1x0",
       "axis 0 moved to the begin",
       {0, 0, 1, 0}},
      {"rank-lifting", "mutants_p", "P03", "conv1d in=9 k=3 s=2", "unit axis", {0, 0, 1}},
      {"scaling", "mutants_b", "B27", "conv2d in=5 k=3", "2^12", {0, 0, 0, 0}},
      {"stride-stuffing", "mutants_b", "B14", "conv2d in=7 k=2 s=3", "stride 1", {0, 0, 0, 1}},
      {"transposition-stuffing", "mutants_b", "D03", "conv_transpose2d in=3 k=2 s=1x2", "flipped", {0, 0, 0, 1}},
      {"wgrad-as-grouped-conv", "mutants_p", "P09", "conv1d.backward_weights in=6 k=3 s=2", "exchanged", {0, 0, 0}},
      {"wgrad-as-grouped-conv",
       "mutants_p",
       "P34",
       "conv2d.backward_weights g=2 ic=2 oc=2 in=8 k=3 s=2 p=2",
       "",
       {0, 0, 0, 0}},
  };
  return kAll;
}

double element(const relations::Array& array, const std::vector<int64_t>& at) {
  int64_t index = 0;
  for (size_t i = 0; i < at.size(); ++i) index = index * array.dims[i] + at[i];
  return array.data.at(static_cast<size_t>(index));
}

void PrintTo(const Caught& one, std::ostream* out) { *out << one.relation << " on " << one.mutant; }

class Fires : public testing::TestWithParam<Caught> {};

TEST_P(Fires, OnAMutantAndOnlyThere) {
  const Caught& one = GetParam();
  const relations::Relation& relation = relation_named(one.relation);
  const relations::Call call = call_for(one.line);
  ASSERT_EQ(relation.unsuited(call), nullptr);
  Watched mutant(mutant_named(one.module, one.mutant)), innocent(mutant_named(one.module, "control"));
  EXPECT_FALSE(relation.check(call, innocent));
  const std::optional<relations::Violation> found = relation.check(call, mutant);
  ASSERT_TRUE(found);
  EXPECT_NE(found->got, found->expected);
  EXPECT_NE(found->text.find(one.text), std::string::npos) << found->text;
  EXPECT_EQ(found->at, one.at) << found->text << ": " << found->got << " " << found->expected;
  if (!found->at.empty()) {
    const double there = element(mutant.run(call)->main, found->at);
    EXPECT_TRUE(found->got == there || (std::isnan(found->got) && std::isnan(there))) << found->got << " " << there;
  }
}

INSTANTIATE_TEST_SUITE_P(Relations, Fires, testing::ValuesIn(all_caught()), [](const auto& info) {
  std::string name = std::string(info.param.relation) + "_" + info.param.mutant;
  std::ranges::replace(name, '-', '_');
  return name;
});

/// Of the mutants, on their witnesses: relations alone, each on data that it may look at.
TEST(Relations, ConvictNearlyEveryMutant) {
  const std::set<std::string> silent = {
      "P11",                              // computes another extent, and says so: a refusal here
      "P31", "B20", "B21", "B22", "B28",  // alike on all data with the same zeros, signs or digits
      "P25", "P27",                       // a call of a relation has neither views nor beta
      "P32",                              // an empty batch, which no relation looks at
  };
  const auto is_convicted = [](const std::string& module, const mutants::Mutant& mutant) {
    const Case c = parse_case(mutant.witness);
    const relations::Call call = call_for(c);
    Watched runner(mutant_named(module, mutant.name));
    return std::ranges::any_of(relations::all(), [&](const relations::Relation* one) {
      return (c.fill == Fill::kInt || !one->exact_only) && !one->unsuited(call) && one->check(call, runner);
    });
  };
  for (const mutants::Mutant& mutant : mutants::kPublicFaults) {
    if (mutant.name == std::string("P28")) continue;  // it races, and may win
    EXPECT_EQ(is_convicted("mutants_p", mutant), !silent.contains(mutant.name)) << mutant.name;
  }
  for (const mutants::Mutant& mutant : mutants::kBenchdnnFaults)
    EXPECT_EQ(is_convicted("mutants_b", mutant), !silent.contains(mutant.name)) << mutant.name;
}

/// A kernel with a fused activation that nobody asked for: no result is above a cap. No mutant is lopsided.
struct Capped : convict_implementation {
  Capped() : convict_implementation(kernel_named("direct")) { run = run_capped; }

  static constexpr float kCap = 6;

  static convict_status run_capped(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                                   char* error, size_t error_size) {
    const convict_implementation& direct = kernel_named("direct");
    const convict_status status = direct.run(&direct, p, t, error, error_size);
    if (p->pass == CONVICT_FORWARD)
      for_each_element<float>(t->dst, [](float& element, const int64_t*) { element = std::min(element, kCap); });
    return status;
  }
};

TEST(SignFlip, FiresOnALopsidedKernelOnRealData) {
  const relations::Relation& relation = relation_named("sign-flip");
  const relations::Call call = call_for("conv2d in=6 k=5 seed=3 fill=normal");
  const Capped guilty;
  Watched capped(guilty), innocent(kernel_named("direct"));
  EXPECT_FALSE(relation.check(call, innocent));
  const std::optional<relations::Violation> found = relation.check(call, capped);
  ASSERT_TRUE(found);
  EXPECT_NE(found->text.find("-src"), std::string::npos) << found->text;
  const double truth = element(innocent.run(call)->main, found->at);
  EXPECT_GT(std::abs(truth), Capped::kCap);  // it is one of the capped results that it shows
}

/// The gradient of the bias is a result as well.
struct Unbiased : convict_implementation {
  Unbiased() : convict_implementation(kernel_named("direct")) { run = run_unbiased; }

  static convict_status run_unbiased(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                                     char* error, size_t error_size) {
    const convict_implementation& direct = kernel_named("direct");
    const convict_status status = direct.run(&direct, p, t, error, error_size);
    if (p->pass == CONVICT_BACKWARD_WEIGHTS && p->batch > 1 && t->diff_bias.ndim > 0)
      *static_cast<float*>(t->diff_bias.data) += 1;  // of channel 0
    return status;
  }
};

TEST(DiffBias, IsComparedToo) {
  const Unbiased guilty;
  Watched runner(guilty);
  const relations::Call call = call_for("conv1d.backward_weights n=2 in=4 k=2 bias seed=4");
  const std::optional<relations::Violation> found = relation_named("batch-split").check(call, runner);
  ASSERT_TRUE(found);
  EXPECT_NE(found->text.find("diff_bias of channel 0"), std::string::npos) << found->text;
  EXPECT_TRUE(found->at.empty());
  EXPECT_TRUE(relation_named("adjoint").check(call, runner));
}

TEST(Refusals, AreNotViolations) {
  struct Refusing : convict_implementation {
    Refusing() : convict_implementation(kernel_named("direct")) {
      unsupported = [](const convict_implementation*, const convict_problem*, const convict_tensors*) { return "no"; };
    }
  } refusing;
  Watched runner(refusing);
  for (const relations::Relation* relation : relations::all())
    for (const char* line : {"conv2d n=2 g=2 ic=2 oc=2 in=5 k=3 s=2 d=2 p=2",
                             "conv_transpose2d in=5 k=3 s=2 d=2 p=2 op=1", "conv2d.backward_weights ic=2 in=5 k=3"})
      if (const relations::Call call = call_for(line); !relation->unsuited(call)) {
        EXPECT_FALSE(relation->check(call, runner));
      }
  EXPECT_EQ(runner.refused, runner.calls);
  EXPECT_GE(runner.calls, 17);
}

}  // namespace
}  // namespace convict
