// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/page_reports.h"

#include <fmt/format.h>

#include <cmath>

#include "core/features.h"

namespace convict::test {
namespace {

using nlohmann::json;

report::MismatchReport mismatch(int64_t id, const std::string& status, const std::string& suspect,
                                const std::string& verdict, const std::string& shrunk) {
  report::MismatchReport one;
  store::MismatchRow& row = one.row;
  row.id = id;
  row.status = row.effective_status = status;
  row.suspect = suspect;
  row.verdict = verdict;
  row.blame = suspect.starts_with("libtorch") || suspect == "onednn" ? "oracle" : "target";
  row.case_text = shrunk + " threads=4";
  row.shrunk_text = shrunk;
  row.operation = shrunk.substr(0, shrunk.find(' '));
  row.signature = suspect + "|" + verdict + "|" + row.operation;
  row.first_seen = "2026-10-02T23:10:04Z";
  row.last_seen = fmt::format("2026-11-{:02}T02:13:28Z", 1 + id % 28);
  row.hits = 1 + id * 37 % 1009;
  row.cost = 144;
  row.certificate = row.shrunk_certificate = row.versions = json::object();
  one.repro = fmt::format("convict repro --target {} '{}'", suspect, shrunk);
  one.sightings.push_back({7, row.hits, row.first_seen, row.last_seen, "42", "output-padding", json::object()});
  return one;
}

/// A case whose output padding adds a row, h = 7, in which somebody forgot the bias: dst[1, 2, 8, 6]. With k=1 and s=2
/// every other row is the bias alone.
report::MismatchReport explained_mismatch() {
  report::MismatchReport one =
      mismatch(17, "new", "guilty", "wrong-exact", "conv_transpose2d ic=2 oc=2 in=4x3 k=1x2 s=2x2 op=1x0 bias seed=7");
  json got = json::array(), expected = json::array();
  std::string wrong;
  for (int i = 0; i < 96; ++i) {
    const int bias = i < 48 ? 3 : -2, row = i / 6 % 8;
    const double exact = row % 2 == 1 ? bias : bias + (i * i * 7 + 5 * i) % 9 - 4;
    expected.push_back(exact);
    got.push_back(row == 7 ? 0.0 : exact);
    wrong += row == 7 ? 'x' : '.';
  }
  one.row.shrunk_certificate = {
      {"role", "dst"},
      {"at", {0, 0, 7, 0}},
      {"got", 0.0},
      {"got_hex", "0x0p+0"},
      {"exact", 3.0},
      {"exact_hex", "0x1.8p+1"},
      {"terms", 1},
      {"magnitude", 3.0},
      {"bound", 0.0},
      {"bound_name", "equality"},
      {"wrong_elements", 12},
      {"unwritten_elements", 0},
      {"elements", 96},
      {"geography", "h: last"},
      {"map", {{"role", "dst"}, {"dims", {1, 2, 8, 6}}, {"wrong", wrong}}},
      {"values", {{"got", got}, {"expected", expected}}},
      {"witnesses", {{"direct", "agrees"}, {"libtorch:native", "agrees"}, {"onednn", "refused: ld >= 2"}}}};
  one.row.geography = "h: last";
  one.row.predicate = "bias = yes and op >= 1";
  one.row.explanation = {
      .reproduced = true,
      .shrink_runs = 170,
      .explain_runs = 214,
      .evidence = store::PredicateEvidence{
          .conditions = {{"bias = yes", "conv_transpose2d ic=2 oc=2 in=4x3 k=1x2 s=2x2 op=1x0 seed=7"},
                         {"op >= 1", "conv_transpose2d ic=2 oc=2 in=4x3 k=1x2 s=2x2 bias seed=7"}},
          .samples = 214,
          .unexplained = 1,
          .exceptions = {{"conv_transpose2d in=4x3 k=1x2 s=2x2 op=1x0 bias fill=zero", false}}},
      .environment = store::EnvironmentEvidence{true, "baseline"}};
  return one;
}

/// Errors over several decades, and one that is no number.
report::MismatchReport gradient_mismatch() {
  report::MismatchReport one = mismatch(22, "reported", "libtorch:native", "wrong-proven",
                                        "conv2d.backward_weights ic=4 oc=2 in=7 k=3 fill=normal seed=1");
  json got = json::array(), expected = json::array();
  std::string wrong;
  for (int i = 0; i < 2 * 4 * 3 * 3; ++i) {
    const double exact = 4 * std::sin(1.7 * i), error = i % 3 == 2 ? std::pow(10.0, -(i % 7)) : 0;
    expected.push_back(exact);
    got.push_back(exact + error);
    wrong += error > 0 ? 'x' : '.';
  }
  got[5] = "nan";
  one.row.shrunk_certificate = {
      {"role", "diff_wei"},   {"at", {0, 0, 0, 2}},      {"got", -1.0211},         {"exact", -1.0221},
      {"terms", 25},          {"magnitude", 31.25},      {"bound", 2.4e-06},       {"elements", 72},
      {"wrong_elements", 24}, {"unwritten_elements", 0}, {"bound_name", "gamma_n"}};
  one.row.shrunk_certificate["map"] = {{"role", "diff_wei"}, {"dims", {2, 4, 3, 3}}, {"wrong", wrong}};
  one.row.shrunk_certificate["values"] = {{"got", got}, {"expected", expected}};
  return one;
}

/// Slices in three dimensions, and no values.
report::MismatchReport volume_mismatch() {
  report::MismatchReport one =
      mismatch(18, "known", "onednn", "wrong-exact", "conv3d n=2 ic=3 oc=4 in=3x5x5 k=1 seed=3");
  std::string wrong(2 * 4 * 3 * 5 * 5, '.');
  for (size_t i = 0; i < wrong.size(); ++i)
    if (i / 75 % 4 == 3 && i % 5 == 4) wrong[i] = 'x';
  one.row.shrunk_certificate = {{"map", {{"role", "dst"}, {"dims", {2, 4, 3, 5, 5}}, {"wrong", wrong}}}};
  one.row.link = "https://example.org/issues/1";
  one.row.note = "Reported; waits for an answer.\nSee the link.";
  one.row.triaged = "2026-11-03T09:00:00Z";
  return one;
}

report::CampaignReport campaign(int64_t id, const std::string& profile, uint64_t cases) {
  report::CampaignReport one;
  one.id = id;
  one.info.seed = 18446744073709551615u - static_cast<uint64_t>(id);
  one.info.profile = profile;
  one.info.libraries = {{"direct", "0.1.0"}, {"onednn", id % 2 ? "2.6.3" : "3.1"}, {"libtorch:native", "1.13.1"}};
  one.info.isa = "avx512";
  one.info.version = "0.1.0";
  one.state = "finished";
  one.started = "2026-11-20T23:00:00Z";
  one.ended = "2026-11-21T00:00:00Z";
  one.counts = {{"cases", cases}, {"judged", cases - 70}, {"unjudged", 70}, {"worker_deaths", 3}, {"seconds", 3600.5}};
  for (int i = 0; i <= 60; ++i) {
    const double done = i / 60.0;
    const uint64_t so_far =
        static_cast<uint64_t>(static_cast<double>(cases) * (done - 0.04 * std::sin(9.42478 * done)));
    one.moments.push_back({60.0 * i, so_far, static_cast<uint32_t>(9000 * (1 - std::exp(-4 * done))),
                            static_cast<uint32_t>(240000 * (1 - std::exp(-2 * done)))});
  }
  const std::pair<std::string, int> centres[] = {{"direct", 27}, {"im2col", 26}, {"onednn", 28}, {"phase", 24}};
  for (const auto& [name, centre] : centres)
    for (int bin = 0; bin < RatioHistogram::kBins; ++bin)
      one.ratios[name].counts[static_cast<size_t>(bin)] =
          static_cast<uint64_t>(static_cast<double>(cases) / 4 * std::exp(-(bin - centre) * (bin - centre) / 6.0));
  return one;
}

report::ProfileReport profile(const std::string& name) {
  report::ProfileReport one;
  one.profile = name;
  one.cases = 412'345;
  one.pairs = {9'214, 9'620};
  one.triples = {238'000, 312'000};
  for (int i = 0; i < kFeatureCount; ++i)
    for (int j = i + 1; j < kFeatureCount; ++j) {
      const auto reachable = static_cast<uint32_t>((i * 7 + j * 3) % 23 == 0 ? 0 : 4 + (i + j) % 19);
      const uint32_t seen = (i * j) % 5 == 0 ? reachable : reachable * static_cast<uint32_t>((i + 2 * j) % 11) / 11;
      one.matrix.push_back({std::string(features()[i].name), std::string(features()[j].name), {seen, reachable}});
    }
  one.emptiest = {"op=conv, phase=common-factor", "padding=negative, type=bf16", "rank=3, kernel_last=17+"};
  one.expected_unseen = 0.0312;
  one.chance_of_unseen = 0.0312;
  return one;
}

json scores() {
  json mutants = json::array();
  for (int i = 1; i <= 6; ++i) {
    json runs = json::array();
    for (int seed = 1; seed <= 5; ++seed)
      runs.push_back({{"detected", i < 6 || seed > 2}, {"cases", i * i * seed * 3}, {"cpu_seconds", 0.02 * i * seed}});
    mutants.push_back({{"name", fmt::format("P{}", i)}, {"description", "forgets the last row"}, {"runs", runs}});
  }
  json fewer = mutants;
  for (json& run : fewer[4]["runs"]) run["detected"] = false;
  return {{"mutants", mutants}, {"baselines", {{"tolerance", {{"mutants", fewer}}}}}};
}

}  // namespace

report::Report empty_page_report() {
  report::Report report;
  report.database = "empty.db";
  report.version = "0.1.0";
  report.isa = "avx2";
  report.written = "2026-11-21T03:00:00Z";
  return report;
}

report::Report page_report() {
  report::Report report = empty_page_report();
  report.database = "nightly.db";
  report.signatures = {824'690, 6, 1};
  report.campaigns = {campaign(6, "smoke", 412'345), campaign(7, "output-padding", 412'345)};
  report.profiles = {profile("output-padding"), profile("smoke")};
  report.score = scores();
  report.mismatches = {explained_mismatch(), volume_mismatch()};
  report.mismatches.push_back(
      mismatch(19, "new", "im2col", "out-of-bounds", "conv1d.backward_weights in=9 k=3 seed=5"));
  report.mismatches.back().row.shrunk_text.reset();
  report.mismatches.back().row.certificate = {{"role", "diff_wei"},
                                              {"overrun", "diff_wei"},
                                              {"signal", 11},
                                              {"address_class", "guard page"},
                                              {"output_tail", "Segmentation fault\n"}};
  report.mismatches.push_back(mismatch(20, "fixed", "phase", "output-unwritten", "conv2d n=0 ic=3 oc=2 in=4 seed=9"));
  report.mismatches.push_back(
      mismatch(21, "wontfix", "libtorch:native", "shape", "conv2d g=4 ic=0 oc=4 in=1x1 seed=2"));
  report.mismatches.push_back(gradient_mismatch());
  return report;
}

report::Report large_report(size_t rows) {
  report::Report report = page_report();
  report.mismatches.clear();
  const std::string suspects[] = {"direct", "im2col", "phase", "onednn", "libtorch:native", "libtorch:onednn"};
  for (size_t i = 0; i < rows; ++i) {
    const auto number = static_cast<int>(i);
    report::MismatchReport one = explained_mismatch();
    const std::string text = fmt::format(
        "{}{}d{} n={} g=2 ic={} oc={} in=5x9 k=3x7 s=1x3 d=1x2 p=1:3x2 op=1x0 dt=bf16:bf16:f32 lay=nhwc:ohwi:nhwc "
        "fill=normal seed={}",
        number % 3 ? "conv" : "conv_transpose", 2, number % 4 ? "" : ".backward_data", 1 + number % 3,
        2 * (1 + number % 11), 2 * (1 + number % 7), number);
    const report::MismatchReport named =
        mismatch(number + 1, std::string(kStatuses[i % 7 < 3 ? 0 : i % kStatuses.size()]),
                 suspects[i % 6], std::string(kVerdictNames[i % kVerdictNames.size()]), text);
    const store::MismatchRow explained = one.row;
    one = named;
    one.row.shrunk_certificate = explained.shrunk_certificate;
    one.row.explanation = explained.explanation;
    one.row.predicate = explained.predicate + fmt::format(" and ic >= {}", number % 40);
    one.row.geography = explained.geography;
    report.mismatches.push_back(std::move(one));
  }
  for (int64_t id = 8; id < 400; ++id) report.campaigns.push_back(campaign(id, "all", 100'000));
  report.signatures = {40'000'000, rows, rows / 5};
  return report;
}

report::Report hostile_report() {
  const std::string evil =
      "</script><script>window.broken = 1</script><!--<img src=x onerror=\"window.broken = 1\">' \" ` ${window.broken "
      "= 1} "
      "\\u003c \x01\x1b[31m \xff\xfe \xe2\x80\xa8\xe2\x80\xae ]]> {{facts}}";
  report::Report report = page_report();
  report.database = report.version = report.isa = report.written = evil;
  report.notes = {evil, std::string(2'000'000, 'n')};
  report.mismatches.resize(1);
  store::MismatchRow& row = report.mismatches[0].row;
  for (std::string* text : {&row.signature, &row.suspect, &row.verdict, &row.blame, &row.case_text, &row.operation,
                            &row.geography, &row.predicate, &row.first_seen, &row.last_seen, &row.triaged})
    *text = evil;
  row.status = row.effective_status = evil;
  row.shrunk_text = evil;
  row.link = "javascript:window.broken = 1";
  row.note = evil + std::string(1 << 20, '<');
  row.shrunk_certificate["at"] = evil;
  row.shrunk_certificate["got"] = json::array({evil, {{evil, nullptr}}});
  row.shrunk_certificate["witnesses"] = {{evil, evil}, {"number", 3}};
  row.shrunk_certificate["text"] = std::string(1 << 20, '\x02');
  row.shrunk_certificate["map"] = {{"role", evil}, {"dims", {-3, 1e300}}, {"wrong", evil}};
  row.shrunk_certificate["values"] = 3;
  row.explanation = store::explanation_in(
      {{"conditions", {evil, 3, {{"condition", evil}, {"passes", evil}}}}, {"exceptions", evil}, {"samples", evil}});
  report.mismatches[0].repro = evil;
  report.mismatches.push_back(report.mismatches[0]);
  report.mismatches[1].row.id = 18;
  report.mismatches[1].row.shrunk_certificate = json::array({evil});
  report.mismatches[1].row.explanation = store::explanation_in(evil);
  report::CampaignReport& campaign = report.campaigns[0];
  campaign.info.profile = campaign.state = campaign.started = campaign.info.isa = campaign.info.version = evil;
  campaign.info.libraries = {{evil, evil}, {"onednn", 3}};
  campaign.counts = {{"cases", evil}, {"seconds", evil}};
  campaign.ratios[evil] = {};
  campaign.ratios[evil].counts[3] = 5;
  report.profiles[0].profile = report.profiles[0].emptiest[0] = report.profiles[0].matrix[0].first = evil;
  report.score = {{"mutants", {3, {{"name", evil}, {"runs", {evil, nullptr}}}}},
                  {"baselines", {{evil, {{"mutants", evil}}}}}};
  return report;
}

}  // namespace convict::test
