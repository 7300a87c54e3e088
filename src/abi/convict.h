/* SPDX-License-Identifier: Apache-2.0
 *
 * The C ABI of convict: the one interface of everything that computes a convolution here, be it a native kernel, an
 * oracle or a user's own shared library. C99 and C++17 clean, no dependency.
 *
 * A plugin is a shared library that exports `convict_plugin_v1`:
 *
 *     static const convict_implementation mine = {"mine", "my kernel", "my lineage", {...},
 *                                                 unsupported, run, NULL, NULL, NULL};
 *     static const convict_implementation *const all[] = {&mine};
 *     static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};
 *     const convict_plugin *convict_plugin_v1(void) { return &plugin; }
 *
 * and is put on trial with `convict fuzz --plugin ./mine.so --target mine`.
 *
 * Rules. An implementation never throws across this border, never frees what it did not allocate, never writes outside
 * the tensors that are outputs of the pass, and is never unloaded. `unsupported` and `run` are called from one thread.
 */
#ifndef CONVICT_CONVICT_H_
#define CONVICT_CONVICT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONVICT_ABI_VERSION 1u
#define CONVICT_MAX_RANK 3
#define CONVICT_MAX_DIMS (CONVICT_MAX_RANK + 2)
#define CONVICT_MAX_WORKSPACE ((size_t)1 << 30) /* bytes; who wants more is out of memory */

/* Foreign code may give any number where one of these is meant. In C++, an enum needs a type of its own to hold it. */
#ifdef __cplusplus
#define CONVICT_INT : int
#else
#define CONVICT_INT
#endif

typedef enum convict_op { CONVICT_CONV = 1, CONVICT_CONV_TRANSPOSE = 2 } convict_op;

typedef enum convict_pass {
  CONVICT_FORWARD = 1,         /* src, wei [, bias]  -> dst */
  CONVICT_BACKWARD_DATA = 2,   /* diff_dst, wei      -> diff_src */
  CONVICT_BACKWARD_WEIGHTS = 3 /* src, diff_dst      -> diff_wei [, diff_bias] */
} convict_pass;

typedef enum convict_dtype {
  CONVICT_F32 = 1,
  CONVICT_F64 = 2,
  CONVICT_F16 = 3,  /* IEEE binary16 */
  CONVICT_BF16 = 4, /* the upper half of an f32 */
  CONVICT_S8 = 5,
  CONVICT_U8 = 6,
  CONVICT_S32 = 7,
  CONVICT_S16 = 8,
  CONVICT_S64 = 9
} convict_dtype;

/* Integers. Forward passes may have src u8 or s8, wei s8, and dst s32, f32, s8 or u8; bias is s32 for dst s32, else
 * f32. With k the output channel and taps in the padding left out,
 *
 *     acc = sum of (src - src_zero_point) * wei                      exact in 32 bits
 *     s32:     acc + bias[k] + beta * old                            beta is a whole number; no scale
 *     others:  real = scale[k] * acc + bias[k] + beta * (old - dst_zero_point)
 *     f32:     real
 *     s8, u8:  round(real) + dst_zero_point, saturated               round to nearest, halves to the even neighbour
 *
 * and with relu, max(0, .) of `acc + ...` or `real`. An implementation that does not know a type refuses it.
 *
 * Requantization is the other way to s8 and u8, and the only one to s16, whose src is s16 too: in integers alone, by a
 * multiplier from 0 to 2^31 - 1 and a shift from -31 to 30 for each channel, or for all. There is no beta and no scale,
 * and zero points of s16 are 0. bias is s32, and s64 if src is s16, whose sums need 64 bits.
 *
 *     acc = sum of (src - src_zero_point) * wei + bias[k], with relu max(0, .) of that
 *     dst = the nearest number from clamp_low to clamp_high to rounded(acc * multiplier[k] * 2^(shift[k] - 31)) +
 *           dst_zero_point
 */
