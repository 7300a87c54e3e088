// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/sample.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

store::MismatchRow new_row() {
  store::MismatchRow row;
  row.id = 1;
  row.signature = "guilty|wrong-exact|conv_transpose2d|last row only|s >= 2 and op >= 1";
  row.coarse = "guilty|wrong-exact|conv_transpose2d";
  row.verdict = "wrong-exact", row.suspect = "guilty", row.blame = "target";
  row.case_text = "conv_transpose2d n=3 ic=4 in=7x9 k=3x3 s=2x2 p=1x1 op=1x0 seed=12345";
  row.cost = 6804;
  row.shrunk_text = "conv_transpose2d in=1x1 s=2x1 op=1x0";
  row.certificate = {{"role", "dst"}, {"at", {2, 0, 13, 4}}, {"text", "before shrinking"}};
  row.shrunk_certificate = {{"role", "dst"},
                            {"at", {0, 0, 1, 0}},
                            {"got", 1.0},
                            {"got_hex", "0x1p+0"},
                            {"exact", 0.0},
                            {"exact_hex", "0x0p+0"},
                            {"terms", 0},
                            {"magnitude", 0.0},
                            {"bound", 0.0},
                            {"bound_name", "equality"},
                            {"elements", 2},
                            {"wrong_elements", 1},
                            {"unwritten_elements", 0},
                            {"witnesses", {{"onednn", "agrees"}}}};
  row.first_seen = "2026-11-20T22:00:00Z", row.last_seen = "2026-11-21T02:13:28Z";
  row.hits = 17;
  row.status = row.effective_status = "new";
  row.first_campaign = 1, row.last_campaign = 2;
  row.operation = "conv_transpose2d", row.geography = "last row only", row.predicate = "s >= 2 and op >= 1";
  row.explanation = {.reproduced = true, .shrink_runs = 40};
  row.versions = json::object();
  return row;
}

store::MismatchRow hostile_row() {
  store::MismatchRow row = new_row();
  row.id = 2;
  for (std::string* text : {&row.signature, &row.coarse, &row.verdict, &row.suspect, &row.case_text, &row.first_seen,
                            &row.last_seen, &row.link, &row.note, &row.operation, &row.geography, &row.predicate})
    *text = hostile_text();
  row.blame = "oracle";
  row.shrunk_text.reset();
  row.certificate = {{"text", hostile_text()}, {"output_tail", hostile_text()}, {hostile_text(), hostile_text()}};
  row.explanation.reset();
  row.hits = 1;
  return row;
}

store::MismatchRow known_row() {
  store::MismatchRow row = new_row();
  row.id = 3;
  row.signature = row.coarse = "onednn|crash|conv1d.backward_data";
  row.suspect = "onednn", row.verdict = "crash", row.operation = "conv1d.backward_data";
  row.shrunk_text.reset();
  row.case_text = "conv1d.backward_data in=4";
  row.certificate = {{"signal", "Aborted"}, {"evidence", "as before"}};
  row.explanation.reset();
  row.predicate = row.geography = "";
  row.status = row.effective_status = "known";
  row.versions = {{"onednn", "2.6.3"}};
  row.triaged = "2026-11-21T03:00:00Z";
  row.link = "https://example.org/issues/12", row.note = "=cmd('calc')!A1";
  return row;
}

store::MismatchRow returned_row() {
  store::MismatchRow row = known_row();
  row.id = 4;
  row.signature = row.coarse = "direct|hang|conv3d";
  row.suspect = "direct", row.verdict = "hang", row.operation = "conv3d", row.case_text = "conv3d in=4x4x4";
  row.status = row.effective_status = "fixed";
  row.versions = json::object();
  row.triaged = "2026-11-21T01:00:00Z";
  row.link = "", row.note = "-1.5";
  return row;
}

store::MismatchRow future_row() {
  store::MismatchRow row = known_row();
  row.id = 5;
  row.signature = row.coarse = "phase|too-slow|conv2d";
  row.suspect = "phase", row.verdict = "too-slow", row.operation = "conv2d", row.case_text = "conv2d in=4x4";
  row.status = row.effective_status = "wontfix";
  row.versions = json::object();
  row.link = "", row.note = "";
  return row;
}

report::MismatchReport report_on(const store::MismatchRow& row) {
  store::CampaignSighting sighting{.campaign = 1,
                                   .hits = row.hits,
                                   .first_seen = row.first_seen,
                                   .last_seen = row.last_seen,
                                   .seed = "42",
                                   .profile = "smoke",
                                   .libraries = {{row.suspect, "2.6.3"}}};
  return {row, {sighting}, "convict repro " + std::to_string(row.id)};
}

