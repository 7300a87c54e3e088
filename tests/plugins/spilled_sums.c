/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward convolutions of f32 with sums declared, and mostly kept, in f64. The fault: after each input channel the sum
 * is stored in dst and read back, so it is rounded to f32. Exact data hides that, and so would the bound of sums in
 * f32. Without the fault the implementation is correct.
 */
#include <stddef.h>

#include "abi/convict.h"

static const float* at(const convict_tensor* t, int64_t first, int64_t second, const int64_t position[3]) {
  int64_t offset = first * t->strides[0] + second * t->strides[1];
  for (int axis = 0; axis < t->ndim - 2; ++axis) offset += position[axis] * t->strides[2 + axis];
  return (const float*)t->data + offset;
}

/* All products of one output element with one input channel. */
static double channel_sum(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t o, int64_t i,
                          const int64_t out[3]) {
  const int64_t group = o / (p->oc / p->groups), channel = group * (p->ic / p->groups) + i;
  int64_t tap[3], in[3];
  double sum = 0;
  for (tap[0] = 0; tap[0] < p->kernel[0]; ++tap[0])
    for (tap[1] = 0; tap[1] < p->kernel[1]; ++tap[1])
      for (tap[2] = 0; tap[2] < p->kernel[2]; ++tap[2]) {
        int inside = 1;
        for (int axis = 0; axis < 3; ++axis) {
          in[axis] = out[axis] * p->stride[axis] - p->pad_begin[axis] + tap[axis] * p->dilation[axis];
          inside = inside && in[axis] >= 0 && in[axis] < p->in[axis];
        }
        if (inside) sum += (double)*at(&t->src, n, channel, in) * *at(&t->wei, o, i, tap);
      }
  return sum;
}

static double keep(const convict_implementation* self, double sum);

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  int64_t out[3];
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t o = 0; o < p->oc; ++o)
      for (out[0] = 0; out[0] < p->out[0]; ++out[0])
        for (out[1] = 0; out[1] < p->out[1]; ++out[1])
          for (out[2] = 0; out[2] < p->out[2]; ++out[2]) {
            double sum = p->has_bias ? ((const float*)t->bias.data)[o * t->bias.strides[0]] : 0.0;
            for (int64_t i = 0; i < p->ic / p->groups; ++i) sum = keep(self, sum + channel_sum(p, t, n, o, i, out));
            *(float*)at(&t->dst, n, o, out) = (float)sum;
          }
  return CONVICT_OK;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD) return "only forward convolutions";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  return NULL;
}

#define IMPLEMENTATION(variable, name, help)                                                                     \
  static const convict_implementation variable =                                                                 \
      {                                                                                                          \
          name,        help, "spilled", {CONVICT_DIRECT, CONVICT_F64, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0}, \
          unsupported, run,  NULL,      NULL,                                                                    \
          NULL}
IMPLEMENTATION(spills, "spills", "rounds its sum to f32 after each channel");
IMPLEMENTATION(correct, "correct", "keeps its sum in f64");

static double keep(const convict_implementation* self, double sum) {
  return self == &spills ? (double)(float)sum : sum;
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&spills, &correct};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", sizeof all / sizeof *all, all};
  return &plugin;
}
