// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/benchdnn_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/names.h"
#include "core/text.h"
#include "imports/shared/benchdnn_problem.h"

namespace convict::imports {
namespace {

/// Options about the run, not the problem, separated by blanks. `match` and `start` skip runs; we import all of the
/// input.
constexpr std::string_view kWithoutEffect =
    "alg allow-enum-tags-only allow-unimpl buffer-prefix canonical check-ref-impl cold-cache cpu-isa-hints "
    "ctx-exe ctx-init engine execution-mode fast-ref fast-ref-cpu fast-ref-gpu fix-times-per-prb global-impl "
    "impl match max-ms-per-prb mem-check memory-kind mode mode-modifier num-streams perf-template "
    "repeats-per-prb skip-impl start stream-kind summary verbose attr-same-pd-check";

constexpr std::string_view kDrivers[] = {"binary",  "bnorm", "brgemm",  "concat",    "conv",    "deconv",
                                         "eltwise", "gnorm", "graph",   "ip",        "lnorm",   "lrn",
                                         "matmul",  "pool",  "prelu",   "reduction", "reorder", "resampling",
                                         "rnn",     "self",  "shuffle", "softmax",   "sum",     "zeropad"};

/// Lists that cases can express; --cfg (v2) and --dt (v3) are one list.
constexpr std::string_view kLists[] = {"bia-dt", "dir", "dtag", "dt", "mb", "stag", "strides", "wtag"};

/// Values of attributes that are the default or do not change the result.
constexpr std::string_view kHarmless[] = {"", "strict", "none", "false", "library", "user"};

/// One element of the cross product: a value for every option.
using Choice = std::map<std::string, std::string, std::less<>>;

struct Direction {
  std::string_view word;
  convict_pass pass;
  bool bias;
};
constexpr Direction kDirections[] = {
    {"FWD_B", CONVICT_FORWARD, true},           {"FWD_D", CONVICT_FORWARD, false},
    {"FWD_I", CONVICT_FORWARD, false},          {"BWD_D", CONVICT_BACKWARD_DATA, false},
    {"BWD_W", CONVICT_BACKWARD_WEIGHTS, false}, {"BWD_WB", CONVICT_BACKWARD_WEIGHTS, true}};

bool contains(const auto& words, std::string_view word) { return std::ranges::find(words, word) != std::end(words); }

bool has_no_effect(std::string_view option) { return contains(split(kWithoutEffect, ' '), option); }

std::string_view unquoted(std::string_view text) {
  while (!text.empty() && (text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\'' || text.back() == '"')) text.remove_suffix(1);
  return text;
}

/// The value of an option, or its default in benchdnn.
std::string_view value_of(const Choice& choice, std::string_view name, std::string_view otherwise) {
  const auto found = choice.find(name);
  return found == choice.end() ? otherwise : std::string_view(found->second);
}

void set_direction(std::string_view word, Case& to) {
  std::string upper(word);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto* found = std::ranges::find(kDirections, upper, &Direction::word);
  if (found == std::end(kDirections)) throw NotExpressible(fmt::format("direction: {}", word));
  to.pass = found->pass;
  to.bias = found->bias;
}

void set_batch(std::string_view word, Case& to) {
  const auto batch = parse_integer(word);
  if (!batch || *batch < 0) throw NotExpressible(fmt::format("batch: --mb={}", word));
  if (*batch != 0) to.batch = *batch;
}

/// Refuses options that would change the result and have no field in a case.
void refuse_attributes(const Choice& choice) {
  for (const auto& [name, value] : choice) {
    const bool attribute = name.starts_with("attr-") || name == "strides";
    if (!attribute || contains(kHarmless, value)) continue;
    if (name == "attr-post-ops") throw NotExpressible(fmt::format("post-ops: {}", value));
    throw NotExpressible(fmt::format("{}: {}", name == "strides" ? "strides" : "attribute " + name, value));
  }
}

/// The case of a problem under one value for every option. Throws NotExpressible.
Case chosen(const BenchdnnProblem& problem, const Choice& choice) {
  Case c = problem.c;
  refuse_attributes(choice);
  set_benchdnn_types(value_of(choice, "dt", "f32"), c);
  set_direction(value_of(choice, "dir", "FWD_B"), c);
  set_batch(value_of(choice, "mb", "0"), c);
  c.src_layout = benchdnn_activation_layout(value_of(choice, "stag", "any"), c.rank);
  c.dst_layout = benchdnn_activation_layout(value_of(choice, "dtag", "any"), c.rank);
  c.wei_layout = benchdnn_weight_layout(value_of(choice, "wtag", "any"), problem);
  const std::string_view bias = value_of(choice, "bia-dt", "undef");
  if (c.bias && bias != "undef" && bias != type_name(c.dst_type))
    throw NotExpressible(fmt::format("bias type: {} beside a dst of {}", bias, type_name(c.dst_type)));
  return c;
}

}  // namespace

BenchdnnOptions::Kind BenchdnnOptions::take(std::string_view token) {
  token.remove_prefix(token.find_first_not_of('-') == std::string_view::npos ? token.size()
                                                                             : token.find_first_not_of('-'));
  const size_t equals = token.find('=');
  std::string name(token.substr(0, equals));
  if (equals == std::string_view::npos) {
    if (name == "reset")
      values_.clear();
    else if (contains(kDrivers, name))
      driver_ = name;
    else
      return name.starts_with("v") || has_no_effect(name) ? Kind::kWithoutEffect : Kind::kUnknown;
    return Kind::kTaken;
  }
  if (name == "batch") return Kind::kBatch;
  if (name == "cfg") name = "dt";
  if (has_no_effect(name)) return Kind::kWithoutEffect;
  if (!contains(kLists, name) && !name.starts_with("attr-")) return Kind::kUnknown;
  Values& list = values_[name];
  list.clear();
  for (const std::string_view value : split(unquoted(token.substr(equals + 1)), ','))
    list.emplace_back(unquoted(value));
  return Kind::kTaken;
}

void BenchdnnOptions::expand(const std::string& descriptor, const std::string& origin, Collector& to) const {
  BenchdnnProblem problem;
  try {
    if (driver_ != "conv" && driver_ != "deconv") throw NotExpressible(fmt::format("driver: --{}", driver_));
    problem = parse_benchdnn_problem(descriptor, driver_ == "conv" ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE);
  } catch (const NotExpressible& why) {
    return to.refuse(origin, descriptor, why.what());  // once, whatever the options
  }
  size_t count = 1;
  for (const auto& [name, list] : values_) {
    count *= list.size();
    to.expect(count);
  }
  for (size_t i = 0; i < count; ++i) {  // i in mixed radix: one digit a list
    Choice choice;
    size_t rest = i;
    for (auto entry = values_.rbegin(); entry != values_.rend(); ++entry) {
      choice[entry->first] = entry->second[rest % entry->second.size()];
      rest /= entry->second.size();
    }
    std::string text = "--" + driver_;
    for (const auto& [name, value] : choice) text += fmt::format(" --{}={}", name, value);
    try {
      to.add(chosen(problem, choice), problem.name.empty() ? origin : origin + " " + printable(problem.name),
             text + " " + descriptor);
    } catch (const NotExpressible& why) {
      to.refuse(origin, text + " " + descriptor, why.what());
    }
  }
}

}  // namespace convict::imports
