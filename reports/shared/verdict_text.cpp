// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/verdict_text.h"

namespace convict::reports {

std::string_view meaning_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCrash: return "The process died while the implementation ran.";
    case Verdict::kHang: return "A call took longer than its time limit.";
    case Verdict::kOom: return "A call took more memory than its limit.";
    case Verdict::kShape: return "It computes an output of other extents than the specification.";
    case Verdict::kAcceptsInvalid: return "It took a problem that is not legal for a legal one.";
    case Verdict::kRefusesValid: return "It accepted a legal problem and then failed.";
    case Verdict::kOutOfBounds: return "It touched memory beside a tensor, or wrote between the elements of a view.";
    case Verdict::kInputWritten: return "It wrote to an input.";
    case Verdict::kOutputUnwritten: return "It left elements of an output as they were.";
    case Verdict::kNondeterministic: return "It declares the same bits for the same call, and gave others.";
    case Verdict::kWrongExact: return "On data whose every partial sum is exact in any order, a result differs.";
    case Verdict::kWrongProven: return "An error exceeds the proven bound of the declared numeric contract.";
    case Verdict::kSpecialValues:
      return "NaN, an infinity or the sign of a zero is not what IEEE arithmetic makes of the terms.";
    case Verdict::kWrongRelation:
      return "Two of its own results that a metamorphic relation ties together contradict each other.";
    case Verdict::kWrongRounding: return "Each wrong element is the exact result, rounded to its other neighbour.";
    case Verdict::kContract:
      return "All that is wrong is explained by a weaker numeric contract than the declared one.";
    case Verdict::kWrongStatistical:
      return "An error that rounding hardly ever makes, at the same place on redrawn data.";
    case Verdict::kLessAccurate: return "Inside its bound, but far less accurate than the witnesses.";
    case Verdict::kSideEffect: return "It changed what others depend on, or wrote to memory after it had returned.";
  }
  return "";
}

}  // namespace convict::reports