typedef enum convict_requantization {
  CONVICT_NO_REQUANTIZATION = 0, /* the formulas above, with `scale` */
  /* One rounding, halves upward: floor(. + 1/2). Where src is s16, the multiplier is first rounded to its upper bits, m
   * = min(floor(multiplier / 2^16 + 1/2), 2^15 - 1): floor(acc * m * 2^(shift - 15) + 1/2), and shift is at most 7. */
  CONVICT_SINGLE_ROUNDING = 1,
  /* Two roundings: high = floor(acc * 2^max(shift, 0) * multiplier / 2^31 + 1/2), halves upward; then the nearest
   * integer to high * 2^min(shift, 0), halves away from zero. Not with s16. */
  CONVICT_DOUBLE_ROUNDING = 2,
  CONVICT_ROUNDING_TO_EVEN = 3 /* one rounding, halves to the even neighbour. Not with s16. */
} convict_requantization;

/* How padding was asked for. The numbers of a problem say the same, resolved. */
typedef enum convict_padding {
  CONVICT_EXPLICIT_PADDING = 0, /* by these numbers */
  CONVICT_SAME_UPPER = 1,       /* SAME, an odd element at the end */
  CONVICT_SAME_LOWER = 2,       /* SAME, an odd element at the begin */
  CONVICT_VALID = 3             /* none */
} convict_padding;

/* One convolution without its data: always the geometry of the *forward* problem of the op, whatever the pass.
 * Axis 0 is the outermost spatial axis; axes from `rank` on are 1 in extents, stride and dilation, and 0 in padding.
 * Automatic padding (SAME, VALID) is already resolved into pad_begin, pad_end and output_padding. */
typedef struct convict_problem {
  convict_op op;
  convict_pass pass;
  int32_t rank;     /* spatial axes, 1 to 3 */
  int32_t has_bias; /* forward: bias is added; backward_weights: diff_bias is wanted */
  int32_t threads;  /* the number of threads to use; 1 is single threaded */
  int64_t batch, groups;
  int64_t ic, oc; /* channels of src and dst, all groups together; both divide by groups */
  int64_t in[CONVICT_MAX_RANK], out[CONVICT_MAX_RANK]; /* spatial extents of src and dst */
  int64_t kernel[CONVICT_MAX_RANK], stride[CONVICT_MAX_RANK];
  int64_t dilation[CONVICT_MAX_RANK];                             /* 1 is dense (oneDNN: 0) */
  int64_t pad_begin[CONVICT_MAX_RANK], pad_end[CONVICT_MAX_RANK]; /* may differ, may be negative (a crop) */
  int64_t output_padding[CONVICT_MAX_RANK];                       /* conv_transpose only: enlarges dst at its end */
  double beta;  /* dst, diff_src or diff_wei = the result + beta * its old contents; 0 ignores them, even NaN.
                 * diff_bias has no beta. Non-zero only for implementations whose contract `accumulates`. */
  int32_t relu; /* forward: dst = max(0, the sum above); NaN stays NaN, a zero may have either sign. Non-zero
                 * only for implementations whose contract `fuses_relu`. */
  int32_t src_zero_point, dst_zero_point; /* values of the integer type; 0 for other types. dst: s8 and u8 only */
  /* Anything but 0 only for implementations whose convict_abilities say `requantizes`. */
  convict_requantization requantization;
  int32_t clamp_low, clamp_high; /* with requantization: ends of dst, values of its type; else 0 */
  convict_padding padding;
  const char* code_path; /* the one of convict_abilities.code_paths to take; NULL: the implementation chooses */
} convict_problem;

