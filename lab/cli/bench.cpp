// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/standing.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/roster_query.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "core/text.h"
#include "generate/draw.h"
#include "generate/generate.h"
#include "lab/bench/bench.h"
#include "lab/bench/writers.h"
#include "lab/cli/calibration.h"
#include "lab/cli/commands.h"

namespace convict::cli {
namespace {

using nlohmann::json;

/// Libraries to compare with, if they are installed.
constexpr std::string_view kOpponents[] = {"libtorch:native", "libtorch:onednn", "onednn", "onednn:any"};

constexpr std::string_view kAllPasses = "all";

struct BenchOptions {
  RunOptions run;
  OutputOptions out;
  std::vector<std::string> inputs;
  std::string pass, time = "200ms", from, data;
  std::vector<int> threads;  // empty: 1, or with --from all
  int repetitions = 3;
  bool calibrate = false;
};

/// Reads files and folders; other words are case lines, which begin with their operation and need no quotes.
std::vector<CorpusEntry> entries_of(const std::vector<std::string>& inputs) {
  std::vector<CorpusEntry> entries;
  std::string line;
  const auto end_line = [&] {
    append_corpus_line(line, "", entries);
    line.clear();
  };
  for (const std::string& input : inputs) {
    std::error_code ignored;
    const bool continues = !line.empty() && input.find(' ') == std::string::npos && !input.starts_with("conv");
    if (continues && !std::filesystem::exists(input, ignored)) {
      line += " " + input;
      continue;
    }
    end_line();
    if (input.starts_with("conv") && !std::filesystem::exists(input, ignored))
      line = input;
    else
      std::ranges::move(read_corpus(input), std::back_inserter(entries));
  }
  end_line();
  return entries;
}

std::vector<convict_pass> passes_of(const std::string& name) {
  if (name.empty()) return {};
  if (name == kAllPasses) return {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS};
  const auto found = std::ranges::find(bench::kPassNames, name);
  return {static_cast<convict_pass>(found - bench::kPassNames.begin() + 1)};
}

/// The user's settings; without --oracle, with the libraries that are installed.
workers::SupervisionSettings supervision_settings(const BenchOptions& options, std::vector<std::string>& notes) {
  workers::SupervisionSettings settings = options.run.settings();
  settings.interrupted = &interrupted();
  run::RosterRequest& roster = settings.worker.roster;
  if (!roster.oracles.empty()) return settings;
  const std::vector<std::string> installed = run::installed_modules();
  for (const std::string_view name : kOpponents) {
    const std::string module(name.substr(0, name.find(':')));
    if (std::ranges::find(installed, module) != installed.end())
      roster.oracles.emplace_back(name);
    else
      notes.push_back(fmt::format("measuring without '{}', which is not installed", name));
  }
  if (roster.oracles.empty()) roster.oracles = {std::string(run::kNoOracle)};
  return settings;
}

bench::MeasuringSettings measuring_settings(const BenchOptions& options) {
  constexpr auto kLongest = std::chrono::seconds(10);  // beyond, the supervisor would think that the worker hangs
  const std::chrono::milliseconds time = parse_duration(options.time, "--time");
  if (time > kLongest)
    throw UsageError(fmt::format("--time: '{}' is too long; valid: 1ms to 10s", printable(options.time)));
  std::vector<int> threads = options.threads.empty() ? std::vector<int>{1} : options.threads;
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return {threads, std::chrono::duration<double>(time).count(), options.repetitions};
}

/// Layers that the first target takes, the most expensive ones of some that are sampled inside: as networks have them,
/// or else of any kind, integers included.
std::vector<CorpusEntry> layers_taken(const BenchOptions& options) {
  constexpr size_t kLayers = 12;
  constexpr uint64_t kDrawn = 200;
  workers::SupervisionSettings settings = options.run.settings();
  campaign::TargetSurveys surveys;
  std::vector<generate::Share> shares;
  const auto takes_some = [&] { return !shares.empty() && shares.front().target == 0; };
  for (const std::string_view profile : {std::string_view("layers"), generate::kDefaultProfile}) {
    settings.worker.profile = profile;
    surveys = campaign::survey_targets(settings, kLayers);
    shares = surveys.shares();
    if (takes_some()) break;
  }
  if (!takes_some()) {
    const std::string why = surveys.targets.front().survey.blocked_by;
    throw CannotJudge(fmt::format("'{}' takes no layer that was sampled{}; name some, e.g. convict bench corpus/bench",
                                  printable(surveys.targets.front().name),
                                  why.empty() ? "" : ": it says " + printable(why, 200)));
  }
  const generate::Profile* profile = generate::find_profile(settings.worker.profile);
  const generate::Domain& domain = shares.front().domain;
  std::vector<Case> cases;
  for (const generate::Recipe& one : domain.starts) cases.push_back(generate::made(profile, one, domain.examples));
  for (uint64_t i = 0; !domain.is_walked() && i < kDrawn; ++i) cases.push_back(generate::generate(profile, 1, 2 * i));
  std::ranges::stable_sort(cases, std::greater(), [](const Case& c) { return multiply_adds(resolve(c).problem); });
  std::vector<CorpusEntry> layers;
  for (Case& c : cases)
    if (layers.size() < kLayers && (layers.empty() || !(layers.back().c == c))) layers.push_back({c, false, ""});
  return layers;
}

bench::BenchResult measured(const BenchOptions& options) {
  const std::vector<CorpusEntry> entries = options.inputs.empty() ? layers_taken(options) : entries_of(options.inputs);
  const std::vector<convict_pass> passes = passes_of(options.pass);
  const std::vector<bench::BenchLayer> layers = bench::layers_of(entries, passes);
  if (layers.empty()) throw UsageError("no case to measure: all of them must be refused, or have no such pass");
  const bench::MeasuringSettings measuring = measuring_settings(options);
  std::vector<std::string> notes;
  workers::SupervisionSettings settings = supervision_settings(options, notes);
  std::vector<Case> cases;
  std::ranges::transform(layers, std::back_inserter(cases), &bench::BenchLayer::c);
  use_data(options.data, cases, settings);
  if (const std::string ignored = ignored_calibration(); !ignored.empty()) notes.push_back(ignored);
  LiveBlock block(options.out.quiet);
  bench::BenchResult result = bench::run_bench(layers, measuring, settings, [&](size_t done) {
    if (!block.is_due() || done >= layers.size()) return;
    block.draw({fmt::format("layer {} of {}: {}, {}", done + 1, layers.size(), printable(layers[done].label),
                            bench::pass_name(layers[done].c.pass))});
  });
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

bench::BenchResult read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("--from: '{}' cannot be read", printable(path, 300)));
  const json document = json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) throw UsageError(fmt::format("--from: '{}' is not JSON", printable(path, 300)));
  try {
    return bench::bench_result_from_json(document);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--from: '{}' is {}", printable(path, 300), printable(error.what(), 300)));
  }
}

