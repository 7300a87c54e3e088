// SPDX-License-Identifier: Apache-2.0
#include "core/processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "abi/calibration.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

constexpr std::string_view kWithout = "without";
constexpr std::string_view kFeatureLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";

std::string checked_feature(std::string_view word, std::string_view text) {
  if (word.find_first_not_of(kFeatureLetters) != std::string_view::npos)
    throw UsageError(
        fmt::format("processor '{}': '{}' is no feature; valid: names of /proc/cpuinfo, such as "
                    "'avx512_bf16 without amx_tile'",
                    printable(text), printable(word)));
  return std::string(word);
}

}  // namespace

std::string processor_model() {
  const std::string model = told_by_linux("model name");
  return model.empty() ? "unknown" : printable(model, 200);
}

const std::set<std::string>& processor_features() {
  static const std::set<std::string> kFeatures = [] {
    std::set<std::string> features;
    std::string line = told_by_linux("flags");
    if (line.empty()) line = told_by_linux("Features");  // ARM
    for (const std::string_view word : split(line, ' ')) features.emplace(word);
    return features;
  }();
  return kFeatures;
}

ProcessorNeeds ProcessorNeeds::parse(std::string_view text) {
  ProcessorNeeds needs;
  std::vector<std::string>* list = &needs.with_;
  for (const std::string_view word : split(trim(text), ' ')) {
    if (word.empty()) continue;
    if (word == kWithout)
      list = &needs.without_;
    else
      list->push_back(checked_feature(word, text));
  }
  if (list->empty()) throw UsageError(fmt::format("processor '{}' names no feature", printable(text)));
  return needs;
}

bool ProcessorNeeds::met_by(const std::set<std::string>& features) const {
  const auto there = [&](const std::string& one) { return features.contains(one); };
  return std::ranges::all_of(with_, there) && std::ranges::none_of(without_, there);
}

std::string ProcessorNeeds::text() const {
  std::string text = fmt::format("{}", fmt::join(with_, " "));
  if (!without_.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : " ", kWithout, fmt::join(without_, " "));
  return text;
}

}  // namespace convict::inline core
