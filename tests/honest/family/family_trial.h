// SPDX-License-Identifier: Apache-2.0
//
// The family on trial: cases of every kind, each examined with all rungs of the ladder, beside a witness with sums of
// its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "abi/element.h"
#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/names.h"
#include "core/random.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "run/loader.h"

namespace convict::honest::family {

/// What became of one member.
struct Record {
  const convict_implementation* who = nullptr;
  uint64_t judged = 0;                       // cases
  double nearest = 0, nearest_many = 0;      // the largest error / bound: in all cases, in those of many terms
  std::map<std::string, uint64_t> verdicts;  // against it, by name
  std::string first;                         // the case of the first of them
};

/// A case with so many terms an output that errors add up, and few outputs.
inline Case case_of_many_terms(Random& random, int64_t most) {
  constexpr Fill kFills[] = {Fill::kNormal, Fill::kNormal, Fill::kPositive, Fill::kWide, Fill::kInt};
  Case c;
  c.rank = static_cast<int>(random.between(1, 2));
  c.op = random.chance(0.5) ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.wei_layout = default_weight_layout(c.op);
  c.pass = static_cast<convict_pass>(random.between(1, 3));
  c.fill = random.pick(std::span<const Fill>(kFills));
  c.seed = random.bits() >> 1;
  const int64_t terms = random.between(most / 16, most / (random.chance(0.8) ? 4 : 1));
  if (c.pass == CONVICT_BACKWARD_WEIGHTS) {
    c.batch = random.between(1, 4);
    c.in[c.rank - 1] = std::max<int64_t>(terms / c.batch, 1);
    c.bias = random.chance(0.5);
    return c;
  }
  c.kernel[0] = random.between(1, 3);
  c.in[0] = c.op == CONVICT_CONV ? c.kernel[0] : 1;
  const int64_t channels = std::max<int64_t>(terms / c.kernel[0], 1);
  ((c.pass == CONVICT_FORWARD) ? c.ic : c.oc) = channels;
  if (c.pass == CONVICT_FORWARD) c.bias = random.chance(0.3), c.relu = random.chance(0.1);
  return c;
}

/// Of all outputs of a case together, so that many cases are examined.
inline constexpr double kMostProducts = 5e3;

constexpr bool has_many_terms(uint64_t index) { return index % 4 == 3; }

/// Case number `index`, of operands that sums in `sums` are for: small ones of every kind, or one in four with many
/// terms. 16-bit sums get fewer of them, because nothing is proven of many.
inline Case case_number(uint64_t seed, uint64_t index, convict_dtype sums) {
  Random random(seed, index);
  Case c;
  if (has_many_terms(index))
    c = case_of_many_terms(random, sums == CONVICT_F32 ? 4096 : sums == CONVICT_F16 ? 1024 : 192);
  else
    c = generate::generate(generate::find_profile("smoke"), seed, index);
  constexpr convict_dtype kTypes[] = {CONVICT_F32, CONVICT_F32, CONVICT_F32, CONVICT_F16, CONVICT_BF16};
  const bool unsuited = is_integer(c.src_type) || c.src_type == CONVICT_F64;
  if (sums != CONVICT_F32)
    c.src_type = c.wei_type = c.dst_type = sums;
  else if (unsuited || has_many_terms(index))
    c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(kTypes));
  if (unsuited) c.src_zero = c.dst_zero = 0, c.scale = Scale::kNone;
  return c;
}

inline void note(const examine::Examination& examination, bool many_terms, std::vector<Record>& records) {
  for (size_t i = 0; i < records.size(); ++i) {
    const judge::Result& result = examination.results[i];
    if (result.outcome.kind == Outcome::Kind::kRefused) continue;
    ++records[i].judged;
    const double ratio = result.comparison.largest_ratio.value_or(0);
    records[i].nearest = std::max(records[i].nearest, ratio);
    if (many_terms) records[i].nearest_many = std::max(records[i].nearest_many, ratio);
  }
  for (const Mismatch& mismatch : examination.mismatches)
    for (Record& record : records)
      if (mismatch.suspect == record.who->name && record.verdicts[std::string(name_of(mismatch.verdict))]++ == 0)
        record.first = to_text(mismatch.problem_case) +
                       (mismatch.certificate.text ? ": " + *mismatch.certificate.text : std::string());
}

/// Examines as many of the cases case_of(0), case_of(1), ... as it takes for the first of these to judge `cases`.
template <class CaseOf>
std::vector<Record> trial_on(std::vector<run::Subject> subjects, uint64_t cases, const CaseOf& case_of) {
  std::vector<Record> records;
  for (run::Subject& one : subjects) {
    records.push_back({one.implementation, 0, 0, 0, {}, {}});
    one.is_target = true;
  }
  const auto direct = std::ranges::find_if(
      native_kernels(), [](const convict_implementation* one) { return std::string_view(one->name) == "direct"; });
  subjects.push_back({*direct, false, ""});
  examine::LocalExaminer examiner{std::move(subjects)};
  for (uint64_t index = 0; records.front().judged < cases; ++index) {
    const Case c = case_of(index);
    const Resolved resolved = resolve(c);
    if (resolved.why_not || multiply_adds(resolved.problem) > kMostProducts) continue;
    note(examiner.examine(c), has_many_terms(index), records);
  }
  return records;
}

/// Examines `cases` cases for each of these implementations, which keep their sums in `sums`.
inline std::vector<Record> trial_of(std::span<const convict_implementation* const> members, convict_dtype sums,
                                    uint64_t cases, uint64_t seed) {
  std::vector<run::Subject> subjects;
  for (const convict_implementation* one : members) subjects.push_back({one, true, ""});
  return trial_on(std::move(subjects), cases, [&](uint64_t index) { return case_number(seed, index, sums); });
}

/// The members on matrix units for operands of this type, which have a fault or have none.
inline std::vector<run::Subject> on_units(convict_dtype operands, bool lossy) {
  std::vector<run::Subject> members;
  const std::string of_type = operands == CONVICT_F32 ? "tf32" : std::string(type_name(operands));
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/honest_on_units.so"))
    if (one.name.starts_with((lossy ? "f32:lossy-" : "f32:") + of_type)) members.push_back(one);
  return members;
}

/// Case number `index` of operands of one type, with results of another; one in four has many terms.
inline Case case_of_types(uint64_t seed, uint64_t index, convict_dtype operands, convict_dtype result) {
  Case c = case_number(seed, index, CONVICT_F32);
  c.src_type = c.wei_type = c.dst_type = operands;
  (c.pass == CONVICT_FORWARD ? c.dst_type : c.pass == CONVICT_BACKWARD_DATA ? c.src_type : c.wei_type) = result;
  c.bias &= c.pass == CONVICT_FORWARD || operands == result;  // its gradient has the type of the operands
  return c;
}

/// The members of the family that keep their sums in this type.
inline std::vector<const convict_implementation*> members_with(convict_dtype sums) {
  std::vector<const convict_implementation*> members;
  for (const run::Subject& one :
       run::load_plugin(fmt::format("{}/honest_{}.so", CONVICT_TEST_PLUGINS, type_name(sums))))
    members.push_back(one.implementation);
  return members;
}

}  // namespace convict::honest::family
