// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a line of text -> each parser of lines: cases, lines of corpus files, predicates, intervals.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/corpus.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/intervals.h"
#include "core/predicate.h"
#include "tests/fuzz/parsers/border.h"

namespace convict::fuzz {
namespace {

void expect_same(const Case& c) {
  const std::string text = to_text(c);
  const Case again = parse_case(text);
  expect(again == c, "parse_case(to_text(c)) == c: " + text);
  expect(to_text(again) == text && case_id(again) == case_id(c), "canonical text: " + text);
}

void read_case(std::string_view line) {
  const Case c = parse_case(line);
  expect_same(c);
  const Resolved resolved = resolve(c);
  if (resolved.why_not)
    expect_message(resolved.why_not.why);
  else
    levels_of(c, resolved.problem);
}

void read_corpus_line(std::string_view line) {
  std::vector<CorpusEntry> entries;
  append_corpus_line(line, "", entries);
  for (const CorpusEntry& entry : entries) {
    std::vector<CorpusEntry> again;
    append_corpus_line(to_text(entry.c) + entry.expectation(), "", again);
    expect(again.size() == 1 && again[0].c == entry.c && again[0].known == entry.known &&
               again[0].must_be_refused == entry.must_be_refused,
           "a corpus line that says the same");
  }
}

void read_predicate(std::string_view text) {
  const Predicate predicate = Predicate::parse(text);
  expect(Predicate::parse(predicate.text()) == predicate, "Predicate::parse(p.text()) == p: " + predicate.text());
  for (const char* line :
       {"conv1d in=3", "conv_transpose3d n=2 g=2 ic=4 oc=6 in=3x4x5 k=3x2x1 s=2x1x3 p=1:0x0:1x-1 op=1",
        "conv2d.backward_weights in=2147483648 k=2147483647 d=2147483647"})
    predicate.holds(parse_case(line));
}

void read_intervals(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return;
  const Intervals intervals = Intervals::from_json(json);
  expect(Intervals::from_json(intervals.to_json()) == intervals, "Intervals::from_json(i.to_json()) == i");
}

}  // namespace
}  // namespace convict::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using namespace convict::fuzz;
  using namespace convict;
  for (const auto read : {read_case, read_corpus_line, read_predicate, read_intervals}) accepted([&] { read(text); });
  return 0;
}
