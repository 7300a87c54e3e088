// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "abi/native_kernel.h"
#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/roster_query.h"
#include "core/case_text.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "core/layout.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "generate/profile.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/report_json.h"
#include "store/store.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct ListOptions {
  OutputOptions out;
  std::string what = "implementations", database = "convict.db";
  store::MismatchFilter filter;
  std::vector<std::string> plugins;
  std::string plan;  // a case line
};

/// The client of an implementation, if it is of one that is known by name.
const run::NamedClient* client_of(const workers::RosterEntry& entry, const Installed& installed) {
  for (const auto& [client, installation] : installed.clients)
    if (is_named_client(entry.plugin) && as_written(entry.plugin) == client.name) return &client;
  return nullptr;
}

json implementations(const ListOptions& options) {
  const Installed installed = everything_installed(options.plugins);
  json rows = json::array();
  for (const workers::RosterEntry& entry : installed.entries) {
    const run::NamedClient* client = client_of(entry, installed);
    rows.push_back({{"name", entry.name},
                    {"version", entry.version},
                    {"lineage", client ? json() : json(entry.lineage)},
                    {"description", entry.description},
                    {"client", client ? json(client->name) : json()},
                    {"command", client ? json(client->command) : json()},
                    {"installed", true}});
  }
  for (const auto& [client, installation] : installed.clients)
    if (!installation.is_there() && (rows.empty() || rows.back()["name"] != client.folder))
      rows.push_back({{"name", client.folder},
                      {"version", nullptr},
                      {"lineage", nullptr},
                      {"description", client.how_to_install()},
                      {"client", client.name},
                      {"command", client.command},
                      {"installed", false}});
  return rows;
}

/// How every native kernel would compute a case, or why it refuses. Asks them in this process, without data.
json plan_rows(const std::string& line) {
  const Case c = parse_case(line);
  const convict_problem p = resolve_valid(c);
  const convict_tensors tensors = describe_tensors(c, p);
  json rows = json::array();
  for (const convict_implementation* kernel : native_kernels()) {
    const char* reason = kernel->unsupported(kernel, &p, &tensors);
    const char* plan = reason || !kernel->plan ? nullptr : kernel->plan(kernel, &p, &tensors);
    rows.push_back({{"name", kernel->name},
                    {"refused", reason ? json(reason) : json()},
                    {"plan", plan ? json(plan) : json()},
                    {"what", reason ? "refused: " + std::string(reason)
                             : plan ? plan
                                    : "-"}});
  }
  return rows;
}

/// Of profiles, fields or verdicts.
json described_rows(const std::string& what) {
  json rows = json::array();
  const auto add = [&](std::string_view name, std::string_view help) {
    rows.push_back({{"name", name}, {"description", help}});
  };
  if (what == "profiles") {
    for (const generate::Profile& profile : generate::profiles()) add(profile.name, profile.help);
    add(generate::kAllProfiles, "each case from one of the others");
  } else if (what == "fields") {
    for (const Field& field : fields()) add(field.key, field.help);
  } else {
    for (const std::string_view name : kVerdictNames) add(name, reports::meaning_of(verdict_named(name)));
  }
  return rows;
}

json mismatch_rows(const ListOptions& options) {
  store::MismatchFilter filter = options.filter;
  filter.since = parse_date(filter.since, "--since", "T00:00:00Z");
  filter.until = parse_date(filter.until, "--until", "T23:59:59Z");
  json rows = json::array();
  require_database(options.database);
  for (const store::MismatchRow& row : store::Store::open_to_read(options.database).mismatches(filter))
    rows.push_back({{"id", row.id},
                    {"status", row.effective_status},
                    {"triage", row.status_text()},
                    {"suspect", row.suspect},
                    {"verdict", row.verdict},
                    {"blame", row.blame},
                    {"hits", row.hits},
                    {"first_seen", row.first_seen},
                    {"last_seen", row.last_seen},
                    {"cause", row.cause ? json(*row.cause) : json(nullptr)},
                    {"predicate", row.predicate},
                    {"shrunk", row.shrunk_text.has_value()},
                    {"case", row.best_text()}});
  return rows;
}

