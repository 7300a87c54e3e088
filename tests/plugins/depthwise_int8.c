/* SPDX-License-Identifier: Apache-2.0
 *
 * A depthwise convolution of 8-bit integers as networks for small devices have it, and the same in f32: one channel a
 * group, channels last, written from docs/plugin-interface.md alone. It takes a narrow part of all problems, which no draw hits
 * by chance. `dw-int8` and `dw-f32` are right. The others take the weight of the first tap for every tap, or the
 * multiplier of the first channel for every channel, which one tap or one channel does not show; or 0 for the zero
 * point in padding; or round halves away from zero.
 */
#include <stddef.h>

#include "abi/convict.h"

typedef struct depthwise {
  convict_implementation base; /* first: convict_implementation* is depthwise* */
  int is_quantized, first_tap, first_multiplier, raw_padding, halves_away;
} depthwise;

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

/* Where things lie: the channel is the innermost dimension of src, dst and wei. */
static int64_t src_index(const convict_problem* p, int64_t n, int64_t y, int64_t x, int64_t c) {
  return ((n * p->in[0] + y) * p->in[1] + x) * p->ic + c;
}

static int64_t wei_index(const depthwise* self, const convict_problem* p, int64_t r, int64_t s, int64_t c) {
  return self->first_tap ? c : (r * p->kernel[1] + s) * p->oc + c;
}

/* floor(sum * multiplier * 2^(shift - 31) + 1/2), between the ends of the clamp. */
static uint8_t requantized(const depthwise* self, const convict_problem* p, int32_t sum, int32_t multiplier,
                           int32_t shift) {
  const int64_t half = (int64_t)1 << (30 - shift), product = (int64_t)sum * multiplier;
  const int64_t nearest = self->halves_away && product < 0 ? -((half - product) >> (31 - shift))
                                                           : (product + half) >> (31 - shift);
  const int64_t result = nearest + p->dst_zero_point;
  return (uint8_t)(result < p->clamp_low ? p->clamp_low : result > p->clamp_high ? p->clamp_high : result);
}

static uint8_t quantized_at(const depthwise* self, const convict_problem* p, const convict_tensors* t, int64_t n,
                            int64_t oy, int64_t ox, int64_t c) {
  const uint8_t* src = t->src.data;
  const int8_t* wei = t->wei.data;
  const int64_t at = self->first_multiplier ? 0 : c;
  int32_t sum = p->has_bias ? ((const int32_t*)t->bias.data)[c * t->bias.strides[0]] : 0;
  for (int64_t r = 0; r < p->kernel[0]; ++r)
    for (int64_t s = 0; s < p->kernel[1]; ++s) {
      const int64_t y = oy * p->stride[0] - p->pad_begin[0] + r, x = ox * p->stride[1] - p->pad_begin[1] + s;
      const int is_padding = y < 0 || y >= p->in[0] || x < 0 || x >= p->in[1];
      if (is_padding && !self->raw_padding) continue;
      const int32_t value = is_padding ? 0 : src[src_index(p, n, y, x, c)];
      sum += (value - p->src_zero_point) * wei[wei_index(self, p, r, s, c)];
    }
  return requantized(self, p, sum, ((const int32_t*)t->multiplier.data)[at], ((const int32_t*)t->shift.data)[at]);
}

static float real_at(const depthwise* self, const convict_problem* p, const convict_tensors* t, int64_t n, int64_t oy,
                     int64_t ox, int64_t c) {
  const float *src = t->src.data, *wei = t->wei.data;
  float sum = p->has_bias ? ((const float*)t->bias.data)[c * t->bias.strides[0]] : 0.0f;
  for (int64_t r = 0; r < p->kernel[0]; ++r)
    for (int64_t s = 0; s < p->kernel[1]; ++s) {
      const int64_t y = oy * p->stride[0] - p->pad_begin[0] + r, x = ox * p->stride[1] - p->pad_begin[1] + s;
      if (y < 0 || y >= p->in[0] || x < 0 || x >= p->in[1]) continue;
      sum += src[src_index(p, n, y, x, c)] * wei[wei_index(self, p, r, s, c)];
    }
  return sum;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  const depthwise* which = (const depthwise*)self;
  int64_t at = 0;
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t y = 0; y < p->out[0]; ++y)
      for (int64_t x = 0; x < p->out[1]; ++x)
        for (int64_t c = 0; c < p->oc; ++c, ++at) {
          if (which->is_quantized)
            ((uint8_t*)t->dst.data)[at] = quantized_at(which, p, t, n, y, x, c);
          else
            ((float*)t->dst.data)[at] = real_at(which, p, t, n, y, x, c);
        }
  return CONVICT_OK;
}

/* ---- What it computes -------------------------------------------------------------------------------------------- */

