// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/contestant.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdio>

#include "core/case_text.h"
#include "core/geometry.h"
#include "lab/bench/measurement.h"

namespace convict {
namespace {

/// Writes down in which order it is called.
std::string& journal() {
  static std::string text;
  return text;
}

const char* accept(const convict_implementation*, const convict_problem*, const convict_tensors*) { return nullptr; }
const char* refuse(const convict_implementation*, const convict_problem*, const convict_tensors*) { return "too odd"; }

convict_status run_right(const convict_implementation*, const convict_problem*, const convict_tensors* t, char*,
                         size_t) {
  journal() += "r";
  *static_cast<float*>(t->dst.data) = *static_cast<float*>(t->src.data) * *static_cast<float*>(t->wei.data);
  return CONVICT_OK;
}
convict_status run_wrong(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char*,
                         size_t) {
  run_right(self, p, t, nullptr, 0);
  *static_cast<float*>(t->dst.data) += 1;
  return CONVICT_OK;
}
convict_status run_failing(const convict_implementation*, const convict_problem*, const convict_tensors*, char* error,
                           size_t size) {
  std::snprintf(error, size, "no luck");
  return CONVICT_FAILED;
}

struct Prepared {
  const convict_tensors* t;
  float result;
};
void* prepare(const convict_implementation*, const convict_problem*, const convict_tensors* t, char*, size_t) {
  journal() += "p";
  return new Prepared{t, 0};
}
void* prepare_nothing(const convict_implementation*, const convict_problem*, const convict_tensors*, char* error,
                      size_t size) {
  std::snprintf(error, size, "not prepared");
  return nullptr;
}
convict_status execute(void* prepared, char*, size_t) {
  journal() += "e";
  auto* one = static_cast<Prepared*>(prepared);
  one->result = *static_cast<float*>(one->t->src.data) * *static_cast<float*>(one->t->wei.data);
  return CONVICT_OK;
}
convict_status finish(void* prepared) {
  journal() += "f";
  auto* one = static_cast<Prepared*>(prepared);
  *static_cast<float*>(one->t->dst.data) = one->result;
  delete one;
  return CONVICT_OK;
}
constexpr convict_steps kSteps = {prepare, execute, finish}, kNoSteps = {prepare_nothing, execute, finish};

constexpr convict_implementation implementation(const char* name, const convict_steps* steps = nullptr) {
  return {name, "", "", {}, accept, run_right, nullptr, nullptr, steps};
}

TEST(BenchContestants, ThoseWithStepsTakePartTwice) {
  const convict_implementation plain = implementation("mine"), stepped = implementation("lib:any", &kSteps),
                               onednn = implementation("onednn", &kSteps);
  const std::vector<run::Subject> subjects = {{&plain, true, ""}, {&onednn, false, ""}, {&stepped, false, ""}};
  std::string names;
  for (const bench::Contestant& one : bench::contestants_of(subjects))
    names += one.name + (one.side == bench::Side::kTarget    ? "(t) "
                         : one.side == bench::Side::kLibrary ? "(l) "
                                                             : "(o) ");
  EXPECT_EQ(names, "mine(t) onednn:plain(l) lib:any+reorders(l) lib:any(o) ");
}

class BenchMeasurement : public testing::Test {
 protected:
  bench::Measured measured(const convict_implementation& one) {
    journal().clear();
    const std::vector<run::Subject> subjects = {{&one, true, ""}};
    return bench::measure(parse_case("conv1d in=1 seed=3"), subjects, without_, {{1}, 1e-4, 1}, operands_, record_)
        .front();
  }

  std::set<std::string> without_;
  bench::LayerOperands operands_;
  run::FlightRecord record_;
};

TEST_F(BenchMeasurement, TimesWhatIsRight) {
  const bench::Measured row = measured(implementation("mine"));
  EXPECT_TRUE(row.timings.contains("mine"));
  EXPECT_TRUE(row.memory && row.memory->best > 0);
  EXPECT_TRUE(row.refused.empty());
  EXPECT_EQ(record_.implementation, run::FlightRecord::kOwnCode);
}

TEST_F(BenchMeasurement, DoesNotTimeWhatIsWrongOrFailsOrRefuses) {
  convict_implementation one = implementation("mine");
  one.run = run_wrong;
  EXPECT_TRUE(measured(one).refused.at("mine").starts_with("wrong: dst[0, 0, 0] is "));
  EXPECT_EQ(journal(), "r");
  one.run = run_failing;
  EXPECT_EQ(measured(one).refused.at("mine"), "no luck");
  one.unsupported = refuse;
  EXPECT_EQ(measured(one).refused.at("mine"), "too odd");
  one = implementation("mine", &kNoSteps);
  EXPECT_EQ(measured(one).refused.at("mine"), "not prepared");
}

TEST_F(BenchMeasurement, PreparesOutsideOfTheTimedCalls) {
  const bench::Measured row = measured(implementation("lib", &kSteps));
  EXPECT_TRUE(row.timings.contains("lib") && row.timings.contains("lib+reorders"));
  EXPECT_NE(journal().find("eee"), std::string::npos) << journal();
  EXPECT_NE(journal().find("pefpef"), std::string::npos) << journal();
  EXPECT_EQ(journal().find("pp"), std::string::npos) << "not finished: " << journal();
  EXPECT_EQ(journal().find('r'), std::string::npos) << journal();
}

TEST(BenchOperands, MovingThemReadsInputsAndWritesOutputs) {
  bench::LayerOperands operands;
  const Case c = parse_case("conv1d ic=2000 in=3 seed=3");
  operands.set(c, resolve_valid(c));
  const convict_tensors& t = operands.tensors();
  const float before = static_cast<float*>(t.src.data)[7];
  EXPECT_GT(operands.seconds_to_move(), 0);
  EXPECT_EQ(static_cast<float*>(t.src.data)[7], before);
  EXPECT_TRUE(std::isnan(static_cast<float*>(t.dst.data)[2]));
}

TEST_F(BenchMeasurement, LeavesOutWhomItIsTold) {
  without_ = {"mine"};
  const bench::Measured row = measured(implementation("mine"));
  EXPECT_TRUE(row.timings.empty());
  EXPECT_EQ(journal(), "");
}

convict_status round_down(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t size) {
  std::fesetround(FE_DOWNWARD);
  return run_right(self, p, t, error, size);
}

TEST_F(BenchMeasurement, KeepsTheFloatingPointEnvironmentForTheOthers) {
  convict_implementation one = implementation("rude");
  one.run = round_down;
  EXPECT_TRUE(measured(one).timings.contains("rude"));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace convict
