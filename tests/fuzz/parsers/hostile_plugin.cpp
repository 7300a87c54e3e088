// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/hostile_plugin.h"

#include "core/names.h"

namespace convict::fuzz {
namespace {

constexpr size_t kMostImplementationsMade = 3;
constexpr size_t kHuge = 1 << 16;  // bytes of a text that is said to be long

// The bits of the byte in front of a text.
constexpr uint8_t kIsNull = 1, kIsHuge = 2;

const HostileImplementation& script_of(const convict_implementation* self) {
  return *reinterpret_cast<const HostileImplementation*>(self);
}

const char* pointer(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

std::optional<std::string> read_text(ByteReader& from) {
  const auto how = from.number<uint8_t>();
  if (how & kIsNull) return std::nullopt;
  std::string text = from.text();
  if (how & kIsHuge) text.resize(kHuge, text.empty() ? 'x' : text.back());
  return text;
}

/// Copies bits, because some values are in no enumeration.
template <class Field>
void read_number(ByteReader& from, Field& to) {
  const auto number = from.number<int32_t>();
  static_assert(sizeof to == sizeof number);
  std::memcpy(&to, &number, sizeof number);
}

void read_contract(ByteReader& from, convict_contract& to) {
  read_number(from, to.algorithm);
  read_number(from, to.min_accumulator);
  for (int32_t* number : {&to.winograd_m, &to.winograd_r, &to.flushes_subnormals, &to.deterministic})
    read_number(from, *number);
  read_number(from, to.summation);
  for (int32_t* number : {&to.sum_block, &to.accumulates, &to.fuses_relu}) read_number(from, *number);
}

void overwrite(const convict_tensor& tensor, uint8_t with) {
  if (tensor.ndim == 0) return;
  int64_t last = 0;
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.dims[i] == 0) return;
    last += (tensor.dims[i] - 1) * tensor.strides[i];
  }
  std::memset(tensor.data, with, static_cast<size_t>(last + 1) * type_size(tensor.dtype));
}

const char* unsupported(const convict_implementation* self, const convict_problem*, const convict_tensors*) {
  return pointer(script_of(self).refusal);
}

const char* plan(const convict_implementation* self, const convict_problem*, const convict_tensors*) {
  return pointer(script_of(self).plan);
}

const convict_contract* contract_for(const convict_implementation* self, const convict_problem*,
                                     const convict_tensors*) {
  return script_of(self).has_other ? &script_of(self).other : nullptr;
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* tensors,
                   char* error, size_t error_size) {
  const HostileImplementation& script = script_of(self);
  for (size_t i = 0; i < error_size && !script.error.empty(); ++i) error[i] = script.error[i % script.error.size()];
  const convict_tensor* outputs[] = {&tensors->dst, &tensors->diff_src, &tensors->diff_wei};
  if (script.writing != 0) overwrite(*outputs[p->pass - CONVICT_FORWARD], script.writing);
  if (script.writing != 0) overwrite(tensors->diff_bias, script.writing);
  return static_cast<convict_status>(script.status);
}

}  // namespace

HostilePlugin::HostilePlugin(std::span<const uint8_t> bytes) {
  ByteReader from(bytes);
  constexpr uint8_t kNoPlugin = 1, kNoList = 2, kOtherVersion = 4, kOtherCount = 8;
  const auto how = from.number<uint8_t>();
  is_null_ = how & kNoPlugin;
  version_ = read_text(from);
  const auto abi_version = from.number<uint32_t>();
  const auto count = from.number<uint32_t>();
  for (size_t i = 0; i < kMostImplementationsMade && (i == 0 || !from.empty()); ++i) add_implementation(from);
  // Give a count that is too large only if the loader refuses it: no reader could detect that it is wrong.
  const bool told = how & kOtherCount && (count == 0 || count > 64);
  plugin_ = {how & kOtherVersion ? abi_version : CONVICT_ABI_VERSION, pointer(version_), told ? count : list_.size(),
             how & kNoList ? nullptr : list_.data()};
}

void HostilePlugin::add_implementation(ByteReader& from) {
  constexpr uint8_t kNoImplementation = 1, kNoUnsupported = 2, kNoRun = 4, kNoPlan = 8, kOtherContract = 16,
                    kNullContract = 32;
  const auto how = from.number<uint8_t>();
  HostileImplementation& one = implementations_.emplace_back();
  for (auto* text : {&one.name, &one.description, &one.lineage, &one.refusal, &one.plan}) *text = read_text(from);
  one.error = from.text();
  read_number(from, one.status);
  one.writing = from.number<uint8_t>();
  read_contract(from, one.api.contract);
  one.api.name = pointer(one.name);
  one.api.description = pointer(one.description);
  one.api.lineage = pointer(one.lineage);
  one.api.unsupported = how & kNoUnsupported ? nullptr : unsupported;
  one.api.run = how & kNoRun ? nullptr : run;
  one.api.plan = how & kNoPlan ? nullptr : plan;
  if (how & kOtherContract) {
    one.has_other = !(how & kNullContract);
    read_contract(from, one.other);
    one.api.contract_for = contract_for;
  }
  list_.push_back(how & kNoImplementation ? nullptr : &one.api);
}

}  // namespace convict::fuzz
