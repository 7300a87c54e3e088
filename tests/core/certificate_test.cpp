// SPDX-License-Identifier: Apache-2.0
#include "core/certificate.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/random.h"

namespace convict {
namespace {

using nlohmann::json;

constexpr convict_dtype kTypes[] = {CONVICT_F32, CONVICT_F64, CONVICT_F16, CONVICT_BF16};

const std::set<std::string> kDecimals = {"got", "exact", "right", "magnitude", "bound", "expected"};

/// Random certificates: every field is there or not.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}

  Certificate certificate() {
    Certificate c;
    c.element.role = maybe(text());
    c.element.at = maybe(integers());
    c.element.got = maybe(number<Decimal>());
    c.element.exact = maybe(number<Decimal>());
    c.element.got_hex = maybe(number<Hexadecimal>());
    c.element.exact_hex = maybe(number<Hexadecimal>());
    c.element.right = maybe(number<Decimal>());
    c.element.terms = maybe(integer());
    c.element.magnitude = maybe(number<Decimal>());
    c.element.bound = maybe(number<Decimal>());
    c.element.bound_name = maybe(static_cast<Bound>(next() % kBoundNames.size()));
    c.element.accumulator = maybe(kTypes[next() % 4]);
    c.errors.wrong = maybe(integer());
    c.errors.unwritten = maybe(integer());
    c.errors.elements = maybe(integer());
    c.errors.geography = maybe(text());
    c.errors.map = maybe(ErrorMap{text(), integers(), text()});
    c.errors.values = maybe(OutputValues{numbers(), numbers()});
    c.relation = {maybe(text()), maybe(number<Decimal>())};
    c.death = {maybe(text()), maybe(text()), maybe(text()), maybe(integer()), maybe(text())};
    c.alone = {maybe(integer()), maybe(integer()), maybe(std::vector<std::string>{text(), text()}),
               maybe(integer()), maybe(integer()), maybe(integer()),
               maybe(text()),    maybe(text())};
    c.witnesses = maybe(std::map<std::string, std::string>{{text(), text()}, {text(), text()}});
    c.text = maybe(text());
    c.overrun = maybe(text());
    c.explained_by = maybe(text());
    c.read = maybe(text());
    return c;
  }

 private:
  uint64_t next() { return state_ = mix(state_ + kGoldenGamma); }
  int64_t integer() { return static_cast<int64_t>(next()) >> (next() % 64); }
  std::vector<int64_t> integers() { return std::vector<int64_t>(next() % 4, integer()); }
  std::string text() { return std::string(next() % 4, static_cast<char>(' ' + next() % 95)); }

  template <class N>
  N number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kRare[] = {0.0, -0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 0x1p-1074};
    if (next() % 3 == 0) return {kRare[next() % std::size(kRare)]};
    return {std::ldexp(static_cast<double>(static_cast<int64_t>(next())), static_cast<int>(next() % 2000) - 1000)};
  }
  std::vector<Decimal> numbers() { return std::vector<Decimal>(next() % 4, number<Decimal>()); }

  template <class T>
  std::optional<T> maybe(T value) {
    return next() % 2 == 0 ? std::nullopt : std::optional<T>(std::move(value));
  }

  uint64_t state_;
};

/// One with every key there is.
json complete() {
  json all = json::object();
  for (uint64_t seed = 0; seed < 100; ++seed) all.update(to_json(Draw(seed).certificate()));
  return all;
}

TEST(CertificateJson, ReadsWhatItWrites) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Certificate certificate = Draw(seed).certificate();
    const json document = json::parse(to_json(certificate).dump());
    ASSERT_TRUE(certificate_from_json(document) == certificate) << document;
    ASSERT_TRUE(certificate_in(document) == certificate) << document;
    ASSERT_EQ(to_json(certificate_from_json(document)), document);
  }
}

