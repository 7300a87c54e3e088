/* SPDX-License-Identifier: Apache-2.0
 *
 * A colleague's deconvolution kernel, tidy and plausible: it computes the output that `output_padding = 0` would give
 * and fills the extra rows and columns with zeros. PyTorch computes them; so the kernel is guilty, and of nothing else.
 *
 * It is also the example of how to write a plugin: everything a plugin needs is in this file, and only <convict.h> is
 * included from the project. Build it with
 *
 *     cc -std=c99 -O2 -shared -fPIC -o guilty.so guilty.c
 *
 * and put it on trial with `convict fuzz --plugin ./guilty.so --profile output-padding`.
 */
#include "abi/convict.h" /* <convict/convict.h> once convict is installed */

/* ---- The two spatial sides -----------------------------------------------------------------------------------------
 *
 * A convolution relates a large image and a small one: position `s` of the small one meets position
 *
 *     s * stride - pad_begin + tap * dilation
 *
 * of the large one through each `tap` of the kernel. For conv the large image is src and the small one dst, for
 * conv_transpose it is the other way round; and this is the only difference between the two. */

static const int64_t* small_extent(const convict_problem* p) { return p->op == CONVICT_CONV ? p->out : p->in; }
static const int64_t* large_extent(const convict_problem* p) { return p->op == CONVICT_CONV ? p->in : p->out; }

/* Finds the position of the large image; 0 if it lies in the padding. Axes that the problem does not have are of
 * extent 1 everywhere, so that rank 1 and 2 need no code of their own. */
static int meet(const convict_problem* p, const int64_t small[3], const int64_t tap[3], int64_t large[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    large[axis] = small[axis] * p->stride[axis] - p->pad_begin[axis] + tap[axis] * p->dilation[axis];
    if (large[axis] < 0 || large[axis] >= large_extent(p)[axis]) return 0;
  }
  return 1;
}

/* ---- Tensors ---------------------------------------------------------------------------------------------------- */

/* One element, in any layout: the strides know where it is. */
static float* element(const convict_tensor* t, int64_t first, int64_t second, const int64_t position[3]) {
  int64_t offset = first * t->strides[0] + second * t->strides[1];
  for (int axis = 0; axis < t->ndim - 2; ++axis) offset += position[axis] * t->strides[2 + axis];
  return (float*)t->data + offset;
}

/* One element of a bias or its gradient. */
static float* bias_element(const convict_tensor* t, int64_t channel) {
  return (float*)t->data + channel * t->strides[0];
}

/* The three operands of the pass, one of which is its output. */
typedef struct operands {
  const convict_tensor *src, *wei, *dst; /* or their gradients */
} operands;

static operands operands_of(const convict_problem* p, const convict_tensors* t) {
  operands of;
  of.src = p->pass == CONVICT_BACKWARD_DATA ? &t->diff_src : &t->src;
  of.wei = p->pass == CONVICT_BACKWARD_WEIGHTS ? &t->diff_wei : &t->wei;
  of.dst = p->pass == CONVICT_FORWARD ? &t->dst : &t->diff_dst;
  return of;
}

static const convict_tensor* output_of(const convict_problem* p, const operands* of) {
  if (p->pass == CONVICT_BACKWARD_DATA) return of->src;
  return p->pass == CONVICT_BACKWARD_WEIGHTS ? of->wei : of->dst;
}

/* The extents of the spatial axes of a tensor, 1 for those it does not have. */
static void spatial_extents(const convict_tensor* t, int64_t extents[3]) {
  for (int axis = 0; axis < 3; ++axis) extents[axis] = axis < t->ndim - 2 ? t->dims[2 + axis] : 1;
}

/* ---- The start of every output: the bias of its channel, or zero ------------------------------------------------ */

static void start_output(const convict_problem* p, const convict_tensors* t, const convict_tensor* output) {
  const int adds_bias = p->has_bias && p->pass == CONVICT_FORWARD;
  int64_t extents[3], at[3];
  spatial_extents(output, extents);
  for (int64_t i = 0; i < output->dims[0]; ++i)
    for (int64_t j = 0; j < output->dims[1]; ++j)
      for (at[0] = 0; at[0] < extents[0]; ++at[0])
        for (at[1] = 0; at[1] < extents[1]; ++at[1])
          for (at[2] = 0; at[2] < extents[2]; ++at[2])
            *element(output, i, j, at) = adds_bias ? *bias_element(&t->bias, j) : 0.0f;
}

/* ---- The products ----------------------------------------------------------------------------------------------- */

/* What one element of src, one of wei and one of dst have to do with each other: two of them are given, and their
 * product belongs to the third. */
static void multiply(convict_pass pass, float* src, float* wei, float* dst) {
  switch (pass) {
    case CONVICT_FORWARD: *dst += *src * *wei; break;
    case CONVICT_BACKWARD_DATA: *src += *dst * *wei; break;
    case CONVICT_BACKWARD_WEIGHTS: *wei += *src * *dst; break;
  }
}