/// Of the causes that a mismatch was seen of.
json cause_rows(const ListOptions& options) {
  const report::Report report = report_of(options.database);
  json rows = json::array();
  for (const reports::CauseGroup& group : reports::by_cause(report)) {
    if (!options.filter.status.empty() && group.status() != options.filter.status) continue;
    json row = reports::json_of(group);
    row["mismatch"] = fmt::format("{}", fmt::join(row["mismatches"].get<std::vector<int64_t>>(), " "));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Rows for the table: the status with its triage, and the predicate cut to leave room for the case.
json shortened(json rows) {
  constexpr size_t kPredicateWidth = 40;
  for (json& row : rows) {
    row["status"] = row["triage"];
    row["predicate"] = printable(row["predicate"].get<std::string>(), kPredicateWidth);
  }
  return rows;
}

constexpr size_t kLongestCell = 4096;  // a case line

/// A table with these columns in order, each as wide as its widest cell; the last one is not padded.
std::string table(const json& rows, std::initializer_list<const char*> columns) {
  const auto cell = [](const json& row, const char* column) {
    return row[column].is_null()     ? "-"
           : row[column].is_string() ? printable(row[column].get<std::string>(), kLongestCell)
                                     : json_line(row[column]);
  };
  std::string text;
  std::vector<size_t> widths;
  for (const char* column : columns) {
    size_t width = std::string_view(column).size();
    for (const json& row : rows) width = std::max(width, cell(row, column).size());
    widths.push_back(width);
    text += fmt::format("{:<{}}  ", column, width);
  }
  const auto end_line = [&] { text.erase(text.find_last_not_of(' ') + 1) += '\n'; };
  end_line();
  for (const json& row : rows) {
    size_t i = 0;
    for (const char* column : columns) text += fmt::format("{:<{}}  ", cell(row, column), widths[i++]);
    end_line();
  }
  return text;
}

int list(const ListOptions& options) {
  json rows;
  std::string text;
  if (!options.plan.empty()) {
    rows = plan_rows(options.plan);
    text = table(rows, {"name", "what"});
    if (const std::string ignored = ignored_calibration(); !ignored.empty()) text += "note: " + ignored + "\n";
    for (json& row : rows) row.erase("what");
  } else if (options.what == "implementations") {
    rows = implementations(options);
    text = table(rows, {"name", "version", "lineage", "description"});
  } else if (options.what == "causes") {
    rows = cause_rows(options);
    text = table(rows, {"id", "status", "suspects", "blame", "hits", "title", "mismatch"});
    for (json& row : rows) row.erase("mismatch");
  } else if (options.what == "mismatches") {
    rows = mismatch_rows(options);
    text = table(shortened(rows),
                 {"id", "status", "suspect", "verdict", "blame", "hits", "last_seen", "predicate", "case"});
  } else {
    rows = described_rows(options.what);
    text = table(rows, {"name", "description"});
  }
  options.out.write(options.out.json() ? json_document(rows) : text);
  return kClean;
}

}  // namespace

void add_list(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, list, "list", "Show implementations, profiles, fields of a case, verdicts, causes, or mismatches",
      "Examples:\n"
      "  convict list                        implementations that can be targets or oracles\n"
      "  convict list fields                 the keys of a case line\n"
      "  convict list --plan 'conv2d ic=64 oc=64 in=56 k=3 p=1'   how each native kernel would compute a case\n"
      "  convict list causes                 what was found, one line a bug\n"
      "  convict list mismatches --suspect onednn --db convict.db\n"
      "  convict list mismatches --status new --op conv_transpose --since 2026-11-01 --limit 20\n"
      "Exit codes: 0 listed, 2 usage or a missing database");
  command.option("what", options.what, "implementations, profiles, fields, verdicts, causes or mismatches")
      .one_of({"implementations", "profiles", "fields", "verdicts", "causes", "mismatches"})
      .shows_default();
  command.option("--plan", options.plan, "Instead: how each native kernel would compute this case");
  command.option("--plugin", options.plugins, "List its implementations too").one_value_each();
  add_command_option(command, options.plugins);
  command.option("--db", options.database, "Database of mismatches").shows_default();
  store::MismatchFilter& filter = options.filter;
  command.option("--suspect", filter.suspect, "Only mismatches of this implementation");
  command.option("--verdict", filter.verdict, "Only mismatches of this verdict")
      .one_of(std::vector<std::string>(kVerdictNames.begin(), kVerdictNames.end()));
  command.option("--op", filter.operation, "Only operations that begin like this: conv3d, conv_transpose2d.back");
  command.option("--status", filter.status, "Only mismatches or causes of this status")
      .one_of(std::vector<std::string>(kShownStatuses.begin(), kShownStatuses.end()));
  command.option("--since", filter.since, "Only mismatches seen then or later: 2026-11-21, 2026-11-21T02:13:28Z");
  command.option("--until", filter.until, "Only mismatches seen then or before");
  command.option("--limit", filter.limit, "At most so many mismatches").unsigned_number();
  options.out.add_to(command);
}

}  // namespace convict::cli
