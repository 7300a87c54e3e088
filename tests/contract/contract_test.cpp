// SPDX-License-Identifier: Apache-2.0
//
// What every registered native kernel owes: the right answer everywhere, on every kind of problem, the same bits twice,
// and a refusal with a reason of what is not legal.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/verdict.h"
#include "examine/pipeline.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "run/guarded_call.h"
#include "tests/thorough.h"

namespace convict {
namespace {

class Contract : public testing::TestWithParam<std::string> {
 protected:
  examine::Examination examine_case(const Case& c) { return examiner_.examine(c); }

  /// Why the kernel does not take a legal case, or nullptr.
  const char* refusal(const Case& c) const {
    const convict_problem p = resolve_valid(c);
    const convict_tensors tensors = describe_tensors(c, p);
    if (const char* reason = kernel_.unsupported(&kernel_, &p, &tensors)) return reason;
    const convict_contract& contract =
        kernel_.contract_for ? *kernel_.contract_for(&kernel_, &p, &tensors) : kernel_.contract;
    return fill::has_special_values(c) && contract.algorithm != CONVICT_DIRECT ? "special values" : nullptr;
  }

  /// The case, or if the kernel does not take it one like it with a dense window of 3 in f32, or of integers, as some
  /// want it.
  Case suited(const Case& c) const {
    if (resolve(c).why_not || !refusal(c)) return c;
    Case whole = c;
    whole.pass = CONVICT_FORWARD;
    whole.src_type = CONVICT_U8;
    whole.wei_type = CONVICT_S8;
    whole.dst_type = CONVICT_S32;
    whole.fill = Fill::kInt;
    whole.beta = 0;
    whole.requant = Requant::kNone;
    whole.clamp_low = kNoClampLow;
    whole.clamp_high = kNoClampHigh;
    const bool floats = refusal(parse_case("conv2d in=3 k=3")) == nullptr;
    if (!floats && !resolve(whole).why_not && !refusal(whole)) return whole;
    Case dense = c;
    dense.kernel.fill(1);
    std::fill_n(dense.kernel.begin(), c.rank, 3);
    dense.stride = dense.dilation = {1, 1, 1};
    dense.output_padding = {0, 0, 0};
    dense.src_type = dense.wei_type = dense.dst_type = CONVICT_F32;
    return resolve(dense).why_not || refusal(dense) ? c : dense;
  }

  bool takes_integers() const { return refusal(parse_case("conv2d g=2 ic=2 oc=2 in=3 dt=u8:s8:s32")) == nullptr; }

  std::vector<char> bits_of(const Case& c) { return bits_of(c, kernel_.abilities); }

  /// The bytes of the main output.
  std::vector<char> bits_of(const Case& c, const convict_abilities& abilities) {
    const convict_problem p = resolve_valid(c);
    examiner_.memory.place(p, describe_tensors(c, p), c.seed % 2 == 0);
    fill::fill_operands(c, p, examiner_.memory.ours(), c.seed);
    const Outcome outcome = run::call_guarded(kernel_, abilities, 0, p, examiner_.memory, *examiner_.record);
    EXPECT_EQ(outcome.kind, Outcome::Kind::kComputed) << to_text(c);
    EXPECT_EQ(outcome.overrun, "") << to_text(c);
    const convict_tensor& out = p.pass == CONVICT_FORWARD         ? examiner_.memory.ours().dst
                                : p.pass == CONVICT_BACKWARD_DATA ? examiner_.memory.ours().diff_src
                                                                  : examiner_.memory.ours().diff_wei;
    const char* bytes = static_cast<const char*>(out.data);
    return {bytes, bytes + static_cast<size_t>(element_count(out)) * type_size(out.dtype)};
  }

  static const NativeKernel& named(const std::string& name) {
    return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
  }

