// SPDX-License-Identifier: Apache-2.0
#include "run/client_messages.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json_text.h"
#include "core/names.h"
#include "core/strict_json.h"
#include "core/text.h"

namespace convict::run {
namespace {

using nlohmann::json;

constexpr const char *kHello = "hello", *kFork = "fork", *kId = "id";

constexpr ContractWords<convict_status, 5> kStatuses = {
    {{"ok", CONVICT_OK},
     {"refused", CONVICT_REFUSED},
     {"failed", CONVICT_FAILED},
     {"wrong_shape", CONVICT_WRONG_SHAPE},
     {"out_of_memory", CONVICT_OUT_OF_MEMORY}}};

/// The value of a word. Throws BrokenProtocol, which names what would be valid.
template <class Value, size_t N>
Value named(const ContractWords<Value, N>& words, const std::string& word, const char* key) {
  std::string valid;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    valid += (valid.empty() ? "" : ", ") + std::string(name);
  }
  throw BrokenProtocol(fmt::format("\"{}\" is '{}'; valid: {}", key, printable(word), valid));
}

template <class Value, size_t N>
Value named_or(const ContractWords<Value, N>& words, const json& object, const char* key,
               Value otherwise) {
  return object.contains(key) ? named(words, object[key].get<std::string>(), key) : otherwise;
}

template <class T>
T value_or(const json& object, const char* key, T otherwise) {
  if (!object.contains(key)) return otherwise;
  const T value = strictly(object, key);
  return value;
}

// ---- Questions: formatted by hand, for they are half of the cost of a message ---------------------------------------

void append_list(std::string& to, std::string_view key, const int64_t* numbers, int count) {
  fmt::format_to(std::back_inserter(to), FMT_COMPILE("\"{}\":["), key);
  for (int i = 0; i < count; ++i) {
    const fmt::format_int number(numbers[i]);
    to.append(number.data(), number.size()).push_back(',');
  }
  if (count > 0) to.pop_back();
  to += "],";
}

constexpr size_t kUsualProblem = 1024;  // characters
constexpr const char* kOperations[] = {"", "conv", "conv_transpose"};
constexpr const char* kPaddings[] = {"explicit", "same_upper", "same_lower", "valid"};
constexpr const char* kRequantizations[] = {"", "single", "double", "even"};
constexpr const char* kPasses[] = {"", "forward", "backward_data", "backward_weights"};

void append_tensor(std::string& to, const Role& role, const convict_problem& p, const convict_tensor& tensor,
                   const FilePlace* place) {
  fmt::format_to(std::back_inserter(to), FMT_COMPILE("\"{}\":{{\"dtype\":\"{}\",\"output\":{},"), role.name,
                 type_name(tensor.dtype), role.is_output[p.pass]);
  append_list(to, "dims", tensor.dims, tensor.ndim);
  append_list(to, "strides", tensor.strides, tensor.ndim);
  to.pop_back();
  if (place)
    fmt::format_to(std::back_inserter(to), FMT_COMPILE(",\"at\":{},\"buffer\":[{},{}]"), place->at, place->begin,
                   place->bytes);
  to += "},";
}

// ---- Answers --------------------------------------------------------------------------------------------------------

/// The value of `what` in an answer to question `id`, read by read(value).
template <class Read>
auto answer(const std::string& line, uint64_t id, const char* what, const Read& read) try {
  const json object = json::parse(line);
  const uint64_t answered = strictly(object, kId);
  if (answered != id) throw BrokenProtocol(fmt::format("it answered question {} when it was asked {}", answered, id));
  return read(object.at(what));
} catch (const json::parse_error&) {
  throw BrokenProtocol(fmt::format("it sent a line that is not JSON: '{}'", printable(line)));
} catch (const json::exception&) {
  throw BrokenProtocol(fmt::format("its answer is not what \"{}\" wants: '{}'", what, printable(line)));
} catch (const UsageError& error) {
  throw BrokenProtocol(
      fmt::format("its answer to \"{}\" cannot be read, {}: '{}'", what, error.what(), printable(line)));
}

const json& list_of(const json& value, size_t count) {
  if (value.is_array() && value.size() == count) return value;
  throw BrokenProtocol(fmt::format("it answered {} problems when it was asked {}", value.size(), count));
}

convict_contract contract_from(const json& object) {
  convict_contract contract{};
  contract.algorithm = named_or(kAlgorithmWords, object, "algorithm", CONVICT_DIRECT);
  contract.min_accumulator = named_or(kAccumulatorWords, object, "min_accumulator", CONVICT_F32);
  contract.summation = named_or(kSummationWords, object, "summation", CONVICT_ANY_ORDER);
  contract.sum_block = value_or(object, "sum_block", int32_t{0});
  contract.winograd_m = value_or(object, "winograd_m", int32_t{0});
  contract.winograd_r = value_or(object, "winograd_r", int32_t{0});
  contract.flushes_subnormals = value_or(object, "flushes_subnormals", false);
  contract.deterministic = value_or(object, "deterministic", false);
  contract.accumulates = value_or(object, "accumulates", false);
  contract.fuses_relu = value_or(object, "fuses_relu", false);
  return contract;
}

convict_abilities abilities_from(const json& object) {
  convict_abilities abilities{};
  abilities.requantizes = value_or(object, "requantizes", false);
  return abilities;
}

Transforms transforms_from(const json& object) {
  return {value_or(object, "moves_tiles", false), value_or(object, "pairs_planes", false),
          value_or(object, "points", std::vector<double>())};
}

MatrixUnit matrix_unit_from(const json& object) {
  return {value_or(object, "operand_bits", int32_t{0}), value_or(object, "truncates", false)};
}

Announced announced_from(const json& object) {
  Announced one;
  one.name = object.at("name").get<std::string>();
  one.description = value_or(object, "description", one.name);
  one.lineage = value_or(object, "lineage", one.name);
  const json contract = object.value("contract", json::object());
  one.contract = contract_from(contract);
  one.abilities = abilities_from(contract);
  one.declarations = {transforms_from(contract), matrix_unit_from(contract)};
  one.examples = value_or(object, "examples", std::vector<std::string>());
  one.built_on = value_or(object, "built_on", std::vector<std::string>());
  one.batch = value_or(object, "batch", size_t{1});
  one.plans = value_or(object, "plans", false);
  one.stateless = value_or(object, "stateless", false);
  if (one.batch < 1 || one.batch > kMostProblemsAtOnce)
    throw BrokenProtocol(fmt::format("\"batch\" is {}; valid: 1 to {}", one.batch, kMostProblemsAtOnce));
  return one;
}

}  // namespace