/// Reads a result and keeps the passes and numbers of threads that the user asked for, or all.
bench::BenchResult read_result(const BenchOptions& options) {
  bench::BenchResult result = read_file(options.from);
  const auto unwanted = [&](const bench::BenchRow& row) {
    const bool other_pass = !options.pass.empty() && options.pass != kAllPasses && row.pass != options.pass;
    return other_pass ||
           (!options.threads.empty() && std::ranges::find(options.threads, row.threads) == options.threads.end());
  };
  std::erase_if(result.rows, unwanted);
  return result;
}

/// Whether a result of the subject was wrong, or ended its process.
bool failed(const bench::BenchResult& result) {
  return std::ranges::any_of(result.rows, [&](const bench::BenchRow& row) {
    const auto refused = row.refused.find(result.subject);
    return refused != row.refused.end() &&
           (refused->second.starts_with("wrong:") || refused->second.starts_with("crash"));
  });
}

/// All passes of each layer, by each kernel that `auto` chooses among.
int calibrate(BenchOptions options) {
  if (!options.from.empty() || !options.run.targets.empty() || !options.run.oracles.empty())
    throw UsageError("--calibrate measures the native kernels only; leave out --from, --target and --oracle");
  if (options.inputs.empty()) options.inputs = calibrating_layers();
  if (options.pass.empty()) options.pass = kAllPasses;
  options.run.targets = calibrated_kernels();
  options.run.oracles = {std::string(run::kNoOracle)};
  const bench::BenchResult result = measured(options);
  if (result.interrupted) return kInterrupted;
  const Calibration calibration = calibration_from(result, read_calibration());
  if (calibration.factors.empty()) return kCannotJudge;
  std::string text = fmt::format("wrote {}\n", printable(keep(calibration), 300));
  for (const auto& [key, factor] : calibration.factors) text += fmt::format("{:<20} {:.2f}\n", key, factor);
  options.out.write(text);
  return kClean;
}

