// SPDX-License-Identifier: Apache-2.0
//
// Steps from one case to a neighbouring one, over the field table: what a guided engine tries next.
#pragma once

#include <cstddef>

#include "core/case.h"
#include "core/random.h"

namespace convict::fuzz {

/// One to four changes: values of the generator's own (its boundary values, its operations), neighbours of what is
/// there, other words, the value of another axis, another seed. Legal and affordable (repair.h).
Case mutated(const Case& c, Random& random);

/// Each field from one of the two; operation, pass and rank from the first.
Case crossed(const Case& first, const Case& second, Random& random);

/// A simpler case, one of those that shrinking would try, whose record has at most `most_bytes`; the plain case of the
/// operation if there is none.
Case simplified(const Case& c, size_t most_bytes, Random& random);

}  // namespace convict::fuzz
