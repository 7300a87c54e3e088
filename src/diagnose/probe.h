// SPDX-License-Identifier: Apache-2.0
//
// Runs one suspect on one case after the other, for shrinking and explaining. A worker process runs many cases, until
// it dies. Its results are compared with the exact reference.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/task.h"
#include "core/verdict.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::diagnose {

/// The implementation to run and the verdict to look for.
struct Suspicion {
  std::string suspect;
  Verdict verdict = Verdict::kCrash;
  std::vector<std::string> before = {};  // lines that a fresh process has to run before each case
};

class Probe {
 public:
  /// The roster of `settings` names the plugins to load and, for Verdict::kLessAccurate, the witnesses. If the verdict
  /// is a hang, the limit for a call is at most two seconds.
  Probe(const Suspicion& suspicion, const workers::SupervisionSettings& settings);

  struct Finding {
    bool judged = false;               // its result was compared with the reference, or it died
    std::optional<Mismatch> mismatch;  // only if its verdict matches the one looked for
  };

  /// Runs the case, or returns the remembered answer if it ran before.
  const Finding& ask(const Case& c);

  /// Runs the case, also if it ran before.
  Finding ask_again(const Case& c);

  /// From now on each case gets a process of its own.
  void separate_cases() { separate_ = true; }

  /// Runs the case again, for a certificate that shows all elements of a small output (certificates.md).
  Finding ask_for_values(const Case& c);

  /// Runs the case in a new process that has run no other. `environment` holds environment variables, by name, that
  /// limit threads and instruction sets. `fresh_clients`: so that clients are no copies either.
  Finding ask_fresh(const Case& c, const std::map<std::string, std::string>& environment = {},
                    bool fresh_clients = false) const;

  int runs() const { return runs_; }
  bool interrupted() const { return settings_.is_interrupted(); }

 private:
  bool is_shown_by_relations() const;
  Task<Finding> answer_to(const Case& c);
  void note(const Mismatch& mismatch, Finding& answer) const;
  void note(const workers::WorkerDeath& death, const Case& c, Finding& answer) const;
  void run(const Case& c);

  Suspicion suspicion_;
  workers::SupervisionSettings settings_;
  workers::Pool pool_;
  std::optional<workers::Workers> workers_;  // none: the next case gets a fresh process
  bool for_values_ = false, separate_ = false;
  bool died_ = false;  // whether the process died of the last case
  int cases_in_this_process_ = 0;
  Finding answer_;
  std::map<std::string, Finding> answers_;  // by canonical line
  int runs_ = 0;
};

}  // namespace convict::diagnose
