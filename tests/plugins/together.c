/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that say that several threads may call them at once: conv1d in f32 of one channel, which copies the image
 * first. `own-copy` copies it to its stack, `shared-copy` to memory that all calls share. `alone` shares it as well,
 * and says nothing of threads. `onednn-like` is wrong, and its name begins with that of a library.
 */
#include "abi/convict.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { kLongest = 256, kMoment = 100 };

static float shared_image[kLongest];
static atomic_int inside; /* calls under way */

/* So that a test need not wait for luck: a call lets others begin, and those beside it go on. */
static void let_others_in(void) {
  for (int k = 0; k < kMoment && atomic_load(&inside) < 2; ++k) sched_yield();
  if (atomic_load(&inside) < 2) return;
  for (int k = 0; k < 10; ++k) sched_yield();
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  float own_image[kLongest];
  const int is_own = strcmp(self->name, "own-copy") == 0;
  float* image = is_own ? own_image : shared_image;
  (void)error;
  (void)error_size;
  atomic_fetch_add(&inside, 1);
  for (int64_t n = 0; n < p->batch; ++n) {
    for (int64_t i = 0; i < p->in[0]; ++i)
      image[i] = ((const float*)t->src.data)[n * t->src.strides[0] + i * t->src.strides[2]];
    if (!is_own && n == 0) let_others_in();
    for (int64_t o = 0; o < p->out[0]; ++o) {
      float sum = 0;
      for (int64_t r = 0; r < p->kernel[0]; ++r) {
        const int64_t i = o * p->stride[0] - p->pad_begin[0] + r * p->dilation[0];
        if (i >= 0 && i < p->in[0]) sum += image[i] * ((const float*)t->wei.data)[r * t->wei.strides[2]];
      }
      ((float*)t->dst.data)[n * t->dst.strides[0] + o * t->dst.strides[2]] = sum;
    }
  }
  if (strcmp(self->name, "onednn-like") == 0 && p->out[0] > 0) *(float*)t->dst.data += 1;
  atomic_fetch_sub(&inside, 1);
  return CONVICT_OK;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 1) return "only conv1d, forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  if (p->has_bias || p->groups != 1 || p->ic != 1 || p->oc != 1) return "one channel without bias only";
  if (p->in[0] > kLongest) return "the image is too long";
  if (p->kernel[0] < 1 || p->stride[0] < 1 || p->dilation[0] < 1 || p->output_padding[0] != 0) return "not legal";
  const int64_t rest = p->in[0] + p->pad_begin[0] + p->pad_end[0] - p->dilation[0] * (p->kernel[0] - 1) - 1;
  return rest < 0 || p->out[0] != rest / p->stride[0] + 1 ? "not legal" : NULL;
}

#define CONTRACT \
  { CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0 }
static const convict_implementation own = {
    "own-copy", "copies to its stack", "together", CONTRACT, unsupported, run, NULL, NULL, NULL};
static const convict_implementation shared = {
    "shared-copy", "copies to shared memory", "together", CONTRACT, unsupported, run, NULL, NULL, NULL};
static const convict_implementation alone = {
    "alone", "copies to shared memory", "together", CONTRACT, unsupported, run, NULL, NULL, NULL};
static const convict_implementation like = {
    "onednn-like", "wrong in its first element", "together", CONTRACT, unsupported, run, NULL, NULL, NULL};

const convict_abilities* convict_abilities_v1(const convict_implementation* self);
const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  static const convict_abilities concurrent = {0, NULL, NULL, 1, NULL};
  return self == &alone || self == &like ? NULL : &concurrent;
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&own, &shared, &alone, &like};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", sizeof all / sizeof *all, all};
  return &plugin;
}
