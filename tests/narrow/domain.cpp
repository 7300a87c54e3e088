// SPDX-License-Identifier: Apache-2.0
#include "tests/narrow/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/geometry.h"
#include "core/layout.h"
#include "lab/faults/sound_kernel.h"
#include "tests/narrow/layer.h"

namespace convict::narrow {
namespace {

constexpr size_t kLeastConditions = 3, kMostConditions = 9;
constexpr double kLoosest = 0.9;                 // a condition that more cases meet is none
constexpr double kLowest = 0.3, kHighest = 1.5;  // a share may be so many times what it is aimed at
constexpr int kSteps = 600;                      // of the walk through a domain that looks for a fault
constexpr double kRarestFault = 0.03, kMostFrequentFault = 0.5;

/// Shares of forty domains in a row, from the largest to the smallest, in an order that is none.
double wanted_share(uint64_t number) {
  constexpr uint64_t kOfARow = 40, kApart = 17;
  const auto at = static_cast<double>(number * kApart % kOfARow) / (kOfARow - 1);
  return std::pow(10.0, -2 - 5.6 * at);
}

/// Adds conditions that the layer meets until the share is as wanted. Returns whether it is.
class Drawing {
 public:
  Drawing(Domain& domain, const Seen& layer, double wanted, Random& random)
      : domain_(domain), layer_(layer), wanted_(wanted), random_(random), kinds_(domain_kinds()) {}

  bool draw() {
    if (is_integer(layer_.src().dtype) || random_.chance(0.7)) add("types");
    for (int tries = 0; tries < 60 && !is_done(); ++tries) add(kinds_[drawn_kind()].name);
    return is_done();
  }

 private:
  bool is_done() const {
    return domain_.conditions.size() >= kLeastConditions && domain_.share <= kHighest * wanted_;
  }

  size_t drawn_kind() {
    double all = 0;
    for (const Kind& kind : kinds_) all += kind.weight;
    double left = random_.uniform() * all;
    size_t at = 0;
    while (at + 1 < kinds_.size() && (left -= kinds_[at].weight) >= 0) ++at;
    return at;
  }

  void add(std::string_view name) {
    const auto kind = std::ranges::find(kinds_, name, &Kind::name);
    if (kind == kinds_.end() || domain_.conditions.size() == kMostConditions) return;
    std::optional<Condition> condition = kind->of(layer_, random_);
    if (!condition || condition->share > kLoosest || domain_.share * condition->share < kLowest * wanted_) return;
    domain_.share *= condition->share;
    domain_.conditions.push_back(std::move(*condition));
    kinds_.erase(kind);
  }

