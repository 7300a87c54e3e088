/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel with one fault that has one signature: `one-fault|output-unwritten|conv1d`. It computes plain conv1d in f32,
 * and does not write the last element. Nights that must be red for one reason are red for this one.
 */
#include "abi/convict.h"

static float* at(const convict_tensor* t, int64_t i, int64_t j, int64_t k) {
  return (float*)t->data + i * t->strides[0] + j * t->strides[1] + k * t->strides[2];
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->rank != 1 || p->pass != CONVICT_FORWARD) return "only conv1d, forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  return p->has_bias ? "no bias" : NULL;
}

/* The sum of one output: image n, channel c of group g. */
static float sum_of(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t c, int64_t o) {
  const int64_t inputs = p->ic / p->groups, g = c / (p->oc / p->groups);
  float sum = 0;
  for (int64_t i = 0; i < inputs; ++i)
    for (int64_t tap = 0; tap < p->kernel[0]; ++tap) {
      const int64_t x = o * p->stride[0] - p->pad_begin[0] + tap * p->dilation[0];
      if (x >= 0 && x < p->in[0]) sum += *at(&t->src, n, g * inputs + i, x) * *at(&t->wei, c, i, tap);
    }
  return sum;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  (void)self;
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t c = 0; c < p->oc; ++c)
      for (int64_t o = 0; o < p->out[0]; ++o)
        if (n + 1 < p->batch || c + 1 < p->oc || o + 1 < p->out[0]) *at(&t->dst, n, c, o) = sum_of(p, t, n, c, o);
  return CONVICT_OK;
}

static const convict_implementation one_fault = {
    "one-fault", "does not write the last element of conv1d",
    "one-fault", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,
    NULL,        NULL,
    NULL,
};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&one_fault};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", sizeof all / sizeof *all, all};
  return &plugin;
}
