// SPDX-License-Identifier: Apache-2.0
#include "run/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "run/flight_record.h"

namespace convict::run {
namespace {

constexpr int32_t kMostFinitePoints = kMostPoints - 1;

/// Whether command lines, tables, signatures and JSON can show the text unchanged.
bool is_name(const char* text) {
  if (!text) return false;
  const std::string_view name(text, strnlen(text, kLongestName + 1));
  return !name.empty() && name.size() <= kLongestName &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f && c != ','; });
}

/// The number that a plugin stored in an enumeration. Reading it as the enumeration is undefined for other values.
template <class Enum>
int number_in(const Enum& field) {
  int number = 0;
  static_assert(sizeof field == sizeof number);
  std::memcpy(&number, &field, sizeof number);
  return number;
}

void check_implementation(const convict_implementation* one, size_t index, const std::string& shown) {
  const auto refuse = [&](std::string_view what) {
    throw UsageError(fmt::format("plugin '{}': implementation {} {}", shown, index, what));
  };
  if (!one || !one->name || !one->description || !one->lineage || !one->unsupported || !one->run)
    refuse("lacks a name, a description, a lineage or a function");
  if (!is_name(one->name))
    refuse(fmt::format("is called '{}'; valid: 1 to {} printable ASCII characters without blanks and commas",
                       printable({one->name, strnlen(one->name, kLongestName + 1)}), kLongestName));
  if (one->steps && (!one->steps->prepare || !one->steps->execute || !one->steps->finish))
    refuse(fmt::format("('{}') has steps, but not all three of them", one->name));
  if (const std::string why = wrong_in(one->contract); !why.empty())
    refuse(fmt::format("('{}') has a contract with {}", one->name, why));
}

}  // namespace

CodePath::CodePath(const convict_implementation& original, const convict_abilities& abilities, const char* path)
    : convict_implementation(original),
      original_(original),
      abilities_(abilities),
      path_(path),
      name_(fmt::format("{}:{}", original.name, path)) {
  name = name_.c_str();
  unsupported = forward<&convict_implementation::unsupported, itself>;
  run = forward<&convict_implementation::run, itself>;
  if (plan) plan = forward<&convict_implementation::plan, itself>;
  if (contract_for) contract_for = forward<&convict_implementation::contract_for, itself>;
  if (!original.steps) return;
  steps_ = *original.steps;
  steps_.prepare = forward<&convict_steps::prepare, steps_of>;
  steps = &steps_;
}

convict_abilities CodePath::abilities() const {
  convict_abilities mine = abilities_;
  mine.code_paths = nullptr;
  if (mine.workspace_size) mine.workspace_size = forward<&convict_abilities::workspace_size, abilities_of>;
  if (mine.reshape) mine.reshape = reshape;
  return mine;
}

convict_problem CodePath::named(const convict_problem& p) const {
  convict_problem with_path = p;
  with_path.code_path = path_.c_str();
  return with_path;
}

convict_status CodePath::reshape(const convict_implementation* self, void* prepared, const convict_problem* p,
                                 const convict_tensors* t, char* error, size_t error_size) {
  const convict_problem with_path = of(self).named(*p);
  return of(self).abilities_.reshape(&of(self).original_, prepared, &with_path, t, error, error_size);
}

std::vector<Subject> subjects_of(const convict_plugin* plugin, const std::string& shown) {
  constexpr size_t kLongestVersion = 200;  // bytes
  check_plugin(plugin, shown);
  const std::string version = plugin->version ? printable(plugin->version, kLongestVersion) : "";
  std::vector<Subject> subjects;
  for (size_t i = 0; i < plugin->count; ++i) {
    const convict_implementation* one = plugin->implementations[i];
    subjects.push_back({one, false, version, one->name, "", /*is_foreign=*/true});
  }
  return subjects;
}

std::string wrong_in(const convict_contract& contract) {
  const auto unless = [](int number, int lowest, int highest, std::string_view name, std::string_view valid) {
    const bool is_right = number >= lowest && number <= highest;
    return is_right ? "" : fmt::format("{} {}; valid: {}", name, number, valid);
  };
  const int summation = number_in(contract.summation);
  const int accumulator = number_in(contract.min_accumulator);
  for (std::string why :
       {unless(number_in(contract.algorithm), CONVICT_DIRECT, CONVICT_FFT, "algorithm",
               "CONVICT_DIRECT, CONVICT_WINOGRAD or CONVICT_FFT"),
        unless(accumulator, CONVICT_F32, CONVICT_BF16,
               "min_accumulator" + std::string(accumulator == CONVICT_S32 ? " CONVICT_S32," : ""),
               "CONVICT_F32, CONVICT_F64, CONVICT_F16 or CONVICT_BF16, which sums of floating point are kept in; a "
               "kernel of integers declares CONVICT_F32: its sums in 32 bits are exact by definition"),
        unless(summation, CONVICT_ANY_ORDER, CONVICT_FIXED_ORDER, "summation",
               "CONVICT_ANY_ORDER, CONVICT_BLOCKED, CONVICT_PAIRWISE or CONVICT_FIXED_ORDER"),
        unless(summation == CONVICT_BLOCKED ? contract.sum_block : 1, 1, INT32_MAX, "sum_block", "1 or more")})
    if (!why.empty()) return why;
  return "";
}

