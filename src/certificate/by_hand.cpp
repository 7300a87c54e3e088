// SPDX-License-Identifier: Apache-2.0
#include "certificate/by_hand.h"

#include <fmt/format.h>

#include <vector>

#include "certificate/check.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "examine/scene.h"
#include "judge/element_evaluation.h"

namespace convict::certificate {
namespace {

/// The shortest decimal number that is read as this one: of f32 where that has it, else of f64.
std::string in_decimal(long double x) {
  const auto narrow = static_cast<float>(x);
  return narrow == x ? fmt::format("{}", narrow) : fmt::format("{}", static_cast<double>(x));
}

std::string text_of(const judge::Term& term) {
  return term.y ? fmt::format("{} * {}", in_decimal(term.x), in_decimal(*term.y)) : in_decimal(term.x);
}

}  // namespace

std::string by_hand(const Case& c, std::string_view role, std::span<const int64_t> at, size_t most) {
  const Resolved resolved = resolve(c);
  const convict_tensors described = describe_tensors(c, resolved.problem);
  const convict_tensor* output = judge::output_of(resolved.problem, described, role);
  if (output == nullptr || !judge::is_inside(at, *output)) return "";
  if (examination_bytes(described, resolved.problem) > kMostDrawnBytes) return "";
  const examine::Scene scene(c);
  run::GuardedMemory memory;
  scene.set(memory);
  std::vector<judge::Term> terms = judge::terms_of(resolved.problem, memory.ours(), role, at);
  std::erase_if(terms, [](const judge::Term& term) { return term.x * term.y.value_or(1) == 0; });
  if (terms.empty()) return "0";
  if (terms.size() > most) return "";
  std::string text;
  long double sum = 0;
  for (const judge::Term& term : terms) {
    text += (text.empty() ? "" : " + ") + text_of(term);
    sum += term.x * term.y.value_or(1);
  }
  return terms.size() == 1 && !terms[0].y ? text : fmt::format("{} = {}", text, in_decimal(sum));
}

}  // namespace convict::certificate