TEST(CertificateJson, SaysWhatIsDeclaredOfTransforms) {
  convict_contract contract{};
  contract.algorithm = CONVICT_WINOGRAD;
  contract.min_accumulator = CONVICT_F32;
  contract.winograd_m = 2;
  contract.winograd_r = 3;
  const Transforms all = {true, true, {0, 0.1, -1.4142135623730951}};
  Certificate certificate;
  certificate.element.contract = declared(contract, {all});
  const json document = json::parse(to_json(certificate).dump());
  EXPECT_EQ(document["declares"]["moves_tiles"], true);
  EXPECT_EQ(document["declares"]["points"], (json{0, 0.1, -1.4142135623730951}));
  EXPECT_FALSE(document["declares"].contains("pairs_planes")) << "it has no FFT";
  EXPECT_TRUE(certificate_from_json(document) == certificate);
  contract.winograd_m = 4;
  EXPECT_EQ(declared(contract, {all}).transforms, (Transforms{true, false, {}})) << "points of other tiles";
  contract.algorithm = CONVICT_FFT;
  EXPECT_EQ(declared(contract, {all}).transforms, (Transforms{false, true, {}}));
  certificate.element.contract = declared(contract, {});
  for (const char* key : {"moves_tiles", "pairs_planes", "points"})
    EXPECT_FALSE(to_json(certificate)["declares"].contains(key)) << key;
}

TEST(CertificateJson, SaysWhatIsDeclaredOfAMatrixUnit) {
  convict_contract contract{CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};
  Certificate certificate;
  certificate.element.contract = declared(contract, {{}, {11, true}});
  json document = json::parse(to_json(certificate).dump());
  EXPECT_EQ(document["declares"]["operand_bits"], 11);
  EXPECT_EQ(document["declares"]["truncates"], true);
  EXPECT_TRUE(certificate_from_json(document) == certificate);
  for (const json& bits : {json(7), json(54), json("11"), json(11.5)}) {
    document["declares"]["operand_bits"] = bits;
    EXPECT_THROW(certificate_from_json(document), UsageError) << bits;
  }
  contract.algorithm = CONVICT_FFT;
  EXPECT_EQ(declared(contract, {{}, {11, true}}).matrix_unit, MatrixUnit()) << "nothing is proven of it";
}

TEST(CertificateJson, HasAllKeys) {
  EXPECT_EQ(complete().size(), 38u) << complete();
  EXPECT_EQ(to_json(Certificate()), json::object());
}

TEST(CertificateJson, NumbersHaveTheirForms) {
  Certificate c;
  c.element.got = {std::numeric_limits<double>::quiet_NaN()};
  c.element.exact = {-std::numeric_limits<double>::infinity()};
  c.element.bound = {-1.0};
  c.element.got_hex = c.element.exact_hex = {-1.5};
  c.element.accumulator = CONVICT_BF16;
  c.element.bound_name = Bound::kGammaBlocked;
  EXPECT_EQ(to_json(c).dump(), R"({"accumulator":"bf16","bound":-1.0,"bound_name":"gamma_n, blocked","exact":"-inf",)"
                               R"("exact_hex":"-0x1.8p+0","got":"nan","got_hex":"-0x1.8p+0"})");
}

TEST(CertificateJson, AnotherTypeIsRefusedOrAbsent) {
  const json all = complete();
  for (const auto& [key, _] : all.items())
    for (const json& other : {json(nullptr), json(true), json(3.5), json{{"x", 3.5}}, json::array({json::object()})}) {
      if (other.is_number() && kDecimals.contains(key)) continue;
      json changed = all, without = all;
      changed[key] = other;
      without.erase(key);
      try {
        certificate_from_json(changed);
        ADD_FAILURE() << key << ": " << other;
      } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("certificate, key '" + key + "': missing or not "), std::string::npos)
            << error.what();
      }
      EXPECT_EQ(to_json(certificate_in(changed)), without) << key << ": " << other;
    }
}

TEST(CertificateJson, WhatIsNoObjectHasNoKeys) {
  for (const json& document : {json(nullptr), json(3), json("text"), json::array({1})}) {
    EXPECT_TRUE(certificate_in(document) == Certificate()) << document;
    EXPECT_THROW(certificate_from_json(document), UsageError) << document;
  }
}

TEST(CertificateJson, OtherKeysAndOtherBoundsAreNoError) {
  const Certificate c = certificate_from_json({{"from another version", 3}, {"bound_name", "of another version"}});
  EXPECT_EQ(c.element.bound_name, Bound::kUnknown);
}

TEST(CertificateJson, AFieldThatIsNeededIsNamed) {
  Certificate c;
  c.element.terms = 3;
  EXPECT_EQ(required(c, c.element.terms), 3);
  try {
    required(c, c.errors.unwritten);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "certificate, key 'unwritten_elements': missing or not a whole number");
  }
}

}  // namespace
}  // namespace convict
