/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantized convolution as devices without floating point have it, written from the specification of TensorFlow Lite
 * (bounds.md, "Requantization"): 8-bit operands with sums in 32 bits, 16-bit activations with sums in 64 bits, a
 * multiplier and a shift for each channel. `embedded` is right; the others have one mistake each, of one unit in the
 * last place or so.
 */
#include "abi/convict.h"

typedef enum fault {
  NONE,
  ONE_ROUNDING,    /* rounds once where the problem asks for two roundings */
  HALVES_UP,       /* the second rounding takes halves upward, not away from zero */
  TRUNCATES,       /* forgets to add the half */
  WHOLE_FACTOR,    /* 16 bits: keeps all bits of the multiplier */
  NARROW_SUM,      /* 16 bits: sums in 32 bits */
  CLAMPS_EARLY,    /* clamps before it adds the zero point */
  FIRST_MULTIPLIER /* one multiplier for all channels */
} fault;

typedef struct embedded {
  convict_implementation base; /* first: convict_implementation* is embedded* */
  fault fault;
} embedded;

/* ---- Requantization ---------------------------------------------------------------------------------------------- */

/* number / 2^bits, halves upward. */
static int64_t rounded_up(int64_t number, int bits) {
  return (int64_t)((uint64_t)number + ((uint64_t)1 << (bits - 1))) >> bits;
}

/* number / 2^bits, halves away from zero. */
static int64_t rounded_away(int64_t number, int bits) {
  if (bits == 0) return number;
  return number < 0 ? -rounded_up(-number, bits) : rounded_up(number, bits);
}

static int64_t rounded_to_even(int64_t number, int bits) {
  const int64_t up = rounded_up(number, bits);
  return up * ((int64_t)1 << bits) - number == (int64_t)1 << (bits - 1) ? up & ~(int64_t)1 : up;
}

static int64_t in_two_steps(int64_t sum, int64_t multiplier, int shift, fault fault) {
  const int left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
  const int64_t high = rounded_up(sum * ((int64_t)1 << left) * multiplier, 31);
  return fault == HALVES_UP && right > 0 ? rounded_up(high, right) : rounded_away(high, right);
}

static int64_t requantized(convict_requantization kind, int is_wide, int64_t sum, int64_t multiplier, int shift,
                           fault fault) {
  if (is_wide) {
    int64_t upper = (multiplier + (1 << 15)) >> 16;
    if (upper > INT16_MAX) upper = INT16_MAX;
    const int64_t whole = (int64_t)((uint64_t)sum * (uint64_t)multiplier); /* which 64 bits need not hold */
    return fault == WHOLE_FACTOR ? rounded_up(whole, 31 - shift) : rounded_up(sum * upper, 15 - shift);
  }
  if (fault == TRUNCATES) return (sum * multiplier) >> (31 - shift);
  if (kind == CONVICT_DOUBLE_ROUNDING && fault != ONE_ROUNDING) return in_two_steps(sum, multiplier, shift, fault);
  return kind == CONVICT_ROUNDING_TO_EVEN ? rounded_to_even(sum * multiplier, 31 - shift)
                                          : rounded_up(sum * multiplier, 31 - shift);
}

/* ---- Convolution ------------------------------------------------------------------------------------------------- */

static int64_t element(const convict_tensor* t, int64_t at) {
  switch (t->dtype) {
    case CONVICT_U8: return ((const uint8_t*)t->data)[at];
    case CONVICT_S16: return ((const int16_t*)t->data)[at];
    case CONVICT_S32: return ((const int32_t*)t->data)[at];
    case CONVICT_S64: return ((const int64_t*)t->data)[at];
    default: return ((const int8_t*)t->data)[at];
  }
}

static int64_t place(const convict_tensor* t, int64_t a, int64_t b, int64_t y, int64_t x) {
  return a * t->strides[0] + b * t->strides[1] + y * t->strides[2] + x * t->strides[3];
}

static int64_t of_channel(const convict_tensor* t, int64_t channel) {
  return element(t, t->dims[0] == 1 ? 0 : channel * t->strides[0]);
}

static int64_t sum_at(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t k, int64_t oy,
                      int64_t ox) {
  const int64_t channels = p->ic / p->groups, first = k / (p->oc / p->groups) * channels;
  int64_t sum = p->has_bias ? element(&t->bias, k * t->bias.strides[0]) : 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t r = 0; r < p->kernel[0]; ++r)
      for (int64_t s = 0; s < p->kernel[1]; ++s) {
        const int64_t y = oy * p->stride[0] - p->pad_begin[0] + r * p->dilation[0];
        const int64_t x = ox * p->stride[1] - p->pad_begin[1] + s * p->dilation[1];
        if (y < 0 || y >= p->in[0] || x < 0 || x >= p->in[1]) continue;
        sum += (element(&t->src, place(&t->src, n, first + c, y, x)) - p->src_zero_point) *
               element(&t->wei, place(&t->wei, k, c, r, s));
      }
  return sum;
}