report::CampaignReport campaign(int64_t id) {
  report::CampaignReport report;
  report.id = id;
  report.info = {.seed = 18446744073709551615u,
                 .profile = "smoke",
                 .flags = {{"jobs", 2}},
                 .libraries = {{"onednn", "2.6.3"}},
                 .isa = "avx512",
                 .version = "0.1.0",
                 .focus = {1, 2}};
  report.state = id == 1 ? "finished" : hostile_text();
  report.started = "2026-11-20T22:00:00Z", report.ended = "2026-11-20T22:01:00Z";
  report.counts = {{"cases", 1000 * id}, {"judged", 999 * id}, {"seconds", 60.25}};
  report.moments = {{0.5, 10, 100, 1000}, {60.25, 1000, 7000, 200000}};
  report.ratios["direct"].counts[29] = 3;
  report.ratios["direct"].counts[20] = 400;
  report.ratios["onednn"].counts[31] = 1;
  report.targets["direct"] = {998, 7000, 7100,
                              {{{feature::kPass, 1}, {feature::kPass, 2}, {feature::kRank, 2}}, {{feature::kBias, 1}}}};
  return report;
}

}  // namespace

std::string hostile_text() {
  using namespace std::string_literals;
  return "=cmd|' /C calc'!A0\r\n# Heading\n| a | b |\n```\n`<b>` </script><script>alert(1)</script> \"quoted\", 'so' "
         "]]> & &lt; --> </details> [x](https://example.org) ![y](z) @somebody #1 www.example.org {0} \\| $HOME "
         "\x1b[31m\x7f\x01 \xff\xfe \xed\xa0\x80 \xef\xbf\xbe \xe2\x80\xae\xc3\xa4 end\n"s +
         "\0 after"s;
}

report::Report sample_report() {
  report::Report report;
  report.database = "nightly run: 1.db", report.version = "0.1.0", report.isa = "avx512";
  report.written = "2026-11-21T04:00:00Z";
  report.profiles = {{"smoke", 3000, {7000, 7762}, {200000, 296916}, {}, {"op=conv, threads=5+"}, 1.828, 1}};
  report.campaigns = {campaign(1), campaign(2)};
  report.signatures = {3000, 4, 1};
  for (const store::MismatchRow& row : {new_row(), hostile_row(), known_row(), returned_row(), future_row()})
    report.mismatches.push_back(report_on(row));
  report.score = {{"detected", 75}, {"mutants", 75}};
  report.notes = {"profile of-the-future is unknown to this convict", hostile_text()};
  return report;
}

report::Report empty_report() {
  report::Report report;
  report.database = "convict.db", report.version = "0.1.0", report.isa = "avx2";
  report.written = "2026-11-21T04:00:00Z";
  return report;
}

report::Report large_report(size_t mismatches, size_t note_bytes) {
  report::Report report = sample_report();
  report::MismatchReport one = report.mismatches[1];
  while (one.row.note.size() < note_bytes) one.row.note += hostile_text();
  report.mismatches.assign(mismatches, one);
  return report;
}

std::string written(const std::string& format, const report::Report& report) {
  for (const reports::ReportWriter* writer : reports::all())
    if (writer->name == format) return writer->write(report);
  throw std::out_of_range(format);
}

testing::AssertionResult is_golden(const std::string& format, const std::string& text) {
  const std::string path = std::string(CONVICT_GOLDEN) + "/report." + format;
  if (std::getenv("CONVICT_REWRITE_GOLDEN")) write_file(path, text);
  const std::string golden = read_file(path);
  if (text == golden) return testing::AssertionSuccess();
  const auto [ours, theirs] = std::ranges::mismatch(text, golden);
  const size_t line = static_cast<size_t>(std::count(text.begin(), ours, '\n')) + 1;
  return testing::AssertionFailure() << path << " differs from line " << line
                                     << " on; CONVICT_REWRITE_GOLDEN=1 writes what is right now";
}

bool is_clean(const std::string& text) {
  const bool utf8 = json::accept(json(text).dump(-1, ' ', false, json::error_handler_t::ignore)) &&
                    json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::ignore)) == json(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool line_end = text[i] == '\n' || (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((static_cast<unsigned char>(text[i]) < 0x20 && !line_end) || text[i] == '\0') return false;
  }
  return utf8;
}

}  // namespace convict::test
