// SPDX-License-Identifier: Apache-2.0
//
// What a fault needs of the machine: the oldest instruction set that it shows with.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "core/case.h"
#include "diagnose/probe.h"

namespace convict::diagnose {

/// For the explanation (store-format.md), of a case that fails alone. Runs it in fresh processes with older
/// instruction sets; `go_on` is asked before each.
nlohmann::json environment(Probe& probe, const Case& c, const std::function<bool()>& go_on);

}  // namespace convict::diagnose
