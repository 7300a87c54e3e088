// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/geometry.h"
#include "core/layout.h"
#include "fill/data_numbers.h"
#include "lab/faults/faulty_kernel.h"
#include "lab/faults/sound_kernel.h"

namespace convict::faults {
namespace {

std::string_view pick(Random& random, std::initializer_list<std::string_view> from) {
  return random.pick(std::span<const std::string_view>(from.begin(), from.size()));
}

/// Between the two, with equal chances for equal ratios.
int64_t log_between(Random& random, int64_t lowest, int64_t highest) {
  const double ratio = static_cast<double>(highest) / static_cast<double>(lowest);
  return std::clamp<int64_t>(std::llround(static_cast<double>(lowest) * std::pow(ratio, random.uniform())), lowest,
                             highest);
}

/// Conditions that hold for more of the problems are too loose to count: three of them would be one.
constexpr double kLoosest = 0.34;

/// Whether a condition on fields leaves out most problems, as witnesses have them.
bool is_selective(const Condition& condition) {
  struct Problem {
    Case seen;
    convict_problem p;
  };
  static const std::vector<Problem> problems = [] {
    std::vector<Problem> list;
    for (uint64_t i = 0; i < 400; ++i) {
      Random random(0x70726f62, i);
      const Case c = draw_witness(random).c;
      const convict_problem p = resolve(c).problem;
      list.push_back({seen_case(p, describe_tensors(c, p)), p});
    }
    return list;
  }();
  const auto holds = [&](const Problem& one) { return Predicate{{condition}}.holds(one.seen, one.p); };
  return static_cast<double>(std::ranges::count_if(problems, holds)) <= kLoosest * static_cast<double>(problems.size());
}

/// Draws conditions that one witness meets.
class Drawing {
 public:
  Drawing(const Witness& witness, const convict_problem& p, const convict_tensors& tensors, Random& random)
      : witness_(witness),
        p_(p),
        tensors_(tensors),
        seen_(seen_case(p, tensors)),
        random_(random),
        axis_(static_cast<int>(random.below(p.rank))) {}

  Fault draw(int conditions) {
    for (int tries = 0; fault_.conditions() < conditions && tries < 3000; ++tries) add_one();
    fault_.effect = static_cast<Effect>(random_.below(kEffectCount));
    return fault_;
  }

 private:
  void add_one() {
    constexpr double kShares[] = {0.14, 0.05, 0.30, 0.07, 0.10, 0.15, 0.09, 0.06, 0.03, 0.01};
    double left = random_.uniform();
    int kind = 0;
    while (kind < 9 && (left -= kShares[kind]) >= 0) ++kind;
    switch (kind) {
      case 0: fault_.scope = FaultScope{p_.op, p_.pass}; break;
      case 1: fault_.rank = p_.rank; break;
      case 2: add_threshold(); break;
      case 3: add_exact(); break;
      case 4: add_remainder(); break;
      case 5: add_relation(); break;
      case 6: add_word(); break;
      case 7: add_data(); break;
      case 8: add_history(); break;
      default: fault_.every = log_between(random_, 2, 200); break;
    }
  }

  int64_t value_of(int quantity) const { return quantities()[quantity].value(seen_, p_, axis_); }

  /// Not the same question twice, such as in >= 5 and in >= 7.
  void add(const Condition& one) {
    const auto same = [&](const Condition& other) {
      const bool opposite = (one.relation == Comparator::kAtLeast && other.relation == Comparator::kAtMost) ||
                            (one.relation == Comparator::kAtMost && other.relation == Comparator::kAtLeast);
      return other.left == one.left && other.modulus == one.modulus && other.right == one.right && !opposite;
    };
    if (std::ranges::none_of(fault_.fields.conditions, same) && is_selective(one))
      fault_.fields.conditions.push_back(one);
  }

  int size() {
    return quantity_of(
        pick(random_, {"n", "g",      "ic", "oc", "ic/g",    "oc/g",  "in", "in",   "out",   "out",    "k",
                       "k", "window", "s",  "d",  "p.begin", "p.end", "op", "rest", "terms", "p.total"}));
  }

  void add_threshold() {
    const int quantity = size();
    const int64_t value = value_of(quantity);
    if (value < 1) return;
    if (value >= 2 && random_.chance(0.65))
      add({quantity, 0, Comparator::kAtLeast, -1, log_between(random_, (value + 1) / 2 + (value == 2), value)});
    else
      add({quantity, 0, Comparator::kAtMost, -1, log_between(random_, value, 2 * value)});
  }

  void add_exact() {
    const int quantity = size();
    if (const int64_t value = value_of(quantity); value <= 12) add({quantity, 0, Comparator::kEqual, -1, value});
  }

  void add_remainder() {
    constexpr int64_t kModuli[] = {2, 2, 3, 4, 4, 5, 7, 8, 8, 16, 32};
    if (p_.stride[axis_] > 1 && random_.chance(0.2)) {
      const bool is_multiple = p_.kernel[axis_] % p_.stride[axis_] == 0;
      return add({quantity_of("k"), 0, is_multiple ? Comparator::kEqual : Comparator::kUnequal, -1, 0,
                  Condition::kSomeAxis, Condition::kSomeAxis, quantity_of("s")});
    }
    const int quantity = size();
    const int64_t modulus = random_.pick(std::span<const int64_t>(kModuli)), value = value_of(quantity);
    if (value < modulus) return;  // a small number in disguise
    const bool is_whole = value % modulus == 0;
    if (is_whole || random_.chance(0.5))
      add({quantity, modulus, Comparator::kEqual, -1, value % modulus});
    else
      add({quantity, modulus, Comparator::kUnequal, -1, 0});
  }

