// SPDX-License-Identifier: Apache-2.0
//
// The audit of the judge, `make audit`: honest kernels, none of which may be convicted; dishonest ones, each with the share
// of cases on which it is; and what each fill sees of one changed term. Prints tables for the documents.
//
//     audit honest f32 20000 1       cases of each kernel of tests/honest whose sums are kept in this type, and a seed
//     audit dishonest 1000 1         cases of every profile, and a seed
//     audit fills 200 1              cases of each fill, and a seed
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string_view>

#include "core/case_text.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/names.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "generate/profile.h"
#include "tests/audit/dishonest.h"
#include "tests/honest/family/family_trial.h"

namespace convict::audit {
namespace {

constexpr double kMostProducts = 2e5;  // of a case, so that there are many

constexpr Fill kFills[] = {Fill::kInt,        Fill::kStructured, Fill::kLargeSums, Fill::kComb,
                           Fill::kNormal,     Fill::kWide,       Fill::kPositive,  Fill::kSpecial,
                           Fill::kSpecialWeights, Fill::kSubnormal, Fill::kZero};

/// As it is written on a case line; the first fill is written as nothing.
std::string fill_of(const Case& c) {
  const std::string line = to_text(c);
  const size_t at = line.find("fill=");
  return at == std::string::npos ? "int" : line.substr(at + 5, line.find(' ', at) - at - 5);
}

bool is_f32(const Case& c) {
  return c.src_type == CONVICT_F32 && c.wei_type == CONVICT_F32 && c.dst_type == CONVICT_F32;
}

/// Case number `index` of those of f32 that are legal and small.
std::optional<Case> case_of_f32(uint64_t seed, uint64_t index) {
  const Case c = generate::generate(generate::find_profile("all"), seed, index);
  const Resolved resolved = resolve(c);
  if (resolved.why_not || !is_f32(c) || multiply_adds(resolved.problem) > kMostProducts) return std::nullopt;
  return c;
}

examine::Examination examined(const convict_implementation& who, const Case& c) {
  static examine::LocalExaminer examiner;
  examiner.subjects = {{&who, true, ""}, {&direct(), false, ""}};
  return examiner.examine(c);
}

bool is_convicted(const examine::Examination& examination, std::string_view who) {
  return std::ranges::any_of(examination.mismatches, [&](const Mismatch& one) { return one.suspect == who; });
}

int print_dishonest(uint64_t cases, uint64_t seed) {
  std::puts("| kernel | what it does | convicted of | first after |\n|---|---|---|---|");
  int innocent = 0;
  for (const auto& [name, what, deed] : dishonest_deeds()) {
    const Dishonest who(name, what, deed);
    uint64_t judged = 0, convicted = 0, first = 0;
    for (uint64_t index = 0; judged < cases; ++index) {
      const auto c = case_of_f32(seed, index);
      if (!c) continue;
      const examine::Examination examination = examined(who, *c);
      ++judged;
      if (!is_convicted(examination, name)) continue;
      if (++convicted == 1) first = judged;
    }
    fmt::print("| `{}` | {} | {:.1f} % | {} |\n", name, what,
               100 * static_cast<double>(convicted) / static_cast<double>(judged),
               convicted == 0 ? "never" : std::to_string(first));
    std::fflush(stdout);
    innocent += convicted == 0 ? 1 : 0;
  }
  return innocent;
}

/// Changes the first product of the first result by 2^-k of itself; counts the calls in which that changes the result.
Deed changing_a_term(int k, uint64_t& changed) {
  return [k, &changed](Call& call) {
    const double term = double{*static_cast<const float*>(call.t.src.data)} * *static_cast<const float*>(call.t.wei.data);
    float& first = call.results.front();
    const auto other = static_cast<float>(first + std::ldexp(term, -k));
    if (!std::isfinite(other) || other == first) return;
    first = other;
    ++changed;
  };
}

/// Cases whose first result has the first elements of src and wei for a product.
std::optional<Case> case_with_a_first_term(uint64_t seed, uint64_t index) {
  const auto c = case_of_f32(seed, index);
  if (!c || c->pass != CONVICT_FORWARD || c->op != CONVICT_CONV || c->beta != 0 || c->relu) return std::nullopt;
  const convict_problem p = resolve_valid(*c);
  for (int axis = 0; axis < p.rank; ++axis)
    if (p.pad_begin[axis] != 0) return std::nullopt;
  return p.ic > 0 && p.oc > 0 ? c : std::nullopt;
}

/// Of the cases in which one changed term changes the result at all, the share that is convicted.
int print_fills(uint64_t cases, uint64_t seed) {
  constexpr int kShown[] = {4, 8, 12, 14, 16, 18, 20, 22};
  fmt::print("| fill |");
  for (const int k : kShown) fmt::print(" 2^-{} |", k);
  std::puts("\n|---|---|---|---|---|---|---|---|---|");
  for (const Fill fill : kFills) {
    std::string row;
    for (const int k : kShown) {
      uint64_t calls = 0, changed = 0, seen = 0;
      const Dishonest who("changed", "", changing_a_term(k, calls));
      for (uint64_t index = 0, judged = 0; judged < cases; ++index) {
        auto c = case_with_a_first_term(seed, index);
        if (!c) continue;
        ++judged;
        c->fill = fill;
        if (row.empty()) row = fmt::format("| `{}` |", fill_of(*c));
        const uint64_t before = calls;
        const bool is_seen = is_convicted(examined(who, *c), "changed");
        if (calls == before) continue;
        ++changed;
        seen += is_seen ? 1 : 0;
      }
      row += changed == 0 ? " |" : fmt::format(" {:.0f} % |", 100 * static_cast<double>(seen) / static_cast<double>(changed));
    }
    fmt::print("{}\n", row);
    std::fflush(stdout);
  }
  return 0;
}

/// The transforms of tests/honest that declare more than a contract, and do as they declare.
std::vector<run::Subject> declared_transforms() {
  std::vector<run::Subject> all;
  for (run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/honest.so")) {
    one.is_target = true;
    if (one.declarations.transforms != Transforms() && !one.name.starts_with("lossy-")) all.push_back(std::move(one));
  }
  return all;
}

int print_honest(convict_dtype sums, uint64_t cases, uint64_t seed) {
  using namespace honest::family;
  const auto members = members_with(sums);
  std::vector<Record> records;
  std::vector<run::Subject> subjects;
  for (const convict_implementation* one : members) {
    records.push_back({one, 0, 0, 0, {}, {}});
    subjects.push_back({one, true, ""});
  }
  if (sums == CONVICT_F32)
    for (const run::Subject& one : declared_transforms()) {
      records.push_back({one.implementation, 0, 0, 0, {}, {}});
      subjects.push_back(one);
    }
  subjects.push_back({&direct(), false, ""});
  examine::LocalExaminer examiner{std::move(subjects)};
  uint64_t examined_cases = 0, judged = 0;
  for (uint64_t index = 0; examined_cases < cases; ++index) {
    Case c = case_number(seed, index, sums);
    c.fill = kFills[index % std::size(kFills)];
    const Resolved resolved = resolve(c);
    if (resolved.why_not || multiply_adds(resolved.problem) > honest::family::kMostProducts) continue;
    ++examined_cases;
    note(examiner.examine(c), has_many_terms(index), records);
  }
  int convicted = 0;
  for (const Record& one : records) {
    judged += one.judged;
    if (one.verdicts.empty()) continue;
    ++convicted;
    fmt::print("{}: {} ({})\n", one.who->name, one.verdicts.begin()->first, one.first);
  }
  fmt::print("{}: {} kernels, {} judged results of {} cases over all fills, {} kernels convicted\n", type_name(sums),
             records.size(), judged, examined_cases, convicted);
  return convicted;
}

}  // namespace
}  // namespace convict::audit

int main(int count, char** arguments) {
  using namespace convict;
  const auto is = [&](int i, std::string_view word) { return i < count && word == arguments[i]; };
  const auto number = [&](int i, uint64_t otherwise) { return i < count ? std::strtoull(arguments[i], nullptr, 10) : otherwise; };
  if (is(1, "dishonest")) return audit::print_dishonest(number(2, 1000), number(3, 1)) > 0 ? 1 : 0;
  if (is(1, "fills")) return audit::print_fills(number(2, 200), number(3, 1));
  for (const convict_dtype sums : {CONVICT_F32, CONVICT_F16, CONVICT_BF16})
    if (is(1, "honest") && is(2, type_name(sums)))
      return audit::print_honest(sums, number(3, 20000), number(4, 1)) > 0 ? 1 : 0;
  std::puts("audit honest f32|f16|bf16 CASES SEED, audit dishonest CASES SEED, audit fills CASES SEED");
  return 2;
}
