// SPDX-License-Identifier: Apache-2.0
#include "generate/niches.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace convict::generate {
namespace {

constexpr size_t kNicheSize = 16, kMostNiches = 200;

/// A text with its numbers left out: "ic=7 is no multiple" and "ic=9 is no multiple" are one reason.
std::string without_numbers(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c >= '0' && c <= '9'; }, '#');
  return text;
}

size_t below(size_t count, Random& random) { return static_cast<size_t>(random.below(static_cast<int64_t>(count))); }

}  // namespace

void Niches::add(const Refusal& refusal, const Recipe& recipe, bool drawn, Random& random) {
  const std::string key = without_numbers(refusal.reason);
  const auto found = niches_.find(key);
  if (found == niches_.end() && niches_.size() == kMostNiches) return;
  Niche& niche = found == niches_.end() ? niches_[key] : found->second;
  if (niche.recipes.empty()) niche.example = refusal;
  niche.drawn += drawn;
  if (niche.recipes.size() < kNicheSize)
    niche.recipes.push_back(recipe);
  else
    niche.recipes[below(kNicheSize, random)] = recipe;
}

bool Niches::are_telling() const {
  return std::ranges::count_if(niches_, [](const auto& one) { return one.second.example.by_target; }) > 1;
}

const Recipe& Niches::rare(Random& random) {
  Niche* rarest = nullptr;
  for (int i = 0; i < 4; ++i) {
    Niche& one = std::next(niches_.begin(), static_cast<std::ptrdiff_t>(below(niches_.size(), random)))->second;
    const auto seen = [](const Niche& of) { return std::pair(!of.example.by_target, of.drawn + of.explored); };
    if (!rarest || seen(one) < seen(*rarest)) rarest = &one;
  }
  ++rarest->explored;
  return rarest->recipes[below(rarest->recipes.size(), random)];
}

std::string Niches::deepest() const {
  if (niches_.empty()) return "";
  const auto depth = [](const auto& one) { return std::pair(!one.second.example.by_target, one.second.drawn); };
  const auto count = [](const auto& one) { return std::pair(one.second.example.by_target, one.second.drawn); };
  const std::string rarest = std::ranges::min_element(niches_, {}, depth)->second.example.reason;
  const std::string commonest = std::ranges::max_element(niches_, {}, count)->second.example.reason;
  return rarest == commonest ? rarest : rarest + "; or: " + commonest;
}

}  // namespace convict::generate
