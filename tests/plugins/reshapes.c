/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that are prepared once and run for other batch sizes and extents: conv1d in f32 of one channel, which packs
 * the weights when it is prepared. `fits` takes over all of the new problem; the others keep what their name says from
 * the problem before. All are right when they are called without such steps.
 */
#include "abi/convict.h"

#include <stdlib.h>
#include <string.h>

typedef struct session {
  convict_problem p;
  convict_tensors t;
  float* weights; /* packed: one behind the other */
} session;

static void compute(const convict_problem* p, const convict_tensors* t, const float* wei, int64_t wei_stride) {
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t o = 0; o < p->out[0]; ++o) {
      float sum = 0;
      for (int64_t r = 0; r < p->kernel[0]; ++r) {
        const int64_t i = o * p->stride[0] - p->pad_begin[0] + r * p->dilation[0];
        if (i < 0 || i >= p->in[0]) continue;
        sum += ((const float*)t->src.data)[n * t->src.strides[0] + i * t->src.strides[2]] * wei[r * wei_stride];
      }
      ((float*)t->dst.data)[n * t->dst.strides[0] + o * t->dst.strides[2]] = sum;
    }
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  (void)self, (void)error, (void)error_size;
  compute(p, t, t->wei.data, t->wei.strides[2]);
  return CONVICT_OK;
}

static void* prepare(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                     char* error, size_t error_size) {
  session* one = malloc(sizeof *one);
  (void)self, (void)error, (void)error_size;
  one->p = *p;
  one->t = *t;
  one->weights = malloc((size_t)p->kernel[0] * sizeof(float));
  for (int64_t r = 0; r < p->kernel[0]; ++r) one->weights[r] = ((const float*)t->wei.data)[r * t->wei.strides[2]];
  return one;
}

static convict_status execute(void* prepared, char* error, size_t error_size) {
  const session* one = prepared;
  (void)error, (void)error_size;
  compute(&one->p, &one->t, one->weights, 1);
  return CONVICT_OK;
}

static convict_status finish(void* prepared) {
  session* one = prepared;
  free(one->weights);
  free(one);
  return CONVICT_OK;
}

static convict_status reshape(const convict_implementation* self, void* prepared, const convict_problem* p,
                              const convict_tensors* t, char* error, size_t error_size) {
  session* one = prepared;
  const convict_problem before = one->p;
  const convict_tensor src = one->t.src;
  (void)error, (void)error_size;
  one->p = *p;
  one->t = *t;
  if (strcmp(self->name, "old-batch") == 0) one->p.batch = before.batch;
  if (strcmp(self->name, "old-extent") == 0) one->p.in[0] = before.in[0];
  if (strcmp(self->name, "old-padding") == 0) one->p.pad_begin[0] = before.pad_begin[0];
  if (strcmp(self->name, "old-image") == 0) one->t.src.data = src.data;
  return CONVICT_OK;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 1) return "only conv1d, forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  if (p->has_bias || p->groups != 1 || p->ic != 1 || p->oc != 1) return "one channel without bias only";
  if (p->batch < 0 || p->kernel[0] < 1 || p->stride[0] < 1 || p->dilation[0] < 1 || p->output_padding[0] != 0)
    return "not legal";
  const int64_t rest = p->in[0] + p->pad_begin[0] + p->pad_end[0] - p->dilation[0] * (p->kernel[0] - 1) - 1;
  return rest < 0 || p->out[0] != rest / p->stride[0] + 1 ? "not legal" : NULL;
}

static const convict_steps steps = {prepare, execute, finish};

#define RESHAPES(name, about)                                                                                      \
  {                                                                                                                \
    name, about, "reshapes", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0}, unsupported, \
        run, NULL, NULL, &steps                                                                                    \
  }
static const convict_implementation all_kernels[] = {
    RESHAPES("fits", "takes over all of the new problem"),   RESHAPES("old-batch", "keeps the batch size"),
    RESHAPES("old-extent", "keeps the extent of the image"), RESHAPES("old-padding", "keeps the padding of SAME"),
    RESHAPES("old-image", "keeps the address of the image"),
};
enum { kCount = sizeof all_kernels / sizeof *all_kernels };

const convict_abilities* convict_abilities_v1(const convict_implementation* self);
const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  static const convict_abilities abilities = {0, NULL, NULL, 0, reshape};
  (void)self;
  return &abilities;
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_kernels[i];
  return &plugin;
}