/* A strided view. Dimensions are logical and do not depend on the layout:
 *   src, dst and their gradients:   [batch][channels][spatial...]
 *   wei, diff_wei, conv:            [oc][ic / groups][kernel...]
 *   wei, diff_wei, conv_transpose:  [ic][oc / groups][kernel...]
 *   bias, diff_bias:                [oc]
 *   scale, multiplier, shift:       [oc], or [1] for all channels
 * Element (i0, i1, ...) is at data[i0*strides[0] + i1*strides[1] + ...], in elements of `dtype`, aligned to its size.
 * The tensor may be part of a larger buffer, which begins `offset` elements before `data` (0 if the tensor is all of
 * it). An implementation neither reads nor writes what lies between the elements.
 * A tensor that the pass does not use has ndim 0 and data NULL; any other has data, even if it has no elements. */
typedef struct convict_tensor {
  void* data;
  convict_dtype dtype;
  int32_t ndim;
  int64_t dims[CONVICT_MAX_DIMS];
  int64_t strides[CONVICT_MAX_DIMS];
  int64_t offset; /* elements from the begin of the buffer to `data` */
} convict_tensor;

/* The operands by name, so that no pass can mix them up. Inputs of the pass may be mapped read-only. Every element of
 * the outputs of the pass must be written; without beta, their old contents are unspecified. */
typedef struct convict_tensors {
  convict_tensor src, wei, bias, dst;
  convict_tensor diff_src, diff_wei, diff_bias, diff_dst;
  convict_tensor scale;             /* integer types: f32, positive; ndim 0 stands for 1 */
  convict_tensor multiplier, shift; /* with requantization: s32 */
  /* In `run` only: scratch memory of the size that convict_abilities.workspace_size says, aligned to the largest power
   * of two up to 64 that divides the size. Its contents are unspecified, and it is taken back when the call returns.
   * NULL if the size is 0. */
  void* workspace;
} convict_tensors;

/* What an implementation promises about its arithmetic. The promise selects the error bound (bounds.md). */
typedef enum convict_algorithm CONVICT_INT {
  CONVICT_DIRECT = 1,   /* every output is a sum of its products, added up as `summation` says */
  CONVICT_WINOGRAD = 2, /* F(m, r): `winograd_m` outputs by `winograd_r` taps a tile */
  CONVICT_FFT = 3
} convict_algorithm;

/* How the products of one output are added up. N is their number, taps in the padding included. All but the first mean
 * the same additions, in the same order and precision, whatever the values are. */
typedef enum convict_summation CONVICT_INT {
  CONVICT_ANY_ORDER = 0, /* also one that depends on the values: sorted, binned, compensated */
  CONVICT_BLOCKED = 1,   /* at most ceil(N / sum_block) runs, of at most `sum_block` products each; then the sums of the
                          * runs, one by one */
  CONVICT_PAIRWISE = 2,  /* a balanced binary tree */
  CONVICT_FIXED_ORDER = 3 /* any one order: plain loops */
} convict_summation;

typedef struct convict_contract {
  convict_algorithm algorithm;
  convict_dtype min_accumulator; /* the narrowest type that holds sums; wider tensors imply a wider one */
  int32_t winograd_m, winograd_r;
  int32_t flushes_subnormals; /* non-zero: subnormal operands or results may become zero */
  int32_t deterministic;      /* non-zero: same inputs and threads give the same bits */
  convict_summation summation;
  int32_t sum_block;   /* for CONVICT_BLOCKED, from 1 */
  int32_t accumulates; /* non-zero: honours beta; otherwise it is always 0 */
  int32_t fuses_relu;  /* non-zero: honours relu; otherwise it is always 0 */
} convict_contract;

typedef enum convict_status CONVICT_INT {
  CONVICT_OK = 0,
  CONVICT_REFUSED = 1,     /* cannot express this problem after all; says why in `error` */
  CONVICT_FAILED = 2,      /* accepted the problem and then failed */
  CONVICT_WRONG_SHAPE = 3, /* computes an output of other extents than the tensors given */
  CONVICT_OUT_OF_MEMORY = 4
} convict_status;

struct convict_implementation;