  const NativeKernel& kernel_ = named(GetParam());
  examine::LocalExaminer examiner_{{{.implementation = &kernel_, .is_target = true, .abilities = kernel_.abilities}}};
};

TEST_P(Contract, HasANameADescriptionAndALineage) {
  EXPECT_STRNE(kernel_.name, "");
  EXPECT_STRNE(kernel_.description, "");
  EXPECT_STREQ(kernel_.lineage, "convict");
}

TEST_P(Contract, ComputesEveryProfileRight) {
  for (const generate::Profile& profile : generate::profiles()) {
    if (profile.name == "huge-index") continue;  // gigabytes a case; tests/cli has some
    if (profile.integers && !takes_integers()) continue;
    const uint64_t count = test::thorough<uint64_t>(1, 4) * (profile.most_macs > 100e3 ? 75 : 750);
    uint64_t judged = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const Case c = suited(generate::generate(&profile, 99, i));
      const examine::Examination examination = examine_case(c);
      judged += examination.judged;
      ASSERT_TRUE(examination.judged || refusal(c))
          << to_text(c) << ": " << judge::in_words(examination.results.front());
      ASSERT_TRUE(examination.mismatches.empty())
          << "convict repro --target " << kernel_.name << " '" << to_text(c) << "'\n"
          << to_json(examination.mismatches.front()).dump(1);
    }
    EXPECT_GE(judged, count / 20) << profile.name;  // or it would prove little
  }
}

TEST_P(Contract, TheKernelsForEverythingTakeEverything) {
  if (std::set<std::string>{"auto", "direct", "im2col"}.contains(GetParam()))
    for (const char* profile : {"smoke", "int8"})
      for (uint64_t i = 0; i < 2'000; ++i) {
        Case c = generate::generate(generate::find_profile(profile), 98, i);
        if (fill::has_special_values(c)) c.fill = Fill::kInt;
        ASSERT_EQ(refusal(c), nullptr) << to_text(c);
      }
}

/// After old contents have been added, and before the rounding to 16 bits.
TEST_P(Contract, FusesTheReLU) {
  for (const char* type : {"f32", "f64", "bf16", "f16"})
    for (const char* line : {"conv2d g=2 ic=2 oc=2 in=6 k=3 p=1 bias beta=-1 relu fill=normal dt=",
                             "conv_transpose2d g=2 ic=2 oc=2 in=4 k=3 s=2 bias beta=2 relu fill=special dt="}) {
      const Case c = suited(parse_case(std::string(line) + type));
      if (refusal(c)) continue;
      const examine::Examination examination = examine_case(c);
      EXPECT_TRUE(examination.judged) << line << type << ": " << judge::in_words(examination.results.front());
      EXPECT_TRUE(examination.mismatches.empty()) << line << type;
    }
}

TEST_P(Contract, RefusesTypesThatDoNotGoTogether) {
  for (const char* line : {"conv2d in=3 dt=u8", "conv2d in=3 dt=u8:s8:f16", "conv2d.backward_data in=3 dt=u8:s8:s32",
                           "conv2d in=3 dt=s8 zp=200:0", "conv2d in=3 zp=1:0", "conv2d.backward_data in=3 relu",
                           "conv2d in=3 dt=u8:s8:s32 scale=tensor", "conv2d in=3 dt=s8:s8:s32 beta=0.5"}) {
    const examine::Examination examination = examine_case(parse_case(line));
    EXPECT_TRUE(examination.mismatches.empty()) << line;
    EXPECT_EQ(examination.results.front().outcome.kind, Outcome::Kind::kRefused) << line;
  }
}

TEST_P(Contract, PlansWhatItTakes) {
  if (!kernel_.plan) return;
  for (uint64_t i = 0; i < 300; ++i) {
    const Case c = suited(generate::generate(generate::find_profile("smoke"), 97, i));
    if (resolve(c).why_not || refusal(c)) continue;
    const convict_problem p = resolve_valid(c);
    const convict_tensors tensors = describe_tensors(c, p);
    const std::string plan = kernel_.plan(&kernel_, &p, &tensors);
    ASSERT_NE(plan, "") << to_text(c);
    ASSERT_EQ(plan.find('\n'), std::string::npos) << plan;
    ASSERT_EQ(plan, kernel_.plan(&kernel_, &p, &tensors)) << to_text(c);
  }
}

/// Between guards, and filled with NaN: it asked for all that it uses, and reads nothing that it did not write.
TEST_P(Contract, GivesTheSameBitsInAWorkspaceThatItAskedFor) {
  convict_abilities none = kernel_.abilities;
  none.workspace_size = nullptr;
  int given = 0;
  for (const char* profile : {"smoke", "int8", "large-kernel", "grouped", "layouts"})
    for (uint64_t i = 0; i < 200; ++i) {
      Case c = suited(generate::generate(generate::find_profile(profile), 96, i));
      c.threads = static_cast<int32_t>(i % 3 + 1);
      if (resolve(c).why_not || c.beta != 0 || refusal(c)) continue;
      const convict_problem p = resolve_valid(c);
      const convict_tensors tensors = describe_tensors(c, p);
      const size_t bytes = kernel_.abilities.workspace_size(&kernel_, &p, &tensors);
      ASSERT_EQ(bytes % 64, 0u) << "or it would not begin at a cache line: " << to_text(c);
      given += bytes > 0;
      ASSERT_EQ(bits_of(c), bits_of(c, none)) << to_text(c);
    }
  EXPECT_GT(given, 20) << "so this shows little";
}

TEST_P(Contract, GivesTheSameBitsTwice) {
  for (uint64_t i = 0; i < 300; ++i) {
    const Case c = suited(generate::generate(generate::find_profile("smoke"), 5, i));
    if (resolve(c).why_not || c.beta != 0 || refusal(c)) continue;
    ASSERT_EQ(bits_of(c), bits_of(c)) << to_text(c);
  }
}

/// Large enough for threads to be started, and with results enough for all of them: no kernel splits a sum.
TEST_P(Contract, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* line :
       {"conv2d ic=24 oc=33 in=29 k=3 p=1 bias fill=normal", "conv1d ic=300 oc=200 in=40 k=3 fill=normal",
        "conv_transpose2d g=2 ic=16 oc=26 in=17 k=5 s=3 p=1 fill=normal", "conv2d ic=70 oc=130 in=9 k=3 fill=normal",
        "conv2d.backward_weights n=2 ic=12 oc=20 in=29 k=3 fill=normal",
        "conv2d.backward_weights ic=12 oc=20 in=35 k=5 s=2 fill=normal",
        "conv2d g=64 ic=64 oc=64 in=28 k=7 p=3 fill=normal", "conv2d g=6 ic=48 oc=48 in=28 k=3 p=1 bias fill=normal"}) {
    Case c = parse_case(line);
    if (refusal(c)) continue;
    const std::vector<char> alone = bits_of(c);
    c.threads = 3;
    EXPECT_EQ(alone, bits_of(c)) << line;
  }
}

