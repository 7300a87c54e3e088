// SPDX-License-Identifier: Apache-2.0
//
// Relations are silent on correct kernels, all over the space of cases, and make none but legal calls.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/generate.h"
#include "tests/relations/relation_bench.h"

namespace convict {
namespace {

constexpr double kMostWork = 1e5;  // multiply-adds of a case: many small ones say more than a few large ones
constexpr uint64_t kMostTries = 40'000;

std::string as_identifier(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string printed(const relations::Relation& relation, const Case& c, const relations::Violation& found) {
  std::string text = std::string(relation.name) + " on '" + to_text(c) + "': " + found.text + " at";
  for (const int64_t i : found.at) text += " " + std::to_string(i);
  return text + ": " + std::to_string(found.got) + " against " + std::to_string(found.expected);
}

convict_contract contract_for(const convict_implementation& kernel, const Case& c) {
  if (!kernel.contract_for) return kernel.contract;
  const convict_problem p = resolve_valid(c);
  const convict_tensors tensors = describe_tensors(c, p);
  return *kernel.contract_for(&kernel, &p, &tensors);
}

/// Runs the relation on generated cases until `wanted` of them suit it. change(case) may alter one, or reject it;
/// change_call(call, index) alters the operands.
template <class Change, class ChangeCall>
void expect_silence(const relations::Relation& relation, const convict_implementation& kernel, int wanted,
                    const Change& change, const ChangeCall& change_call) {
  int suited = 0;
  for (uint64_t i = 0; i < kMostTries && suited < wanted; ++i) {
    Case c = generate::generate(nullptr, 17, i);
    if (resolve(c).why_not || is_integer(c.src_type) || !change(c)) continue;
    c.beta = 0;
    const convict_problem p = resolve_valid(c);
    if (multiply_adds(p) > kMostWork) continue;
    relations::Call call = call_for(c);
    change_call(call, i);
    if (relation.unsuited(call)) continue;
    const convict_contract contract = contract_for(kernel, c);
    if ((relation.exact_only || relation.direct_only) && contract.algorithm != CONVICT_DIRECT) continue;
    Watched runner(kernel, contract);
    runner.original = &call;
    const std::optional<relations::Violation> found = relation.check(call, runner);
    ASSERT_FALSE(found) << printed(relation, c, *found);
    if (kernel.contract_for && runner.refused > 0) continue;  // it leads to a problem with another contract
    ++suited;
    ASSERT_EQ(runner.refused, 0) << to_text(c);
    ASSERT_GE(runner.calls, 2) << to_text(c);
    ASSERT_TRUE(runner.original_seen) << to_text(c);
  }
  EXPECT_GE(suited, wanted) << relation.name;
}

constexpr auto kKeep = [](relations::Call&, uint64_t) {};

bool make_exact(Case& c) {
  c.fill = Fill::kInt;
  return fill::exact_range(c, resolve_valid(c)) > 0;
}

struct Pair {
  const relations::Relation* relation;
  const convict_implementation* kernel;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.relation->name << " of " << pair.kernel->name; }

class Silence : public testing::TestWithParam<Pair> {};

TEST_P(Silence, OnExactData) { expect_silence(*GetParam().relation, *GetParam().kernel, 200, make_exact, kKeep); }

/// Integers up to 16 are numbers of both 16-bit types; results are rounded to them, or kept in f32.
TEST_P(Silence, OnMixedTypes) {
  expect_silence(
      *GetParam().relation, *GetParam().kernel, 60, [](Case& c) { return c.src_type == CONVICT_F32 && make_exact(c); },
      [](relations::Call& call, uint64_t i) {
        constexpr convict_dtype kTypes[][2] = {{CONVICT_BF16, CONVICT_F32},
                                               {CONVICT_BF16, CONVICT_BF16},
                                               {CONVICT_F16, CONVICT_F32},
                                               {CONVICT_F16, CONVICT_F16}};
        const auto [in, out] = kTypes[i % std::size(kTypes)];
        call.src.type = call.wei.type = call.diff_dst.type = in;
        call.output_type = call.bias.type = out;
      });
}

class SilenceOnReals : public testing::TestWithParam<Pair> {};

TEST_P(SilenceOnReals, OfAnyMagnitude) {
  expect_silence(
      *GetParam().relation, *GetParam().kernel, 200, [](Case& c) { return c.fill != Fill::kInt; }, kKeep);
}

/// Relations turn a case into others, so a kernel that refuses ordinary ones would leave most of them without an
/// answer.
bool takes_ordinary_cases(const convict_implementation& kernel) {
  const Case c = parse_case("conv2d ic=2 oc=2 in=5 k=2");
  const convict_problem p = resolve_valid(c);
  const convict_tensors tensors = describe_tensors(c, p);
  return !kernel.unsupported(&kernel, &p, &tensors);
}

/// Every relation with every kernel for ordinary cases, transforms apart, which are not asked most of them; those that
/// hold on rounded sums too, or all.
std::vector<Pair> all_pairs(bool rounded) {
  std::vector<Pair> pairs;
  for (const relations::Relation* relation : relations::all())
    for (const convict_implementation* kernel : native_kernels())
      if (takes_ordinary_cases(*kernel) && kernel->contract.algorithm == CONVICT_DIRECT &&
          (!rounded || !relation->exact_only))
        pairs.push_back({relation, kernel});
  return pairs;
}

std::string pair_name(const testing::TestParamInfo<Pair>& info) {
  return as_identifier(info.param.relation->name) + "_" + info.param.kernel->name;
}

INSTANTIATE_TEST_SUITE_P(Relations, Silence, testing::ValuesIn(all_pairs(false)), pair_name);
INSTANTIATE_TEST_SUITE_P(Relations, SilenceOnReals, testing::ValuesIn(all_pairs(true)), pair_name);

TEST(Relations, AreListedByName) {
  EXPECT_TRUE(std::ranges::is_sorted(relations::all(), {}, &relations::Relation::name));
  std::set<std::string_view> names;
  for (const relations::Relation* one : relations::all()) {
    names.insert(one->name);
    EXPECT_NE(one->help, "");
  }
  EXPECT_EQ(names.size(), relations::all().size());
  EXPECT_GE(names.size(), 17u);
}

struct Suit {
  const char *relation, *line, *reason;  // "" if it is suited
};

/// "one image" where there is one: a relation that says nothing must say why, and one that could must not.
TEST(Relations, SayWhyTheySayNothing) {
  for (const Suit& one : {
           Suit{"adjoint", "conv2d n=0 in=4 k=2", "an operand is empty"},
           {"adjoint", "conv2d in=4 k=2", ""},
           {"axis-permutation", "conv1d in=4 k=2", "one axis"},
           {"axis-permutation", "conv2d in=4 k=2", ""},
           {"batch-split", "conv1d in=4 k=2", "one image"},
           {"batch-split", "conv1d n=2 in=4 k=2", ""},
           {"batch-split", "conv1d n=0 in=4 k=2", "an operand is empty"},
           {"channel-split", "conv1d g=2 ic=4 oc=4 in=4 k=2", "groups"},
           {"channel-split", "conv1d in=4 k=2", "one channel"},
           {"channel-split", "conv1d oc=2 in=4 k=2", ""},
           {"dilation-stuffing", "conv1d in=4 k=2", "no dilation"},
           {"dilation-stuffing", "conv1d in=4 k=1 d=2", "no dilation"},
           {"dilation-stuffing", "conv1d in=4 k=2 d=2", ""},
           {"explicit-padding", "conv1d in=4 k=2", "no padding"},
           {"explicit-padding", "conv1d in=4 k=2 p=0:-1", ""},
           {"explicit-padding", "conv1d in=4 p=1000000000", "too large for this"},
           {"group-split", "conv1d ic=2 in=4 k=2", "no groups"},
           {"group-split", "conv1d g=2 ic=2 oc=2 in=4 k=2", ""},
           {"kernel-split", "conv1d in=4", "one tap"},
           {"kernel-split", "conv2d in=4 k=1x2", ""},
           {"layout-invariance", "conv1d in=4", ""},
           {"layout-invariance", "conv1d ic=0 in=4", "an operand is empty"},
           {"output-padding-prefix", "conv_transpose1d in=4 k=2 s=2", "no output padding"},
           {"output-padding-prefix", "conv_transpose1d in=4 k=2 s=2 op=1", ""},
           {"output-padding-prefix", "conv_transpose1d in=1 k=2 s=2 p=0:2 op=1", "nothing but output padding"},
           {"padding-shift", "conv1d in=4 k=2", "no padding to move"},
           {"padding-shift", "conv1d in=4 k=2 s=2 p=0:1", "no padding to move"},
           {"padding-shift", "conv1d in=4 k=2 p=0:1", ""},
           {"padding-shift", "conv1d in=2 k=3 p=0:1", "no padding to move"},
           {"rank-lifting", "conv3d in=4 k=2", "no rank above"},
           {"rank-lifting", "conv3d in=1x4x4 k=1x2x2", ""},
           {"rank-lifting", "conv2d in=4 k=2", ""},
           {"scaling", "conv2d in=4 k=2 fill=wide", ""},
           {"sign-flip", "conv2d in=4 k=2 fill=normal", ""},
           {"stride-stuffing", "conv1d in=4 k=2", "no stride"},
           {"stride-stuffing", "conv1d in=4 k=2 s=2", ""},
           {"transposition-stuffing", "conv1d in=4 k=2", "not a transposed convolution"},
           {"transposition-stuffing", "conv1d.backward_data in=4 k=2", ""},
           {"transposition-stuffing", "conv_transpose1d in=4 k=2", ""},
           {"transposition-stuffing", "conv_transpose1d.backward_data in=4 k=2", "not a transposed convolution"},
           {"wgrad-as-grouped-conv", "conv1d in=4 k=2", "not a weight gradient"},
           {"wgrad-as-grouped-conv", "conv1d.backward_weights in=4 k=2", ""},
       }) {
    // Data is not looked at here, and there need not be memory for it.
    const bool huge = std::string_view(one.line).find("1000000000") != std::string_view::npos;
    relations::Call call;
    if (huge) {
      call.problem = resolve_valid(parse_case(one.line));
    } else {
      call = call_for(one.line);
    }
    const char* reason = relation_named(one.relation).unsuited(call);
    EXPECT_STREQ(reason ? reason : "", one.reason) << one.relation << ": " << one.line;
  }
}

/// What depends on the data, or on the types.
TEST(Relations, KeepAwayFromRoundingAndOverflow) {
  relations::Call call = call_for("conv1d n=2 ic=2 in=4 k=2");
  call.output_type = CONVICT_BF16;
  for (const char* name : {"adjoint", "channel-split", "kernel-split"})
    EXPECT_STREQ(relation_named(name).unsuited(call), "16-bit results do not add up") << name;
  EXPECT_EQ(relation_named("batch-split").unsuited(call), nullptr);
  relations::Call gradient = call_for("conv1d.backward_weights n=2 ic=2 in=4 k=2");
  gradient.output_type = CONVICT_F16;
  EXPECT_STREQ(relation_named("batch-split").unsuited(gradient), "16-bit results do not add up");
  EXPECT_EQ(relation_named("kernel-split").unsuited(gradient), nullptr);

  relations::Call large = call_for("conv1d in=4 k=2"), infinite = large, tiny = large;
  large.src.data[0] = 0x1p125;
  infinite.src.data[0] = std::numeric_limits<double>::infinity();
  tiny.src.data[0] = 0x1p-126;
  tiny.wei.data[0] = 0x1p-10;
  EXPECT_EQ(relation_named("sign-flip").unsuited(large), nullptr);
  EXPECT_STREQ(relation_named("sign-flip").unsuited(infinite), "an input is not finite");
  for (const relations::Call* one : {&large, &infinite, &tiny})
    EXPECT_STREQ(relation_named("scaling").unsuited(*one), "scaled values could overflow or underflow");
  relations::Call coarse = call_for("conv1d ic=8 in=64 k=8");
  for (double& value : coarse.src.data) value *= 0x1p16;
  EXPECT_STREQ(relation_named("adjoint").unsuited(coarse), "another pass would round");
}

}  // namespace
}  // namespace convict