/* A computation in steps, for callers that repeat it on the same buffers (`convict bench`), or on others
 * (convict_abilities.reshape). The bench does not time what is done once, such as choosing code or reordering into
 * private layouts. There is no workspace. */
typedef struct convict_steps {
  /* Gets ready to execute with these tensors, whose data stay in place until `finish`; the two structures do not.
   * Returns NULL after a refusal or a failure, with a line in `error` as for `run`. May read the inputs: later changes
   * to them need not take effect. */
  void* (*prepare)(const struct convict_implementation* self, const convict_problem* problem,
                   const convict_tensors* tensors, char* error, size_t error_size);
  convict_status (*execute)(void* prepared, char* error, size_t error_size); /* any number of times, same results */
  convict_status (*finish)(void* prepared); /* writes the outputs, if `execute` kept them elsewhere; frees `prepared` */
} convict_steps;

typedef struct convict_implementation {
  const char* name;        /* unique, up to 100 printable ASCII characters, no blank or comma: "libtorch:native" */
  const char* description; /* one line */
  const char* lineage;     /* whose arithmetic this is; implementations of one lineage are not independent */
  convict_contract contract;

  /* Why this problem cannot be computed here, or NULL if it can. `tensors` describes types and layouts; its data
   * pointers are NULL. The text lives until the next call. `self` is the object this pointer was found in. */
  const char* (*unsupported)(const struct convict_implementation* self, const convict_problem* problem,
                             const convict_tensors* tensors);

  /* Computes the outputs of the pass. On any status but CONVICT_OK, one line of at most `error_size` bytes including
   * the closing NUL goes to `error`. */
  convict_status (*run)(const struct convict_implementation* self, const convict_problem* problem,
                        const convict_tensors* tensors, char* error, size_t error_size);

  /* How `run` would compute this problem, in one line: first the code it dispatches to, then its other choices, e.g.
   * "avx2 phase tile=6x16 workspace=73728". Asked only for a problem that is not `unsupported`, with the same tensors.
   * Guided fuzzing looks for new plans. NULL if there is nothing to tell; the text lives until the next call. */
  const char* (*plan)(const struct convict_implementation* self, const convict_problem* problem,
                      const convict_tensors* tensors);

  /* The contract for one problem that is not `unsupported`, with the same tensors. For implementations that choose
   * between algorithms. NULL: it is always `contract`. The result lives as long as the implementation. */
  const convict_contract* (*contract_for)(const struct convict_implementation* self, const convict_problem* problem,
                                          const convict_tensors* tensors);

  const convict_steps* steps; /* NULL: there is only `run`, which does all of it */
} convict_implementation;

typedef struct convict_plugin {
  uint32_t abi_version; /* CONVICT_ABI_VERSION */
  const char* version;  /* of the library behind it, for reports */
  size_t count;
  const convict_implementation* const* implementations;
} convict_plugin;

/* The symbol a plugin exports, and its type. NULL means that the plugin cannot work on this machine. */
#define CONVICT_PLUGIN_SYMBOL "convict_plugin_v1"
typedef const convict_plugin* (*convict_plugin_function)(void);

/* What an implementation can beyond the tables above. What it does not say, it is never asked for. */
typedef struct convict_abilities {
  int32_t requantizes; /* non-zero: honours requantization; otherwise that is always CONVICT_NO_REQUANTIZATION */
  /* How many bytes of scratch memory `run` wants for a problem that is not `unsupported`, with the same tensors. NULL:
   * none. At most CONVICT_MAX_WORKSPACE are given. */
  size_t (*workspace_size)(const convict_implementation* self, const convict_problem* problem,
                           const convict_tensors* tensors);
  /* Paths through its code that it can be made to take, by name as implementations have names; NULL behind the last.
   * `name:path` is judged and benched as an implementation of its own. NULL: none. */
  const char* const* code_paths;
  /* Non-zero: `run` may be called on several threads at once, for different outputs and workspaces. */
  int32_t concurrent;
  /* Gets what `steps->prepare` has made ready for another batch size or other extents, as runtimes have it that pack
   * the weights once: the next `execute` and `finish` are for this problem and these tensors. Only batch, in, out, and
   * what follows from them (padding that was asked for as SAME, out's output_padding) differ from the problem before.
   * Tensors that do not depend on them, such as weights, bias and scales, are the same data at the same place; the data
   * of others need not exist any more. Returns as `run`. NULL: what is prepared serves one problem. */
  convict_status (*reshape)(const convict_implementation* self, void* prepared, const convict_problem* problem,
                            const convict_tensors* tensors, char* error, size_t error_size);
} convict_abilities;

