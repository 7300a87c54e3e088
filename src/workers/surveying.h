// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of a survey: asks one target what it takes.
#pragma once

#include <cstddef>
#include <span>

#include "core/where.h"
#include "generate/survey.h"
#include "run/flight_record.h"
#include "run/loader.h"
#include "workers/lookahead.h"
#include "workers/messages.h"

namespace convict::workers {

/// What a worker has loaded and was told. All of it is borrowed.
struct SurveyInputs {
  std::span<const run::Subject> subjects;
  const WorkerSettings& settings;
  const Where& where;
  Lookahead& lookahead;
  run::FlightRecord& record;
};

/// Takes two seconds of CPU time at most; and six seconds with a client, who may answer slowly, or two without `pairs`,
/// which is for short campaigns.
generate::Survey survey_of(size_t target, const SurveyInputs& asked, bool pairs);

}  // namespace convict::workers
