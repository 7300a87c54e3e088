// SPDX-License-Identifier: Apache-2.0
#include "pipeline.h"

#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "fill/fill.h"
#include "judge/reference.h"
#include "run/guarded_call.h"

namespace convict {
namespace {

using Kind = Outcome::Kind;

/// Everything about a case that does not depend on who computes it.
struct Scene {
  const Case& c;
  convict_problem problem;
  convict_tensors described;  // without data
};

/// Why nobody can be judged on this case, whatever they say; nothing if they can.
std::optional<std::string> impossible(const Scene& scene, double most_bytes) {
  if (scene.c.src_type != scene.c.wei_type || scene.c.wei_type != scene.c.dst_type)
    return "the exact reference does not mix data types";
  if (examination_bytes(scene.described, scene.problem.pass) > most_bytes)
    return "the operands and their reference need more memory than one worker may have";
  return std::nullopt;
}

std::optional<std::string> reason_to_refuse(const Scene& scene, const convict_implementation& who, int position,
                                            FlightRecord& record) {
  if (who.contract.algorithm != CONVICT_DIRECT)  // its errors obey another bound than the one known here
    return "only implementations that declare CONVICT_DIRECT can be judged";
  return ask_unsupported(who, position, scene.problem, scene.described, record);
}

/// Asks every subject whether it takes the problem; true if anybody does.
bool ask_all(const Scene& scene, std::span<const Subject> subjects, double most_bytes, FlightRecord& record,
             std::vector<Testimony>& testimonies) {
  const auto for_all = impossible(scene, most_bytes);
  bool anybody = false;
  for (size_t i = 0; i < subjects.size(); ++i) {
    Testimony& testimony = testimonies.emplace_back();
    testimony.who = subjects[i].implementation;
    testimony.is_target = subjects[i].is_target;
    auto reason = for_all ? for_all : reason_to_refuse(scene, *testimony.who, static_cast<int>(i), record);
    anybody |= !reason;
    if (reason) testimony.outcome = {Kind::kRefused, std::move(*reason), {}};
  }
  return anybody;
}

/// Runs everybody who took the problem; `check` compares the outputs of whoever computed them.
template <class Check>
void run_all(const Scene& scene, GuardedMemory& memory, FlightRecord& record, std::vector<Testimony>& testimonies,
             const Check& check) {
  for (size_t i = 0; i < testimonies.size(); ++i) {
    Testimony& testimony = testimonies[i];
    if (testimony.outcome.kind == Kind::kRefused) continue;
    testimony.outcome = call_guarded(*testimony.who, static_cast<int>(i), scene.problem, memory, record);
    if (testimony.outcome.kind == Kind::kComputed) check(testimony.comparison);
  }
}

/// Looks up S for the certificates of mismatches found by equality, which needs no magnitudes until then.
template <class T>
void add_magnitudes(const Scene& scene, const GuardedMemory& memory, std::vector<Expected<T>>& expected,
                    std::vector<Testimony>& testimonies) {
  for (Testimony& testimony : testimonies) {
    Comparison& evidence = testimony.comparison;
    if (evidence.agrees()) continue;
    if (expected.front().magnitude.empty()) expected = compute_reference<T>(scene.problem, memory.ours(), true);
    for (const Expected<T>& output : expected)
      if (output.role == evidence.role) evidence.magnitude = static_cast<double>(output.magnitude[evidence.index]);
  }
}

template <class T>
void run_and_compare(const Scene& scene, GuardedMemory& memory, FlightRecord& record,
                     std::vector<Testimony>& testimonies) {
  const bool exact = scene.c.fill == Fill::kInt && exact_range(scene.c, scene.problem) > 0;
  std::vector<Expected<T>> expected = compute_reference<T>(scene.problem, memory.ours(), !exact);
  run_all(scene, memory, record, testimonies, [&](Comparison& comparison) { comparison = compare<T>(expected); });
  add_magnitudes(scene, memory, expected, testimonies);
}

void summarize(Examination& examination) {
  bool every_oracle = true;
  for (const Testimony& testimony : examination.testimonies) {
    const bool computed = testimony.outcome.kind == Kind::kComputed;
    if (testimony.is_target)
      examination.judged |= computed;
    else
      every_oracle &= computed;
  }
  examination.witnessed = examination.judged && every_oracle;
}

/// Places the operands on the side of their guard page that the case's own seed chooses, and fills the inputs.
void set_scene(const Scene& scene, GuardedMemory& memory) {
  memory.place(scene.problem, scene.described, (mix(scene.c.seed) & 1) == 0);
  fill_inputs(scene.c, scene.problem, memory.ours());
}

}  // namespace

Examination examine(const Case& c, std::span<const Subject> subjects, GuardedMemory& memory, FlightRecord& record,
                    double most_bytes) {
  Scene scene{c, resolve_valid(c), {}};
  scene.described = describe_tensors(c, scene.problem);
  Examination examination;
  if (!ask_all(scene, subjects, most_bytes, record, examination.testimonies)) return examination;
  set_scene(scene, memory);
  if (c.src_type == CONVICT_F32)
    run_and_compare<float>(scene, memory, record, examination.testimonies);
  else
    run_and_compare<double>(scene, memory, record, examination.testimonies);
  summarize(examination);
  examination.mismatches = judge(c, examination.testimonies);
  return examination;
}

Examination examine_illegal(const Case& c, std::span<const Subject> subjects, GuardedMemory& memory,
                            FlightRecord& record, double most_bytes) {
  Scene scene{c, resolve(c).problem, {}};
  scene.described = describe_tensors(c, scene.problem);
  Examination examination;
  if (ask_all(scene, subjects, most_bytes, record, examination.testimonies)) {
    set_scene(scene, memory);
    run_all(scene, memory, record, examination.testimonies, [](Comparison&) {});
  }
  examination.judged = true;
  examination.mismatches = judge_acceptance(c, examination.testimonies);
  return examination;
}

}  // namespace convict
