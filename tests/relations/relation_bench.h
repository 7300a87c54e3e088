// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of relations: cases as calls, and runners that record what a relation does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "examine/relation_check.h"
#include "fill/fill.h"
#include "relations/relation.h"
#include "run/loader.h"

namespace convict {

inline const relations::Relation& relation_named(std::string_view name) {
  for (const relations::Relation* one : relations::all())
    if (one->name == name) return *one;
  throw std::runtime_error("no relation " + std::string(name));
}

inline const convict_implementation& kernel_named(std::string_view name) {
  return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
}

/// "mutants_p" and "P05".
inline const convict_implementation& mutant_named(const std::string& module, const std::string& name) {
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/" + module + ".so"))
    if (one.implementation->name == name) return *one.implementation;
  throw std::runtime_error(module + " has no " + name);
}

/// The call of a case with its own data.
inline relations::Call call_for(const Case& c) {
  run::GuardedMemory memory;
  const convict_problem p = resolve_valid(c);
  memory.place(p, describe_tensors(c, p), true);
  fill::fill_operands(c, p, memory.ours(), c.seed);
  return examine::call_of(c, p, memory.ours());
}

inline relations::Call call_for(const std::string& line) { return call_for(parse_case(line)); }

/// One implementation; remembers the first call's main result and counts.
class Watched final : public relations::Runner {
 public:
  explicit Watched(const convict_implementation& who) : Watched(who, who.contract) {}
  Watched(const convict_implementation& who, const convict_contract& contract)
      : runner_(who, {}, 0, contract, memory_, record_) {}

  std::optional<relations::Results> run(const relations::Call& call) override {
    ++calls;
    original_seen |= original && is_same(call, *original);
    std::optional<relations::Results> results = runner_.run(call);
    refused += !results;
    return results;
  }

  int calls = 0, refused = 0;
  const relations::Call* original = nullptr;  // the call to watch for
  bool original_seen = false;

 private:
  static bool is_same(const relations::Call& a, const relations::Call& b) {
    return a.problem.pass == b.problem.pass && a.problem.op == b.problem.op && a.src.data == b.src.data &&
           a.wei.data == b.wei.data && a.diff_dst.data == b.diff_dst.data && a.src.dims == b.src.dims &&
           a.wei.dims == b.wei.dims && a.diff_dst.dims == b.diff_dst.dims && a.bias.data == b.bias.data;
  }

  run::GuardedMemory memory_;
  run::FlightRecord record_;
  examine::ImplementationRunner runner_;
};

}  // namespace convict
