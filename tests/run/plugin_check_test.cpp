// SPDX-License-Identifier: Apache-2.0
#include "run/subject.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/error.h"
#include "run/loader.h"

namespace convict::test {
namespace {

const char* unsupported(const convict_implementation*, const convict_problem*, const convict_tensors*) {
  return nullptr;
}

convict_status run(const convict_implementation*, const convict_problem*, const convict_tensors*, char*, size_t) {
  return CONVICT_OK;
}

/// A plugin as it should be, for tests to break.
struct Plugin {
  convict_implementation one = {
      "mine",  "mine",  "mine", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0}, unsupported, run,
      nullptr, nullptr, nullptr};
  const convict_implementation* list[1] = {&one};
  convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, list};

  /// Why it is refused; nothing if it is not.
  std::string refusal() const {
    try {
      run::check_plugin(&plugin, "it");
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

/// C writes any number into an enumeration.
template <class Enum>
void set(Enum& field, int number) {
  static_assert(sizeof field == sizeof number);
  std::memcpy(&field, &number, sizeof number);
}

TEST(PluginCheck, TakesWhatIsAsItShouldBe) {
  Plugin sound;
  EXPECT_EQ(sound.refusal(), "");
  sound.one.name = "libmine:fast|avx2(8x16)";
  EXPECT_EQ(sound.refusal(), "");
  sound.one.contract.summation = CONVICT_BLOCKED;
  sound.one.contract.sum_block = 1;
  EXPECT_EQ(sound.refusal(), "");
}

TEST(PluginCheck, RefusesTables) {
  EXPECT_THROW(run::check_plugin(nullptr, "it"), UsageError);
  Plugin no_list;
  no_list.plugin.implementations = nullptr;
  EXPECT_EQ(no_list.refusal(), "plugin 'it' has no list of implementations");
  Plugin no_entry;
  no_entry.list[0] = nullptr;
  EXPECT_NE(no_entry.refusal().find("implementation 0 lacks"), std::string::npos);
  for (const size_t count : {size_t{0}, size_t{65}, SIZE_MAX}) {
    Plugin counts;
    counts.plugin.count = count;
    EXPECT_NE(counts.refusal().find("valid: 1 to 64"), std::string::npos) << count;
  }
  Plugin other;
  other.plugin.abi_version = 0;
  EXPECT_NE(other.refusal().find("ABI version 0"), std::string::npos);
}

TEST(PluginCheck, RefusesNamesThatNobodyCanType) {
  const std::string long_name(run::kLongestName + 1, 'x');
  for (const char* name :
       {"", "two words", "a,b", "tab\t", "bell\a", "\x1b[31m", "na\xc3\xafve", "\xff\xfe", long_name.c_str()}) {
    Plugin named;
    named.one.name = name;
    const std::string why = named.refusal();
    EXPECT_NE(why.find("implementation 0 is called"), std::string::npos) << name;
    for (const char c : why) EXPECT_TRUE(c >= ' ' && c < 0x7f) << why;
    EXPECT_LT(why.size(), 300u);
  }
}

TEST(PluginCheck, RefusesContractsThatSayNothing) {
  const auto refusal = [](auto break_it) {
    Plugin broken;
    break_it(broken.one.contract);
    return broken.refusal();
  };
  for (const int number : {INT_MIN, -1, 0, 4, 77, INT_MAX})
    EXPECT_NE(refusal([&](convict_contract& c) { set(c.algorithm, number); }).find("algorithm"), std::string::npos);
  for (const int number : {INT_MIN, 0, 5, INT_MAX})
    EXPECT_NE(refusal([&](convict_contract& c) { set(c.min_accumulator, number); }).find("min_accumulator"),
              std::string::npos);
  for (const int number : {INT_MIN, -1, 4, INT_MAX})
    EXPECT_NE(refusal([&](convict_contract& c) { set(c.summation, number); }).find("summation"), std::string::npos);
  for (const int block : {INT_MIN, 0})
    EXPECT_NE(refusal([&](convict_contract& c) {
                c.summation = CONVICT_BLOCKED;
                c.sum_block = block;
              }).find("sum_block"),
              std::string::npos);
}

/// Why transforms are refused of a plugin with this contract; nothing if they are not.
std::string refusal_of(const convict_transforms& transforms, convict_algorithm algorithm = CONVICT_WINOGRAD,
                       bool chooses = false) {
  Plugin plugin;
  plugin.one.contract.algorithm = algorithm;
  plugin.one.contract.winograd_m = 2;
  plugin.one.contract.winograd_r = 3;
  if (chooses)
    plugin.one.contract_for = [](const convict_implementation* self, const convict_problem*, const convict_tensors*) {
      return &self->contract;
    };
  try {
    run::checked_transforms(transforms, plugin.one, "it");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(PluginCheck, TakesTransformsOfTheContract) {
  constexpr double kThree[] = {0, 1, -0.5};
  const Transforms taken = run::checked_transforms({1, -1, 0, nullptr}, Plugin().one, "it");
  EXPECT_EQ(taken, (Transforms{true, true, {}}));
  EXPECT_EQ(refusal_of({0, 0, 3, kThree}), "");
  EXPECT_EQ(refusal_of({0, 0, 2, kThree}, CONVICT_DIRECT, true), "") << "the contract of a problem may have two";
  EXPECT_EQ(refusal_of({1, 1, 0, nullptr}, CONVICT_DIRECT), "");
}

TEST(PluginCheck, TakesMatrixUnitsOfDirectSums) {
  const auto refusal_of_unit = [](const MatrixUnit& unit, convict_algorithm algorithm = CONVICT_DIRECT) -> std::string {
    Plugin plugin;
    plugin.one.contract.algorithm = algorithm;
    try {
      run::check_matrix_unit(unit, plugin.one, "it");
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  for (const int bits : {0, 8, 11, 53}) EXPECT_EQ(refusal_of_unit({bits, true}), "");
  for (const int bits : {INT_MIN, -1, 7, 54, INT_MAX})
    EXPECT_NE(refusal_of_unit({bits, false}).find("valid: 8 to 53, or 0"), std::string::npos) << bits;
  EXPECT_EQ(refusal_of_unit({}, CONVICT_FFT), "");
  EXPECT_NE(refusal_of_unit({11, false}, CONVICT_FFT).find("operand_bits beside a transform"), std::string::npos);
  EXPECT_NE(refusal_of_unit({0, true}, CONVICT_WINOGRAD).find("truncates beside a transform"), std::string::npos);
}

TEST(PluginCheck, RefusesPointsThatAreNoneOfATile) {
  constexpr double kTwice[] = {0, 1, 1}, kZeros[] = {0.0, 2, -0.0}, kInfinite[] = {0, 1, HUGE_VAL},
                   kNone[] = {0, 1, std::numeric_limits<double>::quiet_NaN()}, kFour[] = {0, 1, 2, 3};
  EXPECT_EQ(refusal_of({0, 0, 4, kFour}),
            "plugin 'it': 'mine' declares 4 points; valid: winograd_m + winograd_r - 2 = 3, "
            "or none for the usual ones");
  EXPECT_EQ(refusal_of({0, 0, 3, kTwice}), "plugin 'it': 'mine' declares the point 1 twice; valid: distinct numbers");
  EXPECT_NE(refusal_of({0, 0, 3, kZeros}).find("twice"), std::string::npos);
  EXPECT_EQ(refusal_of({0, 0, 3, kInfinite}),
            "plugin 'it': 'mine' declares the point inf; valid: finite numbers; infinity is always the last");
  EXPECT_NE(refusal_of({0, 0, 3, kNone}).find("the point nan"), std::string::npos);
  for (const int32_t count : {INT_MIN, -1, 8, INT_MAX})
    EXPECT_NE(refusal_of({0, 0, count, kFour}).find("valid: 0 to 7"), std::string::npos) << count;
  EXPECT_NE(refusal_of({0, 0, 3, nullptr}).find("3 points at NULL"), std::string::npos);
  for (const convict_algorithm other : {CONVICT_DIRECT, CONVICT_FFT})
    EXPECT_NE(refusal_of({0, 0, 4, kFour}, other).find("none without a contract of Winograd's"), std::string::npos);
}

TEST(PluginCheck, RefusesStepsThatAreNotAllThere) {
  const auto prepare = [](const convict_implementation*, const convict_problem*, const convict_tensors*, char*,
                          size_t) -> void* { return nullptr; };
  const auto execute = [](void*, char*, size_t) { return CONVICT_OK; };
  const auto finish = [](void*) { return CONVICT_OK; };
  Plugin stepped;
  convict_steps steps = {prepare, execute, finish};
  stepped.one.steps = &steps;
  EXPECT_EQ(stepped.refusal(), "");
  for (const convict_steps& broken :
       {convict_steps{nullptr, execute, finish}, {prepare, nullptr, finish}, {prepare, execute, nullptr}}) {
    steps = broken;
    EXPECT_NE(stepped.refusal().find("('mine') has steps"), std::string::npos);
  }
}

TEST(Subjects, HaveVersionsThatCanBePrinted) {
  Plugin plugin;
  plugin.plugin.version = nullptr;
  EXPECT_EQ(run::subjects_of(&plugin.plugin, "it").at(0).version, "");
  plugin.plugin.version = "1\n2\xff";
  EXPECT_EQ(run::subjects_of(&plugin.plugin, "it").at(0).version, "1?2?");
  const std::string huge(100'000, 'x');
  plugin.plugin.version = huge.c_str();
  EXPECT_LT(run::subjects_of(&plugin.plugin, "it").at(0).version.size(), 300u);
}

}  // namespace
}  // namespace convict::test
