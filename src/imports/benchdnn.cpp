// SPDX-License-Identifier: Apache-2.0
//
// Reads input files of benchdnn, the test driver of oneDNN: tokens separated by white space, each a problem descriptor
// or an option for later descriptors. Options carry over into batch files and out of them, as in benchdnn.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/benchdnn_problem.h"
#include "imports/shared/collector.h"

namespace convict::imports {
namespace {

namespace fs = std::filesystem;
using Choice = std::map<std::string, std::string, std::less<>>;

/// The options in force at one line of a benchdnn input. A descriptor stands for the cross product of their lists.
class BenchdnnOptions {
 public:
  /// The kind of an option. The caller handles kBatch, because this class reads no files.
  enum class Kind { kTaken, kWithoutEffect, kBatch, kUnknown };

  explicit BenchdnnOptions(std::string_view driver) : driver_(driver) {}

  /// `token` begins with "-".
  Kind take(std::string_view token);

  /// Adds the cases of `descriptor` to `to`, or the reason why no case can express it.
  void expand(const std::string& descriptor, const std::string& origin, Collector& to) const;

 private:
  using Values = std::vector<std::string>;

  std::string driver_;                                 // "conv", "deconv", or another of benchdnn's
  std::map<std::string, Values, std::less<>> values_;  // by name of the option; defaults are left out
};

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

constexpr uintmax_t kLargestBatchFile = uintmax_t{16} << 20;  // bytes
constexpr uintmax_t kLargestTotal = uintmax_t{64} << 20;      // bytes of all files that one includes, repeats counted
constexpr size_t kLongestToken = 4096, kDeepestFile = 16, kMostFiles = 10'000;
constexpr std::string_view kBlanks = " \t\r";

class Reader {
 public:
  explicit Reader(const std::string& path)
      : root_(fs::weakly_canonical(path).parent_path()), options_(driver_of(fs::weakly_canonical(path))) {}

  /// `shown` is the name of the file in messages.
  void read(const fs::path& path, const std::string& shown) {
    const std::string text = read_input(path.string(), kLargestBatchFile);
    if ((total_ += text.size()) > kLargestTotal || ++files_ > kMostFiles)
      throw UsageError(fmt::format("'{}' and its batch files have more than {} bytes, or are more than {}",
                                   printable(shown, 300), kLargestTotal, kMostFiles));
    if (text.find('\0') != std::string::npos)
      throw UsageError(fmt::format("'{}' is not a text file: it holds a NUL byte", printable(shown, 300)));
    open_.push_back(path);
    read_tokens(text, path, shown);
    open_.pop_back();
  }

  Imported take() { return found_.take(); }

 private:
  /// Convolution or deconvolution: files of oneDNN do not say which, but their folder does.
  static std::string_view driver_of(const fs::path& path) {
    const bool deconv =
        path.parent_path().filename() == "deconv" || path.filename().string().find("deconv") != std::string::npos;
    return deconv ? "deconv" : "conv";
  }

  /// A token that ends with a backslash goes on with the next one, and so does one that is followed by a lone
  /// backslash.
  void read_tokens(std::string_view text, const fs::path& path, const std::string& shown) {
    std::string token, origin;
    bool continued = false;
    const auto finish = [&] {
      if (!token.empty()) read_token(std::exchange(token, ""), path, origin);
    };
    for_each_line(text, [&](std::string_view line, int number) {
      for (std::string_view rest = trim(line); !rest.empty();) {
        const size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
        std::string_view word = rest.substr(0, end);
        rest = trim(rest.substr(end));
        if (word.front() == '#') return;
        const bool alone = word == "\\";
        if (!continued && !alone) {
          finish();
          origin = fmt::format("{}:{}", shown, number);
        }
        continued = word.back() == '\\';
        if (continued) word.remove_suffix(1);
        token += word;
        if (token.size() > kLongestToken)
          throw UsageError(fmt::format("'{}': line {}: a token of more than {} bytes", printable(shown, 300), number,
                                       kLongestToken));
      }
    });
    finish();
  }

  void read_token(const std::string& token, const fs::path& path, const std::string& origin) {
    if (token.front() != '-') return options_.expand(token, origin, found_);
    switch (options_.take(token)) {
      case BenchdnnOptions::Kind::kTaken:
      case BenchdnnOptions::Kind::kWithoutEffect: break;
      case BenchdnnOptions::Kind::kUnknown: return found_.refuse(origin, token, "unknown option");
      case BenchdnnOptions::Kind::kBatch: return read_batch(token, path, origin);
    }
  }

  /// Reads a file beside the current one, or in the directory of the first one.
  void read_batch(const std::string& token, const fs::path& path, const std::string& origin) {
    const fs::path name = token.substr(token.find('=') + 1);
    const auto refuse = [&](const char* why) { found_.refuse(origin, token, fmt::format("batch file: {}", why)); };
    std::error_code error;
    for (const fs::path& directory : {path.parent_path(), root_}) {
      const fs::path file = fs::weakly_canonical(directory / name, error);
      if (error || !fs::is_regular_file(file, error)) continue;
      if (const fs::path inside = file.lexically_relative(root_); inside.empty() || *inside.begin() == "..")
        return refuse("outside of the directory of the file that was given");
      if (std::ranges::find(open_, file) != open_.end()) return refuse("it includes itself");
      if (open_.size() >= kDeepestFile) return refuse("nested more than 16 deep");
      return read(file, file.lexically_relative(root_).string());
    }
    refuse("there is no such file");
  }

  fs::path root_;
  BenchdnnOptions options_;
  std::vector<fs::path> open_;  // the file being read, and those that include it
  uintmax_t total_ = 0;
  size_t files_ = 0;
  Collector found_;
};

Imported read_benchdnn(const std::string& path) {
  read_input(path, kLargestBatchFile);  // says what is wrong with it before its path is made canonical
  Reader reader(path);
  reader.read(fs::weakly_canonical(path), path);
  return reader.take();
}

}  // namespace

extern const Importer importer_benchdnn = {"benchdnn", "input files of oneDNN's benchdnn, --conv and --deconv",
                                           read_benchdnn};

}  // namespace convict::imports