/// With too few results for all threads, some kernels split sums. Bits then depend on the number of threads, and on
/// nothing else.
TEST_P(Contract, SplitsSumsTheSameWayEveryTime) {
  struct Split {
    std::string kernel, line;  // a kernel that splits sums, and a case where it does
  };
  for (const auto& [kernel, line] :
       {Split{"implicit_gemm", "conv2d.backward_weights ic=1 oc=1 in=820x820 k=1x3 fill=normal"},
        Split{"scatter_gemm", "conv_transpose2d ic=512 oc=3 in=8x8 k=9x9 s=4x4 bias fill=normal"}}) {
    Case c = parse_case(line);
    if (refusal(c)) continue;
    const std::vector<char> alone = bits_of(c);
    c.threads = 4;
    const std::vector<char> together = bits_of(c);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(together, bits_of(c)) << line;
    if (kernel != kernel_.name) continue;
    EXPECT_NE(alone, together) << line << ": no sum is split, so this shows nothing";
  }
}

TEST_P(Contract, RefusesWhatIsNotLegalWithAReason) {
  for (const char* line : {"conv2d g=2 ic=3 oc=2 in=5", "conv2d g=2 ic=2 oc=3 in=5", "conv1d in=3 k=5",
                           "conv_transpose1d in=3 k=3 s=2 op=2", "conv1d in=3 s=2 op=1"}) {
    const examine::Examination examination = examine_case(parse_case(line));
    EXPECT_TRUE(examination.mismatches.empty()) << line;
    EXPECT_EQ(examination.results.front().outcome.kind, Outcome::Kind::kRefused) << line;
    EXPECT_NE(examination.results.front().outcome.text, "") << line;
  }
}

TEST_P(Contract, RefusesF64AmongOtherTypes) {
  EXPECT_FALSE(examine_case(parse_case("conv2d in=5 k=3 dt=f32:f64:f32")).judged);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const convict_implementation* kernel : native_kernels()) all.emplace_back(kernel->name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Native, Contract, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

/// The table is written by the build; a file whose kernel did not get into it would be tested by nobody.
TEST(NativeKernels, AreThoseOfTheFilesInKernels) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(CONVICT_KERNELS))
    if (entry.path().extension() == ".cpp") files.insert(entry.path().stem().string());
  const std::vector<std::string> kernels = names();
  EXPECT_EQ(std::set<std::string>(kernels.begin(), kernels.end()), files);
  EXPECT_GE(files.size(), 3u);
}

}  // namespace
}  // namespace convict
