/* SPDX-License-Identifier: Apache-2.0
 *
 * First kernels of somebody who has just begun: they compute little, and say so. One of them is wrong where a tail of
 * one column is left behind its blocks of eight, if the paddings differ.
 */
#include <stddef.h>

#include "abi/convict.h"

typedef struct narrow {
  convict_implementation base; /* first: convict_implementation* is narrow* */
  int is_tiny, is_wrong, takes_nothing;
} narrow;

/* ---- The kernel: conv2d, forward, f32, NCHW, one group ----------------------------------------------------------- */

static float src_at(const convict_problem* p, const float* src, int64_t n, int64_t i, int64_t y, int64_t x) {
  if (y < 0 || y >= p->in[0] || x < 0 || x >= p->in[1]) return 0.0f;
  return src[((n * p->ic + i) * p->in[0] + y) * p->in[1] + x];
}

static float sum_at(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t o, int64_t y, int64_t x) {
  const float* wei = t->wei.data;
  float sum = p->has_bias ? ((const float*)t->bias.data)[o * t->bias.strides[0]] : 0.0f;
  for (int64_t i = 0; i < p->ic; ++i)
    for (int64_t a = 0; a < p->kernel[0]; ++a)
      for (int64_t b = 0; b < p->kernel[1]; ++b)
        sum += src_at(p, t->src.data, n, i, y * p->stride[0] - p->pad_begin[0] + a * p->dilation[0],
                      x * p->stride[1] - p->pad_begin[1] + b * p->dilation[1]) *
               wei[((o * p->ic + i) * p->kernel[0] + a) * p->kernel[1] + b];
  return sum;
}

/* The fault: the last column, behind whole blocks of eight. */
static int is_forgotten(const narrow* self, const convict_problem* p, int64_t x) {
  const int tail = p->out[1] % 8 == 1 && p->out[1] >= 9 && x == p->out[1] - 1;
  return self->is_wrong && tail && p->pad_begin[1] != p->pad_end[1];
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  float* dst = t->dst.data;
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t o = 0; o < p->oc; ++o)
      for (int64_t y = 0; y < p->out[0]; ++y)
        for (int64_t x = 0; x < p->out[1]; ++x, ++dst)
          *dst = is_forgotten((const narrow*)self, p, x) ? 0.0f : sum_at(p, t, n, o, y, x);
  return CONVICT_OK;
}

/* ---- What they compute --------------------------------------------------------------------------------------------
 */

static int is_dense(const convict_tensor* t) {
  int64_t stride = 1;
  for (int i = t->ndim - 1; i >= 0; --i) {
    if (t->strides[i] != stride && t->dims[i] > 1) return 0;
    stride *= t->dims[i];
  }
  return 1;
}

static const char* legal(const convict_problem* p) {
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t window = p->dilation[axis] * (p->kernel[axis] - 1) + 1;
    const int64_t padded = p->in[axis] + p->pad_begin[axis] + p->pad_end[axis];
    if (p->output_padding[axis] != 0) return "output padding of a convolution";
    if (padded < window || p->out[axis] != (padded - window) / p->stride[axis] + 1) return "a window beyond the input";
  }
  return NULL;
}

static const char* tiny(const convict_problem* p) {
  for (int axis = 0; axis < 2; ++axis)
    if (p->kernel[axis] != 3 || p->stride[axis] != 1 || p->dilation[axis] != 1) return "only 3x3, dense";
  return p->has_bias || p->threads != 1 ? "no bias, one thread" : NULL;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  if (((const narrow*)self)->takes_nothing) return "nothing yet";
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 2) return "only conv2d, forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  if (p->groups != 1) return "only one group";
  if (!is_dense(&t->src) || !is_dense(&t->wei) || !is_dense(&t->dst)) return "only dense NCHW and OIHW";
  if (legal(p)) return legal(p);
  return ((const narrow*)self)->is_tiny ? tiny(p) : NULL;
}

#define NARROW(name, about, is_tiny, is_wrong, takes_nothing)                                                        \
  {                                                                                                                  \
    {name, about, "narrow", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0}, unsupported, run, \
     NULL, NULL,  NULL},                                                                                             \
        is_tiny, is_wrong, takes_nothing                                                                             \
  }

static const narrow all_narrow[] = {
    NARROW("first", "forgets a tail of one column", 0, 1, 0),
    NARROW("first-mended", "conv2d forward in f32, NCHW, one group", 0, 0, 0),
    NARROW("tiny", "the same for dense kernels of 3x3, without bias", 1, 0, 0),
    NARROW("none-yet", "refuses everything", 0, 0, 1),
};
enum { kCount = sizeof all_narrow / sizeof *all_narrow };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.1", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_narrow[i].base;
  return &plugin;
}
