// SPDX-License-Identifier: Apache-2.0
//
// What a fault needs of the machine: the oldest instruction set that it shows with.
#pragma once

#include <functional>

#include "core/case.h"
#include "diagnose/probe.h"
#include "store/explanation.h"

namespace convict::diagnose {

/// Precondition: the case fails alone. Runs it in fresh processes with older instruction sets; `go_on` is asked before
/// each.
store::EnvironmentEvidence environment(Probe& probe, const Case& c, const std::function<bool()>& go_on);

}  // namespace convict::diagnose
