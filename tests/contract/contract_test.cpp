// SPDX-License-Identifier: Apache-2.0
//
// What every registered native kernel owes: the right answer everywhere, on every kind of problem, the same bits twice,
// and a refusal with a reason of what is not legal.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/implementation.h"
#include "core/layout.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "pipeline.h"
#include "run/guarded_call.h"

namespace convict {
namespace {

constexpr double kPlenty = 1e9;  // bytes

class Contract : public testing::TestWithParam<std::string> {
 protected:
  Examination examine_case(const Case& c) {
    return examine(c, subjects_, memory_, record_, {kPlenty, Yardstick::kLadder});
  }

  static const convict_implementation& named(const std::string& name) {
    return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
  }

  const convict_implementation& kernel_ = named(GetParam());
  std::vector<Subject> subjects_ = {{&kernel_, true, ""}};
  GuardedMemory memory_;
  FlightRecord record_;
};

TEST_P(Contract, HasANameADescriptionAndALineage) {
  EXPECT_STRNE(kernel_.name, "");
  EXPECT_STRNE(kernel_.description, "");
  EXPECT_STREQ(kernel_.lineage, "convict");
}

TEST_P(Contract, ComputesEveryProfileRight) {
  for (const Profile& profile : profiles()) {
    if (profile.name == "huge-index") continue;  // gigabytes a case; tests/cli has some
    const uint64_t count = profile.most_macs > 100e3 ? 300 : 3'000;
    for (uint64_t i = 0; i < count; ++i) {
      const Case c = generate(&profile, 99, i);
      const Examination examination = examine_case(c);
      ASSERT_TRUE(examination.judged) << to_text(c) << ": " << in_words(examination.testimonies.front());
      ASSERT_TRUE(examination.mismatches.empty())
          << "convict repro --target " << kernel_.name << " '" << to_text(c) << "'\n"
          << examination.mismatches.front().certificate.dump(1);
    }
  }
}

TEST_P(Contract, GivesTheSameBitsTwice) {
  for (uint64_t i = 0; i < 300; ++i) {
    const Case c = generate(find_profile("smoke"), 5, i);
    if (resolve(c).why_not || c.beta != 0) continue;
    const convict_problem p = resolve_valid(c);
    memory_.place(p, describe_tensors(c, p), true);
    fill_operands(c, p, memory_.ours(), c.seed);
    std::vector<std::vector<char>> outputs;
    for (int run = 0; run < 2; ++run) {
      ASSERT_EQ(call_guarded(kernel_, 0, p, memory_, record_).kind, Outcome::Kind::kComputed);
      const convict_tensor& out = p.pass == CONVICT_FORWARD         ? memory_.ours().dst
                                  : p.pass == CONVICT_BACKWARD_DATA ? memory_.ours().diff_src
                                                                    : memory_.ours().diff_wei;
      const char* bytes = static_cast<const char*>(out.data);
      outputs.emplace_back(bytes, bytes + static_cast<size_t>(element_count(out)) * type_size(out.dtype));
    }
    ASSERT_EQ(outputs[0], outputs[1]) << to_text(c);
  }
}

TEST_P(Contract, RefusesWhatIsNotLegalWithAReason) {
  for (const char* line : {"conv2d g=2 ic=3 oc=2 in=5", "conv2d g=2 ic=2 oc=3 in=5", "conv1d in=3 k=5",
                           "conv_transpose1d in=3 k=3 s=2 op=2", "conv1d in=3 s=2 op=1"}) {
    const Examination examination =
        examine(parse_case(line), subjects_, memory_, record_, {kPlenty, Yardstick::kLadder});
    EXPECT_TRUE(examination.mismatches.empty()) << line;
    EXPECT_EQ(examination.testimonies.front().outcome.kind, Outcome::Kind::kRefused) << line;
    EXPECT_NE(examination.testimonies.front().outcome.text, "") << line;
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