/* Dense, with the dimensions in this order, outermost first. */
static int is_dense(const convict_tensor* t, const int order[4]) {
  int64_t stride = 1;
  for (int i = 3; i >= 0; --i) {
    const int dim = order[i];
    if (t->strides[dim] != stride) return 0;
    stride *= t->dims[dim];
  }
  return 1;
}

static const char* unsupported_types(const depthwise* self, const convict_problem* p, const convict_tensors* t) {
  if (!self->is_quantized) {
    const int all_f32 = t->src.dtype == CONVICT_F32 && t->wei.dtype == CONVICT_F32 && t->dst.dtype == CONVICT_F32;
    return all_f32 ? NULL : "only f32";
  }
  if (t->src.dtype != CONVICT_U8 || t->wei.dtype != CONVICT_S8 || t->dst.dtype != CONVICT_U8) return "only u8:s8:u8";
  if (p->requantization != CONVICT_SINGLE_ROUNDING) return "only requantized, with a single rounding";
  if (t->multiplier.ndim != 1 || t->multiplier.dims[0] != p->oc || t->shift.dims[0] != p->oc)
    return "only a multiplier and a shift for each channel";
  if (p->oc > 1 && (t->multiplier.strides[0] != 1 || t->shift.strides[0] != 1)) return "multipliers are not dense";
  return NULL;
}

static const char* unsupported_sizes(const convict_problem* p) {
  for (int axis = 0; axis < 2; ++axis) {
    if (p->dilation[axis] != 1) return "no dilation";
    if (p->pad_begin[axis] < 0 || p->pad_end[axis] < 0) return "no negative padding";
    if (p->pad_begin[axis] >= p->kernel[axis] || p->pad_end[axis] >= p->kernel[axis])
      return "only padding below the kernel";
    if (p->output_padding[axis] != 0 || p->kernel[axis] < 1 || p->stride[axis] < 1) return "not a legal problem";
    const int64_t padded = p->in[axis] + p->pad_begin[axis] + p->pad_end[axis];
    if (padded < p->kernel[axis] || p->out[axis] != (padded - p->kernel[axis]) / p->stride[axis] + 1)
      return "not a legal problem";
  }
  return NULL;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  static const int kNhwc[4] = {0, 2, 3, 1}, kHwio[4] = {2, 3, 1, 0};
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 2) return "only conv2d forward";
  const char* types = unsupported_types((const depthwise*)self, p, t);
  if (types) return types;
  if (p->groups != p->ic || p->groups != p->oc) return "only depthwise: groups = ic = oc";
  if (p->threads != 1) return "only one thread";
  const char* sizes = unsupported_sizes(p);
  if (sizes) return sizes;
  if (!is_dense(&t->src, kNhwc) || !is_dense(&t->dst, kNhwc)) return "only channels last, dense";
  return is_dense(&t->wei, kHwio) ? NULL : "only weights in the order [kernel][channel], dense";
}

/* ---- The plugin -------------------------------------------------------------------------------------------------- */

#define DEPTHWISE(name, about, ...)                                                                               \
  {                                                                                                               \
    {                                                                                                             \
        name,        about, "depthwise", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0}, \
        unsupported, run,   NULL,        NULL,                                                                    \
        NULL},                                                                                                    \
        __VA_ARGS__                                                                                               \
  }

static const depthwise all_depthwise[] = {
    DEPTHWISE("dw-int8", "depthwise u8:s8:u8, requantized, channels last", .is_quantized = 1),
    DEPTHWISE("dw-int8-tap", "the same, with the first weight of a channel for every tap", .is_quantized = 1, .first_tap = 1),
    DEPTHWISE("dw-int8-multiplier", "the same, with the first multiplier for every channel", .is_quantized = 1, .first_multiplier = 1),
    DEPTHWISE("dw-int8-both", "the same, with both mistakes", .is_quantized = 1, .first_tap = 1, .first_multiplier = 1),
    DEPTHWISE("dw-int8-two", "the same, with 0 for the zero point in padding, and halves away from zero", .is_quantized = 1,
              .raw_padding = 1, .halves_away = 1),
    DEPTHWISE("dw-f32", "depthwise f32, channels last", .is_quantized = 0),
    DEPTHWISE("dw-f32-tap", "the same, with the first weight of a channel for every tap", .first_tap = 1),
};
enum { kCount = sizeof all_depthwise / sizeof *all_depthwise };

const convict_abilities* convict_abilities_v1(const convict_implementation* self);
const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  static const convict_abilities quantized = {/*requantizes=*/1, NULL, NULL, /*concurrent=*/0, NULL};
  return ((const depthwise*)self)->is_quantized ? &quantized : NULL;
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_depthwise[i].base;
  return &plugin;
}
