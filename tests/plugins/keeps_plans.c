/* SPDX-License-Identifier: Apache-2.0
 *
 * Implementations that keep what they have made for the call before: right by themselves, and wrong if that call had
 * other fused operations. `control` keeps nothing.
 */
#include <string.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  return p->op == CONVICT_CONV ? unsupported(self, p, t) : "only conv";
}

static void replace_negative(const convict_problem* p, const convict_tensor* dst) {
  int64_t at[3];
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t channel = 0; channel < p->oc; ++channel)
      for (at[0] = 0; at[0] < p->out[0]; ++at[0])
        for (at[1] = 0; at[1] < p->out[1]; ++at[1])
          for (at[2] = 0; at[2] < p->out[2]; ++at[2]) {
            float* result = element(dst, n, channel, at);
            if (*result < 0.0f) *result = 0.0f;
          }
}

static convict_status compute(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  const convict_status status = run(self, p, t, error, error_size);
  if (status == CONVICT_OK && p->relu) replace_negative(p, &t->dst);
  return status;
}

/* What is new in the key is found, and what is new beside it is not: with another rank, the fused ReLU is still that of
 * the call before. One case has one rank, so no case shows this by itself. */
static convict_status compute_by_plan(const convict_implementation* self, const convict_problem* p,
                                      const convict_tensors* t, char* error, size_t error_size) {
  static int32_t rank = 0, relu = 0;
  convict_problem planned = *p;
  if (p->pass == CONVICT_FORWARD && rank != 0 && p->rank != rank) planned.relu = relu;
  rank = p->rank;
  relu = p->relu;
  return compute(self, &planned, t, error, error_size);
}

#ifndef CONTROL
#define CONTROL compute
#endif

#define KEEPER(name, description, compute)                                                                      \
  {                                                                                                             \
    name, description, "keeps-plans", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 1},    \
        only_conv, compute, NULL, NULL, NULL                                                                    \
  }

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation control = KEEPER("control", "keeps nothing", CONTROL),
                                      plan = KEEPER("keeps-plan", "keeps the plan of the call before", compute_by_plan);
  static const convict_implementation* all[2];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", sizeof all / sizeof *all, all};
  all[0] = &control;
  all[1] = &plan;
  return &plugin;
}