void check_abilities(const convict_abilities& abilities, const convict_implementation& one, const std::string& shown) {
  if (abilities.reshape && !one.steps)
    throw UsageError(fmt::format("plugin '{}': '{}' reshapes, but has no steps", shown, one.name));
  for (const char* const* path = abilities.code_paths; path && *path; ++path) {
    const size_t length = strnlen(one.name, kLongestName) + 1 + strnlen(*path, kLongestName + 1);
    if (!is_name(*path) || length > kLongestName)
      throw UsageError(
          fmt::format("plugin '{}': a code path of '{}' is called '{}'; valid: printable ASCII characters "
                      "without blanks and commas, with the name at most {}",
                      shown, one.name, printable({*path, strnlen(*path, kLongestName + 1)}), kLongestName));
  }
}

Transforms checked_transforms(const convict_transforms& declared, const convict_implementation& one,
                              const std::string& shown) {
  const int32_t count = declared.point_count;
  if (count < 0 || count > kMostFinitePoints || (count > 0 && !declared.points))
    throw UsageError(fmt::format("plugin '{}': '{}' declares {} points{}; valid: 0 to {}, and where they are", shown,
                                 one.name, count, declared.points ? "" : " at NULL", kMostFinitePoints));
  const std::span<const double> points(declared.points, static_cast<size_t>(count));
  check_points(points, one, shown);
  return {declared.moves_tiles != 0, declared.pairs_planes != 0, {points.begin(), points.end()}};
}

void check_points(std::span<const double> points, const convict_implementation& one, const std::string& shown) {
  const auto refuse = [&](std::string_view what, std::string_view valid) {
    throw UsageError(fmt::format("plugin '{}': '{}' declares {}; valid: {}", shown, one.name, what, valid));
  };
  if (points.empty()) return;
  const auto count = static_cast<int64_t>(points.size());
  const int64_t due = int64_t{one.contract.winograd_m} + one.contract.winograd_r - 2;
  const bool is_winograd = one.contract.algorithm == CONVICT_WINOGRAD;
  if (!is_winograd && !one.contract_for) refuse("points", "none without a contract of Winograd's algorithm");
  if (count > kMostFinitePoints || (!one.contract_for && count != due))
    refuse(fmt::format("{} points", count),
           one.contract_for ? fmt::format("0 to {}", kMostFinitePoints)
                            : fmt::format("winograd_m + winograd_r - 2 = {}, or none for the usual ones", due));
  std::vector<double> sorted(points.begin(), points.end());
  for (const double point : sorted)
    if (!std::isfinite(point))
      refuse(fmt::format("the point {}", point), "finite numbers; infinity is always the last");
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    refuse(fmt::format("the point {} twice", *twice), "distinct numbers");
}

void check_matrix_unit(const MatrixUnit& declared, const convict_implementation& one, const std::string& shown) {
  if (declared == MatrixUnit()) return;
  const auto refuse = [&](std::string_view what) {
    throw UsageError(fmt::format("plugin '{}': '{}' declares {}", shown, one.name, what));
  };
  const int bits = declared.operand_bits;
  if (bits != 0 && (bits < kFewestOperandBits || bits > kMostOperandBits))
    refuse(fmt::format("operand_bits {}; valid: {} to {}, or 0 for operands that are not rounded", bits,
                       kFewestOperandBits, kMostOperandBits));
  if (one.contract.algorithm != CONVICT_DIRECT && !one.contract_for)
    refuse(fmt::format("{} beside a transform; valid: with a contract of direct sums",
                       bits != 0 ? "operand_bits" : "truncates"));
}

void check_plugin(const convict_plugin* plugin, const std::string& shown) {
  if (!plugin) throw UsageError(fmt::format("plugin '{}' says that it cannot work on this machine", shown));
  if (plugin->abi_version != CONVICT_ABI_VERSION)
    throw UsageError(
        fmt::format("plugin '{}' has ABI version {}; this program speaks version {}: compile it with its header", shown,
                    plugin->abi_version, CONVICT_ABI_VERSION));
  if (plugin->count == 0 || plugin->count > kMostImplementations)
    throw UsageError(fmt::format("plugin '{}' offers {} implementations; valid: 1 to {}", shown, plugin->count,
                                 kMostImplementations));
  if (!plugin->implementations) throw UsageError(fmt::format("plugin '{}' has no list of implementations", shown));
  for (size_t i = 0; i < plugin->count; ++i) check_implementation(plugin->implementations[i], i, shown);
}

}  // namespace convict::run