/* A symbol that a plugin may export as well: what one of its implementations can. NULL: nothing of this. */
#define CONVICT_ABILITIES_SYMBOL "convict_abilities_v1"
typedef const convict_abilities* (*convict_abilities_function)(const convict_implementation* self);

/* A symbol that a plugin may export as well: cases that one of its implementations takes, a line each as
 * docs/case-format.md has them ("conv2d g=8 ic=8 oc=8 in=9 k=3"), NULL behind the last. A campaign looks near them for
 * what else it takes. NULL: none. */
#define CONVICT_EXAMPLES_SYMBOL "convict_examples_v1"
typedef const char* const* (*convict_examples_function)(const convict_implementation* self);

/* How an implementation with a contract of CONVICT_WINOGRAD or CONVICT_FFT departs from the usual transform. Each has a
 * larger error bound (docs/background/bounds.md), so it is allowed to those who declare it. */
typedef struct convict_transforms {
  /* Winograd. Non-zero: the last tile of an axis may be moved back until it ends with the outputs, and overlap the one
   * before; otherwise tiles are where steps of winograd_m lead. */
  int32_t moves_tiles;
  /* FFT. Non-zero: two real planes of one operand, neighbours among its channels, images or filters, may be the parts
   * of one complex plane, and so may two planes of results. */
  int32_t pairs_planes;
  /* Winograd: the finite points, winograd_m + winograd_r - 2 of them, finite numbers and distinct; infinity is always
   * the last point. 0 and NULL: the first of 0, 1, -1, 2, -2, 1/2, -1/2. Where contract_for gives a contract for
   * another number of points, that has the usual ones. */
  int32_t point_count;
  const double* points;
} convict_transforms;

/* A symbol that a plugin may export as well: the transforms of one of its implementations. NULL: nothing of this. */
#define CONVICT_TRANSFORMS_SYMBOL "convict_transforms_v1"
typedef const convict_transforms* (*convict_transforms_function)(const convict_implementation* self);

/* How an implementation with a contract of CONVICT_DIRECT computes on a matrix unit, such as a tensor core. Each has a
 * larger error bound (docs/background/bounds.md), so it is allowed to those who declare it. */
typedef struct convict_matrix_unit {
  /* The two operands of a product may first be rounded to nearest, or truncated, to so many significant bits, 8 to 53,
   * and those that are subnormal to fewer, or to zero. TF32: 11. A bias, old contents and diff_bias are not operands of
   * products. 0: they are multiplied as they are. */
  int32_t operand_bits;
  /* Non-zero: sums may be truncated instead of rounded. Any number of terms may be added at once, each truncated below
   * the last bit that the largest of them has in the accumulator. `summation` says how the sums of these are added. */
  int32_t truncates;
} convict_matrix_unit;

/* A symbol that a plugin may export as well: the matrix unit of one of its implementations. NULL: nothing of this. */
#define CONVICT_MATRIX_UNIT_SYMBOL "convict_matrix_unit_v1"
typedef const convict_matrix_unit* (*convict_matrix_unit_function)(const convict_implementation* self);

#ifdef __cplusplus
}
#endif

#endif /* CONVICT_CONVICT_H_ */
