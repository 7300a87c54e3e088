// SPDX-License-Identifier: Apache-2.0
//
// bytes -> what a hostile plugin hands over the C ABI -> the loader, the guarded calls, and the judge on tiny cases.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "core/layout.h"
#include "examine/pipeline.h"
#include "run/guarded_call.h"
#include "tests/fuzz/parsers/border.h"
#include "tests/fuzz/parsers/hostile_plugin.h"

namespace convict::fuzz {
namespace {

constexpr double kMostBytes = 1 << 20;  // of one case
constexpr const char* kCases[] = {"conv1d in=3 k=2 bias",
                                  "conv_transpose1d.backward_weights in=2 k=2 bias fill=normal calls=again",
                                  "conv2d ic=2 in=3x3 k=3 fill=normal dt=f16 beta=1", "conv1d in=2 k=4"};

void expect_kept(const Mismatch& mismatch) {
  expect_message(signature(mismatch));
  const std::string text = json_line(to_json(mismatch.certificate));
  expect(certificate_from_json(nlohmann::json::parse(text)) == mismatch.certificate,
         "a certificate that JSON keeps: " + text);
}

void examine_case(const Case& c, examine::LocalExaminer& examiner) {
  const examine::Examination examination = examiner.examine(c);
  for (const judge::Result& result : examination.results) expect_message(judge::in_words(result));
  for (const Mismatch& mismatch : examination.mismatches) expect_kept(mismatch);
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  const convict_tensors tensors = describe_tensors(c, resolved.problem);
  for (size_t i = 0; i < examiner.subjects.size(); ++i) {
    const std::string plan = run::ask_plan(*examiner.subjects[i].implementation, static_cast<int>(i), resolved.problem,
                                           tensors, *examiner.record);
    if (!plan.empty()) expect_message(plan);
  }
}

void load(const convict_plugin* plugin) {
  static examine::LocalExaminer examiner{{}, {.most_bytes = kMostBytes}};
  examiner.subjects = run::subjects_of(plugin, "fuzzed");
  expect_message("version " + examiner.subjects.front().version);
  for (run::Subject& one : examiner.subjects) one.is_target = &one == &examiner.subjects.front();
  for (const char* line : kCases) examine_case(parse_case(line), examiner);
}

}  // namespace
}  // namespace convict::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const convict::fuzz::HostilePlugin plugin({data, size});
  convict::fuzz::accepted([&] { convict::fuzz::load(plugin.get()); });
  return 0;
}