  void add_relation() {
    const auto pairs = compared_pairs();
    const ComparedPair& pair = pairs[static_cast<size_t>(random_.below(static_cast<int64_t>(pairs.size())))];
    const Ordering order = pair.order(seen_, p_, axis_);
    const bool in_words = !quantities()[quantity_of(pair.left)].words.empty();
    const Comparator comparator = order == Ordering::kEqual   ? Comparator::kEqual
                                  : in_words                  ? Comparator::kUnequal
                                  : order == Ordering::kAbove ? Comparator::kMore
                                                              : Comparator::kLess;
    add({quantity_of(pair.left), 0, comparator, quantity_of(pair.right), 0});
  }

  /// Layouts, types and switches.
  void add_word() {
    const std::string_view name = pick(random_, {"lay.src", "lay.dst", "dt.src", "bias", "relu", "view.src", "view.wei",
                                                 "view.dst", "beta", "threads", "in.order", "k.order", "out.order"});
    const int quantity = quantity_of(name);
    const int64_t value = value_of(quantity);
    if (name == "threads" && value == 1) return;
    add({quantity, 0, name == "threads" ? Comparator::kAtLeast : Comparator::kEqual, -1,
         name == "threads" ? 2 : value});
  }

  void add_data() {
    if (fault_.data) return;
    const auto number = static_cast<int>(random_.below(static_cast<int64_t>(fill::data_numbers().size())));
    const int64_t value = fill::data_numbers()[static_cast<size_t>(number)].value(p_, tensors_);
    if (value < 1) return;
    const std::string_view name = fill::data_numbers()[static_cast<size_t>(number)].name;
    if (name == "sum.bits" && value < 20) return;  // what all data have
    if (name == "wei.zero_run" && value < 4) return;
    fault_.data = DataCondition{number, name == "sum.bits" ? random_.between(20, std::min<int64_t>(value, 34))
                                                           : log_between(random_, (value + 1) / 2, value)};
  }

  void add_history() {
    if (!witness_.before || fault_.history) return;
    const int quantity = quantity_of(pick(random_, {"n", "ic", "oc", "in", "k", "s", "out"}));
    const bool per_axis = quantities()[quantity].per_axis;
    const int64_t before = quantities()[quantity].value(*witness_.before, per_axis ? axis_ : 0);
    const int64_t now = value_of(quantity);
    if (before == now) return;
    const Comparator comparator = random_.chance(0.4) ? Comparator::kUnequal
                                  : before > now      ? Comparator::kMore
                                                      : Comparator::kLess;
    fault_.history = HistoryCondition{quantity, comparator};
  }

  const Witness& witness_;
  const convict_problem& p_;
  const convict_tensors& tensors_;
  const Case seen_;
  Random& random_;
  const int axis_;
  Fault fault_;
};

/// Whether the results differ by more than rounding: by a hundredth of the larger one, or as specials do.
bool differ(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return true;
    if (std::isnan(a[i]) || a[i] == b[i]) continue;
    if (!(std::abs(a[i] - b[i]) <= 0.01 * std::max(std::abs(a[i]), std::abs(b[i])))) return true;
  }
  return false;
}

std::vector<double> results_of(const Fault* fault, const Witness& witness) {
  FaultyKernel kernel(fault);
  const convict_implementation& who = kernel.implementation();
  char error[256];
  const auto call = [&](WitnessMemory& memory) {
    memory.reset_outputs();
    who.run(&who, &memory.problem(), &memory.tensors(), error, sizeof error);
  };
  if (witness.before) {
    WitnessMemory before(*witness.before, witness.pattern, mix(witness.data_seed));
    call(before);
  }
  WitnessMemory memory(witness.c, witness.pattern, witness.data_seed);
  for (int64_t times = fault ? fault->every : 1; times > 1; --times) {
    call(memory);
    if (fault->history) {
      WitnessMemory before(*witness.before, witness.pattern, mix(witness.data_seed));
      call(before);
    }
  }
  call(memory);
  return memory.results();
}

}  // namespace

bool is_live(const Fault& fault, const Witness& witness) {
  return differ(results_of(&fault, witness), results_of(nullptr, witness));
}

Fault draw_fault(uint64_t seed, uint64_t number, int conditions) {
  for (uint64_t attempt = 0;; ++attempt) {
    Random random(mix(seed ^ 0x6661756c74) + attempt, number);
    const Witness witness = draw_witness(random);
    const WitnessMemory memory(witness.c, witness.pattern, witness.data_seed);
    const convict_implementation& sound = sound_kernel();
    if (sound.unsupported(&sound, &memory.problem(), &memory.tensors())) continue;
    Fault fault = Drawing(witness, memory.problem(), memory.tensors(), random).draw(conditions);
    fault.name = fmt::format("{}.{}", seed, number);
    if (fault.conditions() == conditions && is_live(fault, witness)) return fault;
  }
}

}  // namespace convict::faults
