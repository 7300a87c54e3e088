// SPDX-License-Identifier: Apache-2.0
//
// What a mismatch has beyond its line, each part within a limit of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/geometry.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "reports/html/rows.h"
#include "reports/html/text.h"

namespace convict::html {
namespace {

using nlohmann::json;

constexpr size_t kLongestText = 10'000;  // a note, or a text of a certificate
constexpr size_t kMostSightings = 100;
constexpr size_t kLongestExport = 64'000;
constexpr double kMostMultiplyAdds = 200'000;  // exporting computes the case exactly, three times for every row
constexpr std::array<std::string_view, 4> kExports = {"pytorch", "onednn", "benchdnn", "cpp"};

/// The JSON with its texts cut, but those that are pictures.
json with_cut_texts(const json& value) {
  if (value.is_string()) return cut(value.get<std::string>(), kLongestText);
  if (!value.is_structured()) return value;
  json result = value;
  for (auto& [key, one] : result.items())
    if (key != "map") one = with_cut_texts(one);
  return result;
}

/// A text, or {"unsuited": why there is none}.
json exported(const exports::Exporter& exporter, const exports::ExportRequest& request, const store::MismatchRow& row) {
  std::string why = exports::too_large(request.c);
  if (why.empty()) why = exporter.unsuited(request);
  if (!why.empty()) return {{"unsuited", cut(why, kLongestText)}};
  const std::string by_hand = fmt::format("`convict export {} --to {}` writes it", row.id, exporter.name);
  if (multiply_adds(resolve(request.c).problem) > kMostMultiplyAdds)
    return {{"unsuited", "too many multiply-adds for this page: " + by_hand}};
  const std::string text = exporter.write(request).front().bytes;
  if (text.size() > kLongestExport) return {{"unsuited", "too long for this page: " + by_hand}};
  return text;
}

json exports_of(const store::MismatchRow& row) {
  json result = json::object();
  for (const exports::Exporter* exporter : exports::all()) {
    if (std::ranges::find(kExports, exporter->name) == kExports.end()) continue;
    try {
      exports::ExportRequest request{parse_case(row.best_text())};
      request.must_be_refused = static_cast<bool>(resolve(request.c).why_not);
      request.evidence = {row.suspect, row.verdict, row.best_certificate()};
      result[std::string(exporter->name)] = exported(*exporter, request, row);
    } catch (const std::exception& error) {  // a case or a certificate that makes no sense: somebody wrote it by hand
      result[std::string(exporter->name)] = {{"unsuited", cut(error.what(), kLongestText)}};
    }
  }
  return result;
}

json sightings_of(const std::vector<store::CampaignSighting>& sightings) {
  json list = json::array();
  for (size_t i = 0; i < std::min(sightings.size(), kMostSightings); ++i) {
    const store::CampaignSighting& one = sightings[i];
    list.push_back({{"campaign", one.campaign},
                    {"hits", one.hits},
                    {"profile", cut(one.profile, 200)},
                    {"seed", cut(one.seed, 40)},
                    {"first", cut(one.first_seen, 40)},
                    {"last", cut(one.last_seen, 40)}});
  }
  return list;
}

}  // namespace

json detail_of(const report::MismatchReport& mismatch) {
  const store::MismatchRow& row = mismatch.row;
  Certificate certificate = certificate_in(row.best_certificate());
  json detail = {{"signature", cut(row.signature, kLongestText)},
                 {"repro", cut(mismatch.repro, kLongestText)},
                 {"note", cut(row.note, kLongestText)},
                 {"found", cut(row.case_text, kLongestText)},
                 {"triaged", cut(row.triaged, 200)},
                 {"certificate", with_cut_texts(to_json(certificate))},
                 {"explanation", with_cut_texts(to_json(row.explanation))},
                 {"sightings", sightings_of(mismatch.sightings)},
                 {"more_sightings", mismatch.sightings.size() - std::min(mismatch.sightings.size(), kMostSightings)},
                 {"exports", exports_of(row)}};
  if (embeddable(detail).size() > kMostWithValues) {
    certificate.errors.values.reset();
    detail["certificate"] = with_cut_texts(to_json(certificate));
  }
  if (embeddable(detail).size() > kMostWithExports) detail.erase("exports");
  return embeddable(detail).size() > kMostWithExports ? json() : detail;
}

}  // namespace convict::html
