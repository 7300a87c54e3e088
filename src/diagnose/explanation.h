// SPDX-License-Identifier: Apache-2.0
//
// What a row keeps of a learnt condition, as JSON: docs/background/store-format.md.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/case.h"
#include "core/predicate.h"
#include "explain/learn.h"
#include "explain/samples.h"

namespace convict::diagnose {

/// Each condition with the simplest case that passes because it alone does not hold; the exceptions; how much was
/// tried.
nlohmann::json described(const explain::LearntPredicate& learnt, const explain::Sampled& sampled);

/// That the data are of this kind, for faults that no other data show.
Condition fill_is(Fill fill);

}  // namespace convict::diagnose
