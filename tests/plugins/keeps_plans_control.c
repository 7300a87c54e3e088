/* SPDX-License-Identifier: Apache-2.0
 *
 * A control that keeps the plan of the call before, as the mutant beside it does.
 */
#define CONTROL compute_by_plan
#include "keeps_plans.c"
