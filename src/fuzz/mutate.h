// SPDX-License-Identifier: Apache-2.0
//
// Derives new cases from known ones, over the field table. A guided engine tries them next.
#pragma once

#include <cstddef>

#include "core/case.h"
#include "core/random.h"

namespace convict::fuzz {

/// Makes one to four changes: values that the generator draws (boundary values, operations), neighbours of the present
/// values, other words, the value of another axis, other earlier problems, another seed. The result is legal and
/// affordable (repair.h).
Case mutated(const Case& c, Random& random);

/// Takes each field from one of the two cases; operation, pass and rank from the first.
Case crossed(const Case& first, const Case& second, Random& random);

/// A simpler case with a record of at most `most_bytes`, out of those that shrinking would try; the plain case of the
/// operation if there is none.
Case simplified(const Case& c, size_t most_bytes, Random& random);

}  // namespace convict::fuzz
