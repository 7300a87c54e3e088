// SPDX-License-Identifier: Apache-2.0
#include "generate/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/case_text.h"
#include "core/error.h"

namespace convict::generate {

using nlohmann::json;

namespace {

constexpr size_t kDigits = 8 * (kStepCount + 1) + 20;  // of a recipe: its words, its wish, and what it keeps
constexpr size_t kMostRecipes = 1 << 14;          // that a file may hold
constexpr size_t kDigitsOfMove = 16 + 4;          // its steps, and its tries

std::string text_of(const std::vector<Recipe>& recipes) {
  std::string text;
  for (const Recipe& one : recipes) {
    for (const uint32_t word : one.choices.words) text += fmt::format("{:08x}", word);
    text += fmt::format("{:08x}{:016x}{:04x}", one.wish, one.kept, one.example);
  }
  return text;
}

template <class Word = uint32_t>
Word word_in(std::string_view digits) {
  Word word = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw UsageError("a recipe of a domain is not one");
  return word;
}

std::vector<Recipe> recipes_in(std::string_view text, size_t examples) {
  if (text.size() % kDigits != 0 || text.size() / kDigits > kMostRecipes)
    throw UsageError("the recipes of a domain are not whole");
  std::vector<Recipe> recipes(text.size() / kDigits);
  for (Recipe& one : recipes) {
    const auto next = [&]<class Word>(size_t digits, Word& word) {
      word = word_in<Word>(text.substr(0, digits));
      text.remove_prefix(digits);
    };
    for (uint32_t& word : one.choices.words) next(8, word);
    next(8, one.wish);
    next(16, one.kept);
    next(4, one.example);
    if (one.kept != 0 && one.example >= examples) throw UsageError("a recipe of a domain keeps what is not there");
    if (one.wish >= tuple_count() && one.wish != Recipe::kNoWish)
      throw UsageError("the wish of a recipe is not the number of a tuple");
  }
  return recipes;
}

/// The loose steps, and a move after the other.
std::string text_of(const Moves& moves) {
  std::string text = fmt::format("{:016x}", moves.loose);
  for (const Move& one : moves.tied) text += fmt::format("{:016x}{:04x}", one.steps, one.tries);
  return text;
}

Moves moves_in(std::string_view text) {
  const auto steps = [&] { return word_in<uint64_t>(text.substr(0, 16)); };
  if (text.size() < 16 || (text.size() - 16) % kDigitsOfMove != 0)
    throw UsageError("the moves of a domain are cut off");
  Moves moves{steps(), {}};
  for (text.remove_prefix(16); !text.empty(); text.remove_prefix(kDigitsOfMove))
    moves.tied.push_back({steps(), word_in(text.substr(16, 4))});
  uint64_t all = moves.loose;
  for (const Move& one : moves.tied) {
    if (one.tries == 0) throw UsageError("a move of a domain has no tries");
    all |= one.steps;
  }
  if (all >> kStepCount != 0) throw UsageError("a move of a domain names a step that does not exist");
  return moves;
}

/// Four pairs a digit.
std::string text_of(const std::vector<bool>& pairs) {
  std::string text((pairs.size() + 3) / 4, '0');
  for (size_t id = 0; id < pairs.size(); ++id) {
    if (!pairs[id]) continue;
    char& digit = text[id / 4];
    const int value = (digit > '9' ? digit - 'a' + 10 : digit - '0') | 1 << id % 4;
    digit = "0123456789abcdef"[value];
  }
  return text;
}

std::vector<bool> pairs_in(std::string_view text) {
  std::vector<bool> pairs(pair_count());
  if (text.size() != (pairs.size() + 3) / 4) throw UsageError("the pairs of a domain are not those of this program");
  for (size_t id = 0; id < pairs.size(); ++id) pairs[id] = (word_in(text.substr(id / 4, 1)) >> id % 4 & 1) != 0;
  return pairs;
}

}  // namespace

int64_t Moves::tries() const {
  int64_t sum = 0;
  for (const Move& one : tied) sum += one.tries;
  return sum;
}

bool Domain::has(FeatureId feature, int level) const {
  // Each case has some level of any other feature: one of those pairs tells.
  const FeatureId other = feature == feature::kOp ? feature::kPass : feature::kOp;
  const auto count = static_cast<uint8_t>(features()[other].levels.size());
  for (uint8_t beside = 0; beside < count; ++beside) {
    Tuple pair = {2, {feature, other}, {static_cast<uint8_t>(level), beside}};
    if (other < feature) std::swap(pair.feature[0], pair.feature[1]), std::swap(pair.level[0], pair.level[1]);
    if (has_pair(id_of(pair))) return true;
  }
  return false;
}

bool Domain::contains(const Tuple& t) const {
  if (pairs_.empty() || takes_all) return true;
  for (int i = 0; i < t.size; ++i)
    for (int j = i + 1; j < t.size; ++j)
      if (!pairs_[id_of({2, {t.feature[i], t.feature[j]}, {t.level[i], t.level[j]}})]) return false;
  return true;
}

uint32_t Domain::pairs() const { return static_cast<uint32_t>(std::ranges::count(pairs_, true)); }

json Domain::to_json() const {
  if (is_whole()) return nullptr;
  json lines = json::array();
  for (const Case& one : examples) lines.push_back(to_text(one));
  return {{"table", feature_table()},
          {"examples", lines},
          {"takes_all", takes_all},
          {"steps", kStepCount},
          {"pairs", text_of(pairs_)},
          {"moves", text_of(moves)},
          {"starts", text_of(starts)},
          {"rare", text_of(rare)}};
}

Domain Domain::from_json(const json& from) {
  if (from.is_null() || from.at("table") != feature_table() || from.at("steps") != kStepCount) return {};
  const auto pairs = from.at("pairs").get<std::string>();
  Domain domain(pairs.empty() ? std::vector<bool>() : pairs_in(pairs));
  domain.takes_all = from.at("takes_all").get<bool>();
  if (from.contains("moves")) domain.moves = moves_in(from.at("moves").get<std::string>());  // older ones have none
  for (const json& line : from.at("examples")) domain.examples.push_back(parse_case(line.get<std::string>()));
  domain.starts = recipes_in(from.at("starts").get<std::string>(), domain.examples.size());
  domain.rare = recipes_in(from.at("rare").get<std::string>(), domain.examples.size());
  return domain;
}

}  // namespace convict::generate
