// SPDX-License-Identifier: Apache-2.0
//
// What narrow domains look like from inside, and whether a campaign sees them so:
//
//     narrow_domains list [SEED [COUNT]]            conditions, witnesses, faults, as JSON
//     narrow_domains shares [DRAWS [SEED [COUNT]]]  which share of the default mixture each domain is
//     narrow_domains reject PLUGIN DRAWS [SEED]     cases that each target takes, as JSON
//     narrow_domains compare PLUGIN TARGET REJECTED CASES [SEED]
//
// `reject` draws up to DRAWS cases of the default mixture, each by itself, and keeps those that a target takes, until
// it has enough of them: rejection sampling, which has the right distribution by definition. `compare` lets the
// generator of campaigns draw CASES in the domain of one target, in four campaigns, and compares how often each level
// of each feature shows in them and in what the file REJECTED kept of `reject`. It writes one JSON object.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/generate.h"
#include "generate/moves.h"
#include "generate/place.h"
#include "generate/surveyor.h"
#include "tests/narrow/domain.h"

namespace convict {
namespace {

using nlohmann::json;

using Accepts = std::function<bool(const Case&)>;

/// What a campaign samples if nobody says otherwise.
const generate::Profile* default_mixture() { return generate::find_profile(generate::kDefaultProfile); }

/// Why a case is refused; nothing if it is accepted.
using Refuses = std::function<std::optional<generate::Refusal>(const Case&)>;

/// Calls `take` with the cases of a campaign, and returns how many of them the target refuses.
template <class Take>
uint64_t draw_campaign(const Refuses& refuses, uint64_t seed, uint64_t cases, const Take& take) {
  const auto accepts = [&](const Case& c) { return !refuses(c); };
  const generate::Ask ask = [&](std::span<const Case> asked) {
    std::vector<std::optional<generate::Refusal>> reasons;
    for (const Case& c : asked) reasons.push_back(refuses(c));
    return reasons;
  };
  const generate::Survey survey = generate::survey({default_mixture(), seed}, ask, [](double) { return true; });
  const generate::Share share = {0, 1, survey.domain};
  const generate::Sampling sampling = {.profile = default_mixture(), .seed = seed, .shares = std::span(&share, 1)};
  uint64_t lost = 0;
  for (uint64_t index = 0; index < cases; ++index) {
    generate::Place place(sampling, index);
    while (!place.is_decided()) place.answer(accepts(place.asks()));
    if (accepts(place.found()))
      take(place.found());
    else
      ++lost;
  }
  return lost;
}

// ---- A target of a plugin -------------------------------------------------------------------------------------------

/// An implementation of a plugin, and the question whether a campaign would judge it on a case.
class Target {
 public:
  Target(const convict_implementation* who, const convict_abilities* abilities) : who_(who) {
    if (abilities) abilities_ = *abilities;
  }

  std::string_view name() const { return who_->name; }
  std::optional<generate::Refusal> refuses(const Case& c) const {
    const Resolved resolved = resolve(c);
    if (resolved.why_not) return generate::Refusal{"illegal", false};
    return refuses(c, resolved.problem, describe_tensors(c, resolved.problem));
  }
  /// The same, of a case that is resolved and described already.
  std::optional<generate::Refusal> refuses(const Case& c, const convict_problem& p, const convict_tensors& t) const {
    if ((c.beta != 0 && !who_->contract.accumulates) || (c.relu && !who_->contract.fuses_relu) ||
        (c.requant != Requant::kNone && !abilities_.requantizes))
      return generate::Refusal{"it does not promise that", false};
    const char* reason = who_->unsupported(who_, &p, &t);
    return reason ? std::optional(generate::Refusal{reason}) : std::nullopt;
  }