int bench(const BenchOptions& options) {
  if (options.calibrate) return calibrate(options);
  const bool is_sampled = options.inputs.empty() && options.from.empty() && !options.run.plugins.empty();
  if (options.from.empty() == options.inputs.empty() && !is_sampled)
    throw UsageError(
        "bench wants either files, folders or case lines, or --from FILE, or a plugin, for sampled layers; e.g. "
        "convict bench corpus/bench");
  const bench::BenchResult result = options.from.empty() ? measured(options) : read_result(options);
  options.out.write(options.out.json()            ? json_document(bench::to_json(result))
                    : options.out.format == "svg" ? bench::bench_as_svg(result)
                                                  : bench::bench_as_text(result, options.out.verbose));
  if (result.interrupted) return options.from.empty() ? kInterrupted : kClean;
  if (failed(result)) return kMismatch;
  const bool any = std::ranges::any_of(result.rows, [](const bench::BenchRow& row) { return !row.timings.empty(); });
  return any ? kClean : kCannotJudge;
}

}  // namespace

void add_bench(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, bench, "bench", "Measure the speed of kernels and libraries, side by side",
      "Examples:\n"
      "  convict bench corpus/bench -o bench.json --format json     minutes; the machine should have nothing else to "
      "do\n"
      "  convict bench --from bench.json --format svg -o bench.svg  the same numbers as a picture\n"
      "  convict bench --from bench.json --pass forward --threads 1 some of them\n"
      "  convict bench corpus/bench/odd.cases --pass all --threads 1,2 -v\n"
      "  convict bench --plugin ./mine.so --oracle onednn:any conv2d ic=64 oc=64 in=56x56 k=3x3 p=1x1\n"
      "  convict bench --plugin ./mine.so                           layers that it takes, sampled\n"
      "  convict bench --calibrate                                  which kernel 'auto' chooses, for this machine\n"
      "Implementations with wrong results are not timed. How it measures: docs/background/performance.md.\n"
      "Exit codes: 0 measured, 1 the kernel that is compared was wrong or crashed, 2 usage, 125 nothing could be\n"
      "measured, 130 interrupted, after the layers so far");
  command.option("inputs", options.inputs, "Corpus files, directories of *.cases files, or case lines");
  command.option("--from", options.from, "Show these earlier results, of --format json, instead of measuring");
  command.option("--pass", options.pass, "Measure this pass of each layer [as the case says, with --from all]")
      .one_of({"forward", "backward_data", "backward_weights", "all"});
  command.option("--threads", options.threads, "Numbers of threads, comma-separated [1, with --from all]")
      .comma_separated()
      .within(1, 256);
  command.option("--time", options.time, "Time of each repetition at least: 200ms, 1s").shows_default();
  command.option("--repetitions", options.repetitions, "Repetitions of each measurement")
      .within(1, 1000)
      .shows_default();
  command.flag("--calibrate", options.calibrate,
               "Fit the estimates by which 'auto' chooses to this machine, with these layers or some of its own");
  options.run.timeout = "60s";  // a plain loop nest takes that long for the largest layers
  options.run.add_to(command);
  add_data(command, options.data);
  command["--oracle"].described_as(fmt::format("Library to compare with, or 'none' [{}]", fmt::join(kOpponents, ",")));
  command["--target"].described_as(
      "Implementation to measure (repeatable, or comma-separated); 'auto', or else the first, is compared "
      "[native]");
  options.out.add_to(command, {"text", "json", "svg"});
}

void add_bench_worker(Command app, int& exit_code) {
  app.add_command(bench::kBenchWorker, "Measures layers for `bench` (internal)").hidden().on_call([&exit_code] {
    exit_code = bench::run_bench_worker();
  });
}

}  // namespace convict::cli