std::string to_json_text(const convict_problem& p, const convict_tensors& tensors, const FilePlaces* places) {
  std::string text;
  text.reserve(kUsualProblem);
  fmt::format_to(
      std::back_inserter(text),
      FMT_COMPILE(
          "{{\"op\":\"{}\",\"pass\":\"{}\",\"rank\":{},\"bias\":{},\"threads\":{},\"batch\":{},\"groups\":{},\"ic\":{},"
          "\"oc\":{},\"beta\":{},\"relu\":{},\"src_zero_point\":{},\"dst_zero_point\":{},"),
      kOperations[p.op], kPasses[p.pass], p.rank, p.has_bias != 0, p.threads, p.batch, p.groups, p.ic, p.oc, p.beta,
      p.relu != 0, p.src_zero_point, p.dst_zero_point);
  if (p.padding != CONVICT_EXPLICIT_PADDING) text += fmt::format("\"padding\":\"{}\",", kPaddings[p.padding]);
  if (p.requantization != CONVICT_NO_REQUANTIZATION)
    text += fmt::format("\"requantization\":\"{}\",\"clamp_low\":{},\"clamp_high\":{},",
                        kRequantizations[p.requantization], p.clamp_low, p.clamp_high);
  append_list(text, "in", p.in, p.rank);
  append_list(text, "out", p.out, p.rank);
  append_list(text, "kernel", p.kernel, p.rank);
  append_list(text, "stride", p.stride, p.rank);
  append_list(text, "dilation", p.dilation, p.rank);
  append_list(text, "pad_begin", p.pad_begin, p.rank);
  append_list(text, "pad_end", p.pad_end, p.rank);
  append_list(text, "output_padding", p.output_padding, p.rank);
  text += "\"tensors\":{";
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (const convict_tensor& tensor = tensors.*kRoles[i].tensor; tensor.ndim != 0)
      append_tensor(text, kRoles[i], p, tensor, places ? &(*places)[i] : nullptr);
  text.back() = '}';
  return text += '}';
}

std::string hello_question(uint64_t id, int file, const std::string& path) {
  return json_line({{kId, id}, {kHello, {{"protocol", kClientProtocol}, {"file", file}, {"path", path}}}}) + '\n';
}

std::string fork_question(uint64_t id, int socket) {
  return json_line({{kId, id}, {kFork, {{"socket", socket}}}}) + '\n';
}

std::string question(uint64_t id, const char* what, const std::string& who, std::span<const std::string> problems,
                     const std::string& more) {
  std::string line = fmt::format("{{\"id\":{},\"implementation\":{},{}\"{}\":[", id, json_line(who), more, what);
  for (const std::string& problem : problems) line += problem + ',';
  line.back() = ']';
  return line += "}\n";
}

std::string run_question(uint64_t id, const std::string& who, std::span<const std::string> problems,
                         uint64_t file_bytes) {
  return question(id, kRun, who, problems, fmt::format("\"file_bytes\":{},", file_bytes));
}

ClientHello hello_from(const std::string& line, uint64_t id) {
  return answer(line, id, kHello, [&](const json& value) {
    ClientHello hello;
    hello.protocol = strictly(value, "protocol");
    if (hello.protocol != kClientProtocol) return hello;  // the rest may look different
    hello.version = value_or(value, "version", std::string());
    hello.forks = value_or(value, "forks", false);
    for (const json& one : value.at("implementations")) hello.implementations.push_back(announced_from(one));
    return hello;
  });
}

bool forks_from(const std::string& line, uint64_t id) {
  return answer(line, id, kFork, [](const json& value) { return value.get<bool>(); });
}

std::vector<std::optional<std::string>> texts_from(const std::string& line, uint64_t id, const char* what,
                                                   size_t count) {
  return answer(line, id, what, [&](const json& value) {
    std::vector<std::optional<std::string>> texts;
    for (const json& one : list_of(value, count))
      texts.push_back(one.is_null() ? std::nullopt : std::optional(one.get<std::string>()));
    return texts;
  });
}

std::vector<ClientStatus> statuses_from(const std::string& line, uint64_t id, size_t count) {
  return answer(line, id, kRun, [&](const json& value) {
    std::vector<ClientStatus> statuses;
    for (const json& one : list_of(value, count)) {
      const bool is_word = one.is_string();  // "ok" for {"status":"ok"}
      const std::string word = is_word ? one.get<std::string>() : std::string(strictly(one, "status"));
      statuses.push_back({named(kStatuses, word, "status"), is_word ? "" : value_or(one, "error", std::string())});
    }
    return statuses;
  });
}

}  // namespace convict::run