 private:
  const convict_implementation* who_;
  convict_abilities abilities_ = {};
};

/// The implementations of a plugin, which stays loaded.
std::vector<Target> targets_of(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto plugin = reinterpret_cast<convict_plugin_function>(dlsym(library, CONVICT_PLUGIN_SYMBOL));
  const auto abilities = reinterpret_cast<convict_abilities_function>(dlsym(library, CONVICT_ABILITIES_SYMBOL));
  if (!plugin) throw std::runtime_error(path + " is not a plugin");
  std::vector<Target> targets;
  for (const convict_implementation* one : std::span(plugin()->implementations, plugin()->count))
    targets.emplace_back(one, abilities ? abilities(one) : nullptr);
  return targets;
}

Target find_target(const std::string& path, std::string_view name) {
  for (const Target& one : targets_of(path))
    if (one.name() == name) return one;
  throw std::runtime_error("no " + std::string(name) + " in " + path);
}

/// How often each level shows, and how many cases are the smallest of their kind.
struct Histogram {
  uint64_t cases = 0, one_tap = 0;
  std::vector<std::vector<uint64_t>> levels;  // by feature and level

  Histogram() {
    for (const Feature& feature : features()) levels.emplace_back(feature.levels.size());
  }
  void add(const Case& c) {
    const Levels found = levels_of(c, resolve(c).problem);
    for (const Feature& feature : features()) ++levels[static_cast<size_t>(feature.id)][found[feature.id]];
    ++cases;
    one_tap += std::ranges::max(c.kernel) == 1;
  }
  double share(uint64_t count) const {
    return cases == 0 ? 0 : static_cast<double>(count) / static_cast<double>(cases);
  }
  double share(FeatureId feature, size_t level) const { return share(levels[static_cast<size_t>(feature)][level]); }
};

/// Cases of one distribution: all of them, and those of more than one channel. Where conditions join channels with
/// something else, independent draws meet them with one channel mostly.
struct Cases {
  Histogram all, several;