/* All products of channel `i` of src and channel `o` of dst, both counted within group `g`. */
static void multiply_channels(const convict_problem* p, const operands* of, int64_t n, int64_t g, int64_t i,
                              int64_t o) {
  const int64_t src_channel = g * (p->ic / p->groups) + i, dst_channel = g * (p->oc / p->groups) + o;
  const int is_conv = p->op == CONVICT_CONV;
  const int64_t* extent = small_extent(p);
  int64_t small[3], large[3], tap[3];
  for (small[0] = 0; small[0] < extent[0]; ++small[0])
    for (small[1] = 0; small[1] < extent[1]; ++small[1])
      for (small[2] = 0; small[2] < extent[2]; ++small[2])
        for (tap[0] = 0; tap[0] < p->kernel[0]; ++tap[0])
          for (tap[1] = 0; tap[1] < p->kernel[1]; ++tap[1])
            for (tap[2] = 0; tap[2] < p->kernel[2]; ++tap[2]) {
              if (!meet(p, small, tap, large)) continue;
              multiply(p->pass, element(of->src, n, src_channel, is_conv ? large : small),
                       is_conv ? element(of->wei, dst_channel, i, tap) : element(of->wei, src_channel, o, tap),
                       element(of->dst, n, dst_channel, is_conv ? small : large));
            }
}

/* The gradient of the bias: the sum of its channel of diff_dst. */
static void sum_diff_bias(const convict_problem* p, const convict_tensors* t) {
  int64_t at[3];
  for (int64_t channel = 0; channel < p->oc; ++channel) {
    float* sum = bias_element(&t->diff_bias, channel);
    *sum = 0.0f;
    for (int64_t n = 0; n < p->batch; ++n)
      for (at[0] = 0; at[0] < p->out[0]; ++at[0])
        for (at[1] = 0; at[1] < p->out[1]; ++at[1])
          for (at[2] = 0; at[2] < p->out[2]; ++at[2]) *sum += *element(&t->diff_dst, n, channel, at);
  }
}

/* ---- The planted fault ------------------------------------------------------------------------------------------ */

/* "Output padding pads the output, so there are zeros." There are not: it only enlarges the output, and the extra
 * positions are computed like every other one. */
static void zero_output_padding(const convict_problem* p, const convict_tensor* dst) {
  int64_t at[3];
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t channel = 0; channel < p->oc; ++channel)
      for (at[0] = 0; at[0] < p->out[0]; ++at[0])
        for (at[1] = 0; at[1] < p->out[1]; ++at[1])
          for (at[2] = 0; at[2] < p->out[2]; ++at[2])
            for (int axis = 0; axis < 3; ++axis)
              if (at[axis] >= p->out[axis] - p->output_padding[axis]) *element(dst, n, channel, at) = 0.0f;
}

/* ---- The interface of a plugin ---------------------------------------------------------------------------------- */

/* Why a problem cannot be computed here, or NULL. A reason is no shame: a wrong result is. */
static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const operands of = operands_of(p, t);
  (void)self;
  if (of.src->dtype != CONVICT_F32 || of.wei->dtype != CONVICT_F32 || of.dst->dtype != CONVICT_F32) return "only f32";
  if (p->ic % p->groups != 0 || p->oc % p->groups != 0) return "groups that do not divide the channels";
  return NULL;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  const operands of = operands_of(p, t);
  (void)self;
  (void)error; /* nothing can fail here; whoever fails says why in it */
  (void)error_size;
  start_output(p, t, output_of(p, &of));
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t g = 0; g < p->groups; ++g)
      for (int64_t i = 0; i < p->ic / p->groups; ++i)
        for (int64_t o = 0; o < p->oc / p->groups; ++o) multiply_channels(p, &of, n, g, i, o);
  if (p->has_bias && p->pass == CONVICT_BACKWARD_WEIGHTS) sum_diff_bias(p, t);
  if (p->op == CONVICT_CONV_TRANSPOSE && p->pass == CONVICT_FORWARD) zero_output_padding(p, &t->dst);
  return CONVICT_OK;
}

static const convict_implementation guilty = {
    "guilty",                              /* its name on the command line */
    "zero-fills the output padding",       /* one line for listings */
    "guilty",                              /* lineage: it shares its arithmetic with nobody */
    {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, /* sums of products, kept in f32, subnormals kept; */
     1,                                    /* the same bits every time; */
     CONVICT_ANY_ORDER, 0,                 /* no promise about the order; */
     0, 0},                                /* neither beta nor relu */
    unsupported,
    run,
    NULL, /* no plans to tell, */
    NULL, /* the contract is the same for all problems, */
    NULL, /* and there are no steps */
};

/* The one symbol that a plugin exports. */
const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&guilty};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", sizeof all / sizeof *all, all};
  return &plugin;
}
