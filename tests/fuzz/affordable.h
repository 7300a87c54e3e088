// SPDX-License-Identifier: Apache-2.0
//
// Checks the properties of every case of a guided engine, independently of repair.cpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/repair.h"

namespace convict::test {

inline testing::AssertionResult is_affordable_problem(const Case& c, const generate::RepairBudget& budget = {}) {
  const auto no = [&] { return testing::AssertionFailure() << to_text(c) << ": "; };
  if (const Resolved resolved = resolve(c); resolved.why_not) return no() << resolved.why_not.why;
  const convict_problem p = resolve_valid(c);
  if (multiply_adds(p) > budget.macs) return no() << multiply_adds(p) << " multiply-adds";
  convict_tensors all = describe_tensors(c, p);
  for (const convict_tensor* one : {&all.src, &all.wei, &all.dst, &all.diff_src, &all.diff_wei, &all.diff_dst})
    if (one->ndim > 0 && static_cast<double>(element_count(*one)) > budget.elements)
      return no() << element_count(*one) << " elements";
  return testing::AssertionSuccess();
}

/// Legal, readable as text, and within the budget, as is each earlier problem.
inline testing::AssertionResult is_affordable(const Case& c, const generate::RepairBudget& budget = {}) {
  if (const testing::AssertionResult result = is_affordable_problem(c, budget); !result) return result;
  if (parse_case(to_text(c)) != c) return testing::AssertionFailure() << to_text(c) << ": its text is another case";
  for (const Case& one : earlier_cases(c))
    if (const testing::AssertionResult result = is_affordable_problem(one, budget); !result)
      return testing::AssertionFailure() << to_text(c) << ": earlier problem " << result.message();
  return testing::AssertionSuccess();
}

}  // namespace convict::test
