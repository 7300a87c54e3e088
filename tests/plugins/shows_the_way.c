/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel for one layer of one network, in numbers that nobody draws, which says the same to all it refuses. Its
 * example is the only way to it.
 */
#include <stddef.h>

#include "abi/convict.h"

static int64_t at(const convict_tensor* t, int64_t a, int64_t b, int64_t y, int64_t x) {
  return a * t->strides[0] + b * t->strides[1] + y * t->strides[2] + x * t->strides[3];
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p,
                               const convict_tensors* t) {
  (void)self;
  if (p->op == CONVICT_CONV && p->pass == CONVICT_FORWARD && p->rank == 2 && p->groups == 1 && p->ic == 37 &&
      p->kernel[0] == 13 && p->kernel[1] == 11 && p->in[0] == 29 && p->in[1] == 31 && p->oc > 0 && !p->has_bias &&
      p->out[0] > 0 && p->out[1] > 0 && p->output_padding[0] == 0 && p->output_padding[1] == 0 &&
      t->src.dtype == CONVICT_F32 && t->wei.dtype == CONVICT_F32 && t->dst.dtype == CONVICT_F32)
    return NULL;
  return "not my layer";
}

static float one(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t k, int64_t y, int64_t x) {
  const float *src = t->src.data, *wei = t->wei.data;
  float sum = 0;
  for (int64_t c = 0; c < p->ic; ++c)
    for (int64_t r = 0; r < p->kernel[0]; ++r)
      for (int64_t s = 0; s < p->kernel[1]; ++s) {
        const int64_t i = y * p->stride[0] - p->pad_begin[0] + r * p->dilation[0];
        const int64_t j = x * p->stride[1] - p->pad_begin[1] + s * p->dilation[1];
        if (i < 0 || i >= p->in[0] || j < 0 || j >= p->in[1]) continue;
        sum += src[at(&t->src, n, c, i, j)] * wei[at(&t->wei, k, c, r, s)];
      }
  return sum;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  float* dst = t->dst.data;
  (void)self, (void)error, (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t k = 0; k < p->oc; ++k)
      for (int64_t y = 0; y < p->out[0]; ++y)
        for (int64_t x = 0; x < p->out[1]; ++x) dst[at(&t->dst, n, k, y, x)] = one(p, t, n, k, y, x);
  return CONVICT_OK;
}

static const convict_implementation only = {.name = "shows-the-way",
                                            .description = "one layer of one network",
                                            .lineage = "shows-the-way",
                                            .contract = {.algorithm = CONVICT_DIRECT, .min_accumulator = CONVICT_F32},
                                            .unsupported = unsupported,
                                            .run = run};
static const convict_implementation* const all[] = {&only};
static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) { return &plugin; }

const char* const* convict_examples_v1(const convict_implementation* self);
const char* const* convict_examples_v1(const convict_implementation* self) {
  static const char* const lines[] = {"conv2d ic=37 oc=2 in=29x31 k=13x11", "conv2d is no case", NULL};
  (void)self;
  return lines;
}