static int64_t between(int64_t low, int64_t number, int64_t high) {
  return number < low ? low : number > high ? high : number;
}

static int64_t result_at(const convict_problem* p, const convict_tensors* t, fault fault, int64_t n, int64_t k,
                         int64_t y, int64_t x) {
  const int64_t channel = fault == FIRST_MULTIPLIER ? 0 : k;
  int64_t sum = sum_at(p, t, n, k, y, x);
  if (fault == NARROW_SUM) sum = (int32_t)(uint32_t)(uint64_t)sum;
  if (p->relu && sum < 0) sum = 0;
  const int64_t result = requantized(p->requantization, t->src.dtype == CONVICT_S16, sum,
                                     of_channel(&t->multiplier, channel), (int)of_channel(&t->shift, channel), fault);
  if (fault == CLAMPS_EARLY) return between(p->clamp_low, result, p->clamp_high) + p->dst_zero_point;
  return between(p->clamp_low, result + p->dst_zero_point, p->clamp_high);
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  const fault fault = ((const embedded*)self)->fault;
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t k = 0; k < p->oc; ++k)
      for (int64_t y = 0; y < p->out[0]; ++y)
        for (int64_t x = 0; x < p->out[1]; ++x) {
          const int64_t result = result_at(p, t, fault, n, k, y, x), at = place(&t->dst, n, k, y, x);
          if (t->dst.dtype == CONVICT_S16)
            ((int16_t*)t->dst.data)[at] = (int16_t)result;
          else
            ((uint8_t*)t->dst.data)[at] = (uint8_t)result; /* the same bits as s8 */
        }
  return CONVICT_OK;
}

/* ---- What it computes -------------------------------------------------------------------------------------------- */

static int is_legal(const convict_problem* p) {
  if (p->groups < 1 || p->ic % p->groups != 0 || p->oc % p->groups != 0) return 0;
  for (int axis = 0; axis < 2; ++axis) {
    if (p->kernel[axis] < 1 || p->stride[axis] < 1 || p->dilation[axis] < 1 || p->output_padding[axis] != 0) return 0;
    const int64_t window = p->dilation[axis] * (p->kernel[axis] - 1) + 1;
    const int64_t padded = p->in[axis] + p->pad_begin[axis] + p->pad_end[axis];
    if (padded < window || p->out[axis] != (padded - window) / p->stride[axis] + 1) return 0;
  }
  return 1;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 2) return "only conv2d, forward";
  if (p->requantization == CONVICT_NO_REQUANTIZATION) return "only requantized sums";
  if (p->requantization > CONVICT_ROUNDING_TO_EVEN) return "a kind of requantization that I do not know";
  if (t->wei.dtype != CONVICT_S8) return "only weights of s8";
  return is_legal(p) ? NULL : "not legal";
}

static const convict_abilities abilities = {/*requantizes=*/1, NULL, NULL, /*concurrent=*/0, NULL};

const convict_abilities* convict_abilities_v1(const convict_implementation* self);
const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  (void)self;
  return &abilities;
}

#define EMBEDDED(name, about, fault)                                                                             \
  {                                                                                                              \
    {                                                                                                            \
        name,        about, "embedded", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 1}, \
        unsupported, run,   NULL,       NULL,                                                                    \
        NULL},                                                                                                   \
        fault                                                                                                    \
  }

static const embedded all_embedded[] = {
    EMBEDDED("embedded", "conv2d of s8, u8 and s16, requantized by the specification", NONE),
    EMBEDDED("one-rounding", "rounds once where two roundings are specified", ONE_ROUNDING),
    EMBEDDED("halves-up", "takes halves upward in the second rounding", HALVES_UP),
    EMBEDDED("truncates", "rounds down", TRUNCATES),
    EMBEDDED("whole-factor", "keeps all bits of the multiplier with s16", WHOLE_FACTOR),
    EMBEDDED("narrow-sum", "sums products of s16 in 32 bits", NARROW_SUM),
    EMBEDDED("clamps-early", "clamps before it adds the zero point", CLAMPS_EARLY),
    EMBEDDED("first-multiplier", "has one multiplier for all channels", FIRST_MULTIPLIER),
};
enum { kCount = sizeof all_embedded / sizeof *all_embedded };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_embedded[i].base;
  return &plugin;
}