  void add(const Case& c) {
    all.add(c);
    if (c.ic > 1 || c.oc > 1) several.add(c);
  }
  double one_channel() const { return all.share(all.cases - several.cases); }
};

// ---- reject ---------------------------------------------------------------------------------------------------------

/// Draw `i` of the default mixture that has no wish: even numbers have none.
Case independent(uint64_t seed, uint64_t i) { return generate::generate(default_mixture(), seed, 2 * i); }

json reject(const std::string& plugin, uint64_t draws, uint64_t seed) {
  constexpr size_t kEnough = 5'000;
  const std::vector<Target> targets = targets_of(plugin);
  std::vector<std::vector<std::string>> kept(targets.size());
  std::vector<uint64_t> drawn(targets.size(), draws);
  for (uint64_t i = 0; i < draws; ++i) {
    const Case c = independent(seed, i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    const convict_tensors t = describe_tensors(c, resolved.problem);
    for (size_t who = 0; who < targets.size(); ++who) {
      if (kept[who].size() == kEnough || targets[who].refuses(c, resolved.problem, t)) continue;
      kept[who].push_back(to_text(c));
      if (kept[who].size() == kEnough) drawn[who] = i + 1;
    }
  }
  json result = json::object();
  for (size_t who = 0; who < targets.size(); ++who)
    result[std::string(targets[who].name())] = {{"draws", drawn[who]}, {"cases", kept[who]}};
  return result;
}

// ---- compare --------------------------------------------------------------------------------------------------------

/// What rejection sampling kept for a target, and what the default mixture looks like.
struct Rejection {
  Cases kept;
  Histogram wide;
  uint64_t draws = 0;
  uint64_t faulty = 0;  // of the kept ones, those that a planted fault concerns
};

Rejection read_rejection(const std::string& file, const std::string& name, const Accepts& is_faulty, uint64_t seed) {
  constexpr uint64_t kWide = 100'000;
  Rejection result;
  for (uint64_t i = 0; i < kWide; ++i)
    if (const Case c = independent(seed, i); !resolve(c).why_not) result.wide.add(c);
  std::ifstream stream(file);
  const json kept = json::parse(stream).at(name);
  result.draws = kept.at("draws").get<uint64_t>();
  for (const json& line : kept.at("cases")) {
    const Case c = parse_case(line.get<std::string>());
    result.kept.add(c);
    result.faulty += is_faulty(c);
  }
  return result;
}

constexpr uint64_t kCampaigns = 4;

/// Cases of a campaign that are independent of each other, at most: as many as its walks have places to begin.
uint64_t independent_cases(uint64_t cases) { return std::min<uint64_t>(cases, kCampaigns * generate::kStarts); }

/// The standard error of a share of `all`.
double error_of(double share, uint64_t all) {
  const auto count = static_cast<double>(std::max<uint64_t>(all, 1));
  return std::sqrt(std::max(share, 1 / count) * (1 - std::min(share, 1.0)) / count);
}

/// Whether a share is below half of what is wanted, and chance does not explain it: by three standard errors.
bool is_below_half(double wanted, uint64_t of, double got, uint64_t cases) {
  return got + 3 * std::hypot(error_of(wanted, of) / 2, error_of(got, cases)) < wanted / 2;
}

/// A level in both distributions. It is `lacking` if it is below half even among cases of more than one channel, and if
/// no more is wanted of it than the wide mixture has.
json as_json(const Feature& feature, size_t level, const Rejection& rejection, const Cases& campaign) {
  const Cases& kept = rejection.kept;
  const double inside = kept.all.share(feature.id, level), got = campaign.all.share(feature.id, level);
  const double wide = rejection.wide.share(feature.id, level);
  const double wanted = std::min(wide, kept.several.share(feature.id, level));
  return {{"feature", feature.name},
          {"level", feature.levels[level]},
          {"rejection", inside},
          {"wide", wide},
          {"campaign", got},
          {"ratio", inside > 0 ? got / inside : 0},
          {"below_half", is_below_half(inside, kept.all.cases, got, independent_cases(campaign.all.cases))},
          {"lacking", is_below_half(wanted, kept.several.cases, campaign.several.share(feature.id, level),
                                    independent_cases(campaign.several.cases))}};
}

/// Levels that rejection sampling shows often enough to say something of them, the worst first.
json compared(const Rejection& rejection, const Cases& campaign) {
  constexpr uint64_t kEnough = 20;
  std::vector<json> rows;
  for (const Feature& feature : features())
    for (size_t level = 0; level < feature.levels.size(); ++level)
      if (rejection.kept.all.levels[static_cast<size_t>(feature.id)][level] >= kEnough)
        rows.push_back(as_json(feature, level, rejection, campaign));
  std::ranges::stable_sort(rows, {}, [](const json& row) { return row["ratio"].get<double>(); });
  return rows;
}

/// Whether the planted fault of the twin concerns a case; none for other kernels. The plugin has the same domains,
/// which the environment names.
Accepts fault_of(const std::string& name) {
  if (!name.starts_with("narrow-")) return [](const Case&) { return false; };
  const char* population = std::getenv("CONVICT_NARROW_SEED");
  const narrow::Domain domain = narrow::draw_domain(population ? std::strtoull(population, nullptr, 10) : 1,
                                                    std::strtoull(name.c_str() + 7, nullptr, 10));
  return [fault = domain.fault](const Case& c) {
    const convict_problem p = resolve(c).problem;
    const convict_tensors t = describe_tensors(c, p);
    return fault.holds({p, t});
  };
}

json compare(const std::string& plugin, const std::string& name, const std::string& rejected, uint64_t cases,
             uint64_t seed) {
  const Target target = find_target(plugin, name);
  const Refuses refuses = [&](const Case& c) { return target.refuses(c); };
  const Accepts is_faulty = fault_of(name);
  const Rejection rejection = read_rejection(rejected, name, is_faulty, seed);
  Cases campaign;
  uint64_t faulty = 0, lost = 0;
  for (uint64_t i = 0; i < kCampaigns; ++i)
    lost += draw_campaign(refuses, seed + i, cases / kCampaigns, [&](const Case& c) {
      campaign.add(c);
      faulty += is_faulty(c);
    });
  const json levels = compared(rejection, campaign);
  const auto count = [&](const char* what) {
    return std::ranges::count_if(levels, [&](const json& row) { return row[what].get<bool>(); });
  };
  return {{"target", name},
          {"draws", rejection.draws},
          {"kept", rejection.kept.all.cases},
          {"cases", cases},
          {"judged", campaign.all.cases},
          {"lost", lost},
          {"below_half", count("below_half")},
          {"lacking", count("lacking")},
          {"faulty", {rejection.kept.all.share(rejection.faulty), campaign.all.share(faulty)}},
          {"one_channel", {rejection.kept.one_channel(), campaign.one_channel()}},
          {"one_tap", {rejection.kept.all.share(rejection.kept.all.one_tap), campaign.all.share(campaign.all.one_tap)}},
          {"worst", levels.empty() ? json(nullptr) : levels.front()},
          {"levels", levels}};
}

// ---- list and shares ------------------------------------------------------------------------------------------------

json listed(uint64_t seed, uint64_t count) {
  json rows = json::array();
  for (uint64_t number = 1; number <= count; ++number) {
    const narrow::Domain domain = narrow::draw_domain(seed, number);
    rows.push_back({{"name", domain.name()},
                    {"conditions", domain.conditions.size()},
                    {"domain", domain.text()},
                    {"share", domain.share},
                    {"witness", to_text(domain.witness)},
                    {"fault", domain.fault.text},
                    {"fault_share", domain.fault_share},
                    {"fault_witness", to_text(domain.fault_witness)}});
  }
  return rows;
}

/// Conditions that hang together, given the operation; what is in two groups is drawn nearly independently.
int group_of(narrow::Category category) {
  switch (category) {
    case narrow::Category::kOperation: return 0;
    case narrow::Category::kType:
    case narrow::Category::kQuantization: return 1;
    case narrow::Category::kLayout: return 2;
    case narrow::Category::kOther: return 3;
    default: return 4;  // sizes
  }
}

/// The share of a profile that is inside: that of the operation, times that of each other group given the operation.
double estimated_share(const narrow::Domain& domain, const generate::Profile* profile, uint64_t seed, uint64_t draws) {
  constexpr int kGroups = 5;
  uint64_t counts[kGroups] = {};
  for (uint64_t i = 0; i < draws; ++i) {
    const Case c = generate::generate(profile, seed, 2 * i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    const convict_tensors t = describe_tensors(c, resolved.problem);
    bool met[kGroups] = {true, true, true, true, true};
    for (const narrow::Condition& one : domain.conditions)
      met[group_of(one.category)] &= one.holds({resolved.problem, t});
    met[1] &= (c.requant == Requant::kNone || domain.requantizes) && (c.beta == 0 || domain.accumulates);
    met[3] &= !c.relu || domain.fuses_relu;
    for (int group = 0; group < kGroups; ++group) counts[group] += met[0] && met[group];
  }
  double share = static_cast<double>(counts[0]) / static_cast<double>(draws);
  for (int group = 1; group < kGroups; ++group)
    share *= static_cast<double>(counts[group]) / static_cast<double>(std::max<uint64_t>(counts[0], 1));
  return share;
}

json shares(uint64_t draws, uint64_t seed, uint64_t count) {
  json rows = json::array();
  for (uint64_t number = 1; number <= count; ++number) {
    const narrow::Domain domain = narrow::draw_domain(seed, number);
    rows.push_back({{"name", domain.name()},
                    {"aimed", domain.share},
                    {"share", estimated_share(domain, default_mixture(), seed, draws)}});
  }
  return rows;
}

}  // namespace
}  // namespace convict

int main(int argc, char** argv) {
  using namespace convict;
  const auto word = [&](int at) { return std::string(at < argc ? argv[at] : ""); };
  const auto number = [&](int at, uint64_t otherwise) {
    return at < argc ? std::strtoull(argv[at], nullptr, 10) : otherwise;
  };
  try {
    json result;
    if (word(1) == "list")
      result = listed(number(2, 1), number(3, 40));
    else if (word(1) == "shares")
      result = shares(number(2, 200'000), number(3, 1), number(4, 40));
    else if (word(1) == "reject" && argc >= 4)
      result = reject(word(2), number(3, 0), number(4, 1));
    else if (word(1) == "compare" && argc >= 6)
      result = compare(word(2), word(3), word(4), number(5, 0), number(6, 1));
    else
      throw std::runtime_error("usage: list [SEED [COUNT]] | shares [DRAWS [SEED [COUNT]]] | "
                               "reject PLUGIN DRAWS [SEED] | compare PLUGIN TARGET REJECTED CASES [SEED]");
    std::puts(result.dump().c_str());
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "narrow_domains: %s\n", e.what());
    return 2;
  }
}
