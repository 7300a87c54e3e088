// SPDX-License-Identifier: Apache-2.0
//
// Reads input files of benchdnn, the test driver of oneDNN: tokens separated by white space, each a problem descriptor
// or an option for later descriptors. Options carry over into batch files and out of them, as in benchdnn. The rules of
// descriptors are those of oneDNN v2.6.3, tests/benchdnn/conv; docs/imports.md states them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/validity.h"
#include "core/case.h"
#include "core/error.h"
#include "core/names.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/collector.h"

namespace convict::imports {
namespace {

/// A descriptor with all omitted values inferred. Axes of absent dimensions keep the values of Case.
struct BenchdnnProblem {
  bool weights_have_groups = false;  // `g` was written: weight layouts count it as a dimension
  Case c;            // operation, sizes, padding; forward, f32
  std::string name;  // the text after `n`, without quotes
};

constexpr std::string_view kAxisLetters = "dhw";

/// One axis as written; 0 is "not given" for all sizes, as in benchdnn.
struct Axis {
  int64_t in = 0, out = 0, kernel = 0, stride = 1, dilation = 0;  // dilation 0 is dense
  std::optional<int64_t> pad;                                     // at the begin

  bool absent() const {
    return in == 0 && out == 0 && kernel == 0 && dilation == 0 && stride == 1 && pad.value_or(0) == 0;
  }
  int64_t extent() const { return (kernel - 1) * (dilation + 1) + 1; }  // of the window
};

struct Written {
  std::optional<int64_t> groups;
  int64_t mb = 2, ic = 0, oc = 0;
  std::array<Axis, kAxes> axes;
  std::string name;
};

[[noreturn]] void not_a_descriptor(const std::string& why) { throw NotExpressible("not a descriptor: " + why); }

/// Stores the number of one key; false if there is no such key.
bool set(Written& to, std::string_view key, int64_t value) {
  if (key == "g")
    to.groups = value;
  else if (key == "mb")
    to.mb = value;
  else if (key == "ic")
    to.ic = value;
  else if (key == "oc")
    to.oc = value;
  else if (const size_t axis = key.size() == 2 ? kAxisLetters.find(key[1]) : std::string_view::npos;
           axis != std::string_view::npos) {
    Axis& of = to.axes[axis];
    switch (key[0]) {
      case 'i': of.in = value; break;
      case 'o': of.out = value; break;
      case 'k': of.kernel = value; break;
      case 's': of.stride = value; break;
      case 'p': of.pad = value; break;
      case 'd': of.dilation = value; break;
      default: return false;
    }
  } else {
    return false;
  }
  return true;
}

Written parse(std::string_view text) {
  Written result;
  size_t at = 0;
  const auto run = [&](auto&& belongs) {
    const size_t begin = at;
    while (at < text.size() && belongs(static_cast<unsigned char>(text[at]))) ++at;
    return text.substr(begin, at - begin);
  };
  while (at < text.size()) {
    if (text[at] == 'n') {
      result.name = text.substr(at + 1);
      std::erase_if(result.name, [](char c) { return c == '"' || c == '\''; });
      break;
    }
    const std::string_view key = run([](unsigned char c) { return std::isalpha(c) != 0; });
    const std::string_view digits = run([](unsigned char c) { return std::isdigit(c) != 0; });
    const auto value = parse_integer(digits);
    if (key.empty()) not_a_descriptor(fmt::format("'{}' where a key should be", text.substr(at - digits.size(), 8)));
    if (!value) not_a_descriptor(fmt::format("'{}' without a number that fits", key));
    if (*value > kLargestNumber) not_a_descriptor(fmt::format("{}{} is above {}", key, *value, kLargestNumber));
    if (!set(result, key, *value)) not_a_descriptor(fmt::format("unknown key '{}'", key));
    if (at < text.size() && text[at] == '_') ++at;
  }
  return result;
}

/// Output extent and padding from each other. Integer divisions truncate toward zero, as in benchdnn.
void infer(Axis& axis, char letter, convict_op op) {
  if (axis.in == 0 || axis.kernel == 0) not_a_descriptor(fmt::format("i{0} and k{0} are not both given", letter));
  if (axis.stride == 0) not_a_descriptor(fmt::format("s{} is 0", letter));
  const bool conv = op == CONVICT_CONV;
  const int64_t window = axis.extent();
  if (axis.out == 0) {
    const int64_t pad = axis.pad.value_or(0);
    axis.out = conv ? (axis.in - window + 2 * pad) / axis.stride + 1 : (axis.in - 1) * axis.stride + window - 2 * pad;
    axis.pad = pad;
    if (axis.out <= 0) not_a_descriptor(fmt::format("o{} would be {}", letter, axis.out));
  } else if (!axis.pad) {
    axis.pad = conv ? ((axis.out - 1) * axis.stride - axis.in + window) / 2
                    : ((axis.in - 1) * axis.stride - axis.out + window) / 2;
  }
}

/// Returns the number of spatial axes. Copies axes that a square or cubic problem omits from the outermost one.
int complete(std::array<Axis, kAxes>& axes) {
  const bool d = axes[0].out != 0, h = axes[1].out != 0, w = axes[2].out != 0;
  if (d && h != w) not_a_descriptor("of h and w only one is given");
  if (d && !h) axes[1] = axes[2] = axes[0];
  if (d) return 3;
  if (h && !w) axes[2] = axes[1];
  if (h) return 2;
  if (!w) not_a_descriptor("no spatial axis is given");
  return 1;
}

/// Sets the padding so that there are exactly `axis.out` outputs; benchdnn derives the padding at the end from that. If
/// symmetric padding (or output padding) gives as many, prefers it to a remainder that no window reaches.
void set_padding(const Axis& axis, int i, Case& c) {
  const int64_t begin = axis.pad.value_or(0), window = axis.extent();
  c.pad_begin[i] = c.pad_end[i] = begin;
  if (c.op == CONVICT_CONV) {
    if (conv_extent(axis.in, axis.kernel, axis.stride, axis.dilation + 1, begin, begin) != axis.out)
      c.pad_end[i] = (axis.out - 1) * axis.stride - axis.in + window - begin;
    return;
  }
  const int64_t missing = axis.out - ((axis.in - 1) * axis.stride + window - 2 * begin);
  if (missing >= 0 && missing < std::max(axis.stride, axis.dilation + 1))
    c.output_padding[i] = missing;
  else
    c.pad_end[i] = begin - missing;
}

// Memory tags. A tag lists the logical dimensions of a tensor, outermost in memory first: "acdb" is a 4-D tensor with
// dimension 1 (b) innermost; `x` stands for all dimensions that are not named; capital letters and digits are blocks,
// which no case has.

[[noreturn]] void unknown_layout(std::string_view tag) { throw NotExpressible(fmt::format("layout: {}", tag)); }

/// "nhwc" as "acdb": `letters` are the names of the dimensions in logical order.
std::string by_position(std::string_view tag, std::string_view letters) {
  std::string result;
  for (const char c : tag) {
    const size_t dim = letters.find(c);
    if (dim == std::string_view::npos) unknown_layout(tag);
    result += static_cast<char>('a' + dim);
  }
  return result;
}

/// The permutation of `dims` dimensions that these letters mean, `x` expanded to all that follow the largest one; `tag`
/// is what was written.
std::string permutation(std::string_view letters, size_t dims, std::string_view tag) {
  char largest = 'a' - 1;
  for (const char c : letters)
    if (c != 'x') largest = std::max(largest, c);
  std::string all, result;
  for (size_t i = 0; i < dims; ++i) all += static_cast<char>('a' + i);
  for (const char c : letters) {
    if (c == 'x')
      for (char rest = largest + 1; rest < static_cast<char>('a' + dims); ++rest) result += rest;
    else
      result += c;
  }
  if (!std::ranges::is_permutation(result, all)) unknown_layout(tag);
  return result;
}

std::string spatial_names(int rank) { return std::string(std::string_view("dhw").substr(kAxes - rank)); }

/// Reads a descriptor, e.g. "g2mb1ic16ih7oc16oh7kh3ph1n\"name\"". Throws NotExpressible ("not a descriptor: ...").
BenchdnnProblem parse_problem(std::string_view text, convict_op op) {
  Written written = parse(text);
  if (written.groups.value_or(1) == 0 || written.ic == 0 || written.oc == 0)
    not_a_descriptor("g, ic or oc is 0 or missing");
  for (int i = 0; i < kAxes; ++i)
    if (!written.axes[i].absent()) infer(written.axes[i], kAxisLetters[i], op);
  BenchdnnProblem result;
  Case& c = result.c;
  c.op = op;
  c.wei_layout = default_weight_layout(op);
  c.rank = complete(written.axes);
  c.groups = written.groups.value_or(1);
  c.batch = written.mb;
  c.ic = written.ic;
  c.oc = written.oc;
  for (int i = 0; i < c.rank; ++i) {
    const Axis& axis = written.axes[kAxes - c.rank + i];
    c.in[i] = axis.in;
    c.kernel[i] = axis.kernel;
    c.stride[i] = axis.stride;
    c.dilation[i] = axis.dilation + 1;
    set_padding(axis, i, c);
  }
  result.weights_have_groups = written.groups.has_value();
  result.name = written.name;
  return result;
}

/// From "f32", "bf16bf16f32" or "f16:f16:f16". Throws NotExpressible ("int8: ...", "data type: ...").
void set_types(std::string_view text, Case& to) {
  constexpr std::pair<std::string_view, std::optional<convict_dtype>> kTypes[] = {
      {"bf16", CONVICT_BF16}, {"f16", CONVICT_F16},  {"f32", CONVICT_F32}, {"f64", CONVICT_F64}, {"u8", std::nullopt},
      {"s8", std::nullopt},   {"s32", std::nullopt}, {"u4", std::nullopt}, {"s4", std::nullopt}};
  std::vector<convict_dtype> types;
  std::string_view plain = text;  // v2 names ranges of data too: "f32_wino"
  for (const std::string_view range : {"_no_limits", "_wino", "_full"})
    if (plain.ends_with(range)) plain.remove_suffix(range.size());
  for (std::string_view rest = plain; !rest.empty();) {
    if (rest.front() == ':') {
      rest.remove_prefix(1);
      continue;
    }
    const auto type = std::ranges::find_if(kTypes, [&](const auto& known) { return rest.starts_with(known.first); });
    if (type == std::end(kTypes) || rest.starts_with("f8_")) throw NotExpressible(fmt::format("data type: {}", text));
    if (!type->second) throw NotExpressible(fmt::format("int8: {}", text));
    types.push_back(*type->second);
    rest.remove_prefix(type->first.size());
  }
  if (types.size() == 1) types.resize(3, types.front());
  if (types.size() != 3) throw NotExpressible(fmt::format("data type: {}", text));
  to.src_type = types[0];
  to.wei_type = types[1];
  to.dst_type = types[2];
}

/// That an activation tag such as "any", "abx", "acdb", "nhwc" names. Throws NotExpressible ("layout: ...").
ActivationLayout activation_layout(std::string_view tag, int rank) {
  if (tag == "any" || tag == "undef") return ActivationLayout::kChannelsFirst;
  const std::string names = "nc" + spatial_names(rank);
  const size_t dims = 2 + static_cast<size_t>(rank);
  const bool named = tag.find('n') != std::string_view::npos;
  const std::string order = permutation(named ? by_position(tag, names) : std::string(tag), dims, tag);
  if (order == permutation("abx", dims, tag)) return ActivationLayout::kChannelsFirst;
  if (order == permutation("axb", dims, tag)) return ActivationLayout::kChannelsLast;
  unknown_layout(tag);
}

/// That a weights tag names: logical dimensions [g][o][i][taps] for conv and deconv. Throws NotExpressible.
WeightLayout weight_layout(std::string_view tag, const BenchdnnProblem& problem) {
  const Case& c = problem.c;
  if (tag == "any" || tag == "undef") return default_weight_layout(c.op);
  const std::string names = (problem.weights_have_groups ? "goi" : "oi") + spatial_names(c.rank);
  const bool named = tag.find('o') != std::string_view::npos || tag.find('i') != std::string_view::npos;
  std::string order = permutation(named ? by_position(tag, names) : std::string(tag), names.size(), tag);
  for (char& dim : order) dim = names[static_cast<size_t>(dim - 'a')];
  if (problem.weights_have_groups) {
    // Our weights count all groups in one of their channel dimensions: in o for conv, in i for conv_transpose. The
    // groups have to lie directly around it, unless there is only one.
    const size_t at = order.find('g');
    const char counted = c.op == CONVICT_CONV ? 'o' : 'i';
    if (c.groups > 1 && (at + 1 >= order.size() || order[at + 1] != counted)) unknown_layout(tag);
    order.erase(at, 1);
  }
  const std::string taps = spatial_names(c.rank);
  if (order == "oi" + taps) return WeightLayout::kOihw;
  if (order == "io" + taps) return WeightLayout::kIohw;
  if (order == "o" + taps + "i") return WeightLayout::kOhwi;
  if (order == taps + "io") return WeightLayout::kHwio;
  unknown_layout(tag);
}

// ---- Input files ----------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;
using Choice = std::map<std::string, std::string, std::less<>>;  // of the cross product: a value for every option

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
  set_types(value_of(choice, "dt", "f32"), c);
  set_direction(value_of(choice, "dir", "FWD_B"), c);
  set_batch(value_of(choice, "mb", "0"), c);
  c.src_layout = activation_layout(value_of(choice, "stag", "any"), c.rank);
  c.dst_layout = activation_layout(value_of(choice, "dtag", "any"), c.rank);
  c.wei_layout = weight_layout(value_of(choice, "wtag", "any"), problem);
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
    problem = parse_problem(descriptor, driver_ == "conv" ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE);
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