  Domain& domain_;
  const Seen& layer_;
  const double wanted_;
  Random& random_;
  std::vector<Kind> kinds_;
};

/// Distinct problems inside, found by varying the witness and what was found.
std::vector<Case> walk(const Domain& domain, Random& random) {
  std::vector<Case> inside = {domain.witness};
  for (int step = 0; step < kSteps; ++step) {
    const Case& from = inside[static_cast<size_t>(random.below(static_cast<int64_t>(inside.size())))];
    const std::optional<Case> next = vary(from, random);
    if (next && domain.accepts(*next) && std::ranges::find(inside, *next) == inside.end()) inside.push_back(*next);
  }
  return inside;
}

bool meets(const Case& c, const Condition& condition) {
  const convict_problem p = resolve(c).problem;
  const convict_tensors t = describe_tensors(c, p);
  return condition.holds({p, t});
}

/// How many outputs a problem has. On many of them, no fault hides in the padding.
double outputs_of(const Case& c) {
  const convict_problem p = resolve(c).problem;
  auto count = static_cast<double>(p.batch * p.oc);
  for (int axis = 0; axis < p.rank; ++axis) count *= static_cast<double>(p.out[axis]);
  return count;
}

/// Whether the last tap of every axis meets an element somewhere. Where padding is wide, it does not.
bool last_tap_counts(const Case& c) {
  const convict_problem p = resolve(c).problem;
  const convict_tensors t = describe_tensors(c, p);
  return Seen{p, t}.every_axis([&](int axis) {
    const bool is_conv = p.op == CONVICT_CONV;
    const int64_t windows = is_conv ? p.out[axis] : p.in[axis], positions = is_conv ? p.in[axis] : p.out[axis];
    const int64_t first = (p.kernel[axis] - 1) * p.dilation[axis] - p.pad_begin[axis];
    for (int64_t window = 0; window < windows; ++window)
      if (const int64_t at = first + window * p.stride[axis]; 0 <= at && at < positions) return true;
    return false;
  });
}

/// Plants a fault whose condition some of the problems inside meet, but not the witness.
bool plant(Domain& domain, Random& random) {
  constexpr size_t kLeastInside = 50;
  const std::vector<Case> inside = walk(domain, random);
  if (inside.size() < kLeastInside) return false;
  std::vector<Condition> all = fault_conditions();
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  for (const Condition& one : all) {
    if (meets(domain.witness, one)) continue;
    std::vector<Case> wrong;
    std::ranges::copy_if(inside, std::back_inserter(wrong), [&](const Case& c) { return meets(c, one); });
    domain.fault_share = static_cast<double>(wrong.size()) / static_cast<double>(inside.size());
    if (domain.fault_share < kRarestFault || domain.fault_share > kMostFrequentFault) continue;
    domain.fault = one;
    domain.fault_witness = *std::ranges::max_element(wrong, {}, outputs_of);
    const bool loses_tap = domain.number % 2 != 0 && last_tap_counts(domain.fault_witness);
    domain.effect = loses_tap ? faults::Effect::kTapLost : faults::Effect::kChannelLost;
    return true;
  }
  return false;
}

/// One attempt at a domain around a layer.
std::optional<Domain> draw_around(const Case& layer, uint64_t number, Random& random) {
  const convict_problem p = resolve(layer).problem;
  const convict_tensors t = describe_tensors(layer, p);
  const convict_implementation& sound = faults::sound_kernel();
  if (sound.unsupported(&sound, &p, &t)) return std::nullopt;
  Domain domain;
  domain.number = number;
  domain.witness = layer;
  domain.reasons = number % 4 < 2 ? Reasons::kCondition : number % 4 == 2 ? Reasons::kConstant : Reasons::kCategory;
  domain.requantizes = layer.requant != Requant::kNone || random.chance(0.3);
  domain.fuses_relu = layer.relu || random.chance(0.3);
  domain.accumulates = random.chance(0.3);
  if (!Drawing(domain, {p, t}, wanted_share(number), random).draw()) return std::nullopt;
  // Most kernels look at types before sizes; some at whatever came first.
  if (number % 5 != 0) std::ranges::stable_sort(domain.conditions, {}, &Condition::category);
  if (!plant(domain, random)) return std::nullopt;
  return domain;
}

}  // namespace

std::string_view name_of(Category category) {
  constexpr std::string_view kNames[] = {"operation", "data type", "quantization", "groups", "channels",
                                         "kernel",    "strides",   "padding",      "layout", "configuration"};
  return kNames[static_cast<size_t>(category)];
}

std::vector<Kind> domain_kinds() {
  std::vector<Kind> all = word_kinds();
  for (const Kind& kind : size_kinds()) all.push_back(kind);
  return all;
}

std::string Domain::name() const { return fmt::format("narrow-{:03}", number); }

std::string Domain::text() const {
  std::vector<std::string_view> texts;
  for (const Condition& one : conditions) texts.push_back(one.text);
  return fmt::format("{}", fmt::join(texts, " and "));
}

const Condition* Domain::unmet(const Seen& seen) const {
  const auto found = std::ranges::find_if(conditions, [&](const Condition& one) { return !one.holds(seen); });
  return found == conditions.end() ? nullptr : &*found;
}

bool Domain::accepts(const Case& c) const {
  if ((c.beta != 0 && !accumulates) || (c.relu && !fuses_relu) || (c.requant != Requant::kNone && !requantizes))
    return false;
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return false;
  const convict_tensors t = describe_tensors(c, resolved.problem);
  if (unmet({resolved.problem, t})) return false;
  const convict_implementation& sound = faults::sound_kernel();
  return sound.unsupported(&sound, &resolved.problem, &t) == nullptr;
}

Domain draw_domain(uint64_t seed, uint64_t number) {
  for (uint64_t attempt = 0;; ++attempt) {
    Random random(mix(seed ^ 0x6e6172726f77) + attempt, number);
    if (std::optional<Domain> domain = draw_around(draw_layer(random), number, random)) return std::move(*domain);
  }
}

}  // namespace convict::narrow
