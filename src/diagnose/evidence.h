// SPDX-License-Identifier: Apache-2.0
//
// What is kept of how a predicate was learnt.
#pragma once

#include "core/case.h"
#include "core/predicate.h"
#include "explain/learn.h"
#include "explain/samples.h"
#include "store/explanation.h"

namespace convict::diagnose {

store::PredicateEvidence evidence_of(const explain::LearntPredicate& learnt, const explain::Sampled& sampled);

/// That the data are of this kind, for faults that no other data show.
Condition fill_is(Fill fill);

}  // namespace convict::diagnose
