/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels with a workspace of the caller's, with several code paths, and one that looks at how padding was asked for:
 * conv1d in f32, which gathers the windows of one image into the workspace and multiplies them with the weights.
 * `scratch` is right on all of its paths but one; the others treat the workspace as they must not.
 */
#include "abi/convict.h"

#include <string.h>

typedef enum fault {
  NONE,
  WRITES_BEHIND,  /* one element behind the workspace */
  WRITES_BEFORE,  /* one element in front of it */
  TRUSTS_ZEROS,   /* adds to what it holds */
  WANTS_TOO_MUCH, /* more than there is */
  FORGETS_GROUPS, /* gathers the first group only */
  ONE_SAME        /* knows one SAME only, that with the odd element at the end */
} fault;

typedef struct scratch {
  convict_implementation base; /* first: convict_implementation* is scratch* */
  fault fault;
} scratch;

static fault fault_of(const convict_implementation* self, const convict_problem* p) {
  if (p->code_path && strcmp(p->code_path, "first_group") == 0) return FORGETS_GROUPS;
  return ((const scratch*)self)->fault;
}

/* Elements of all windows of one image: [ic][kernel][out]. */
static int64_t gathered(const convict_problem* p) { return p->ic * p->kernel[0] * p->out[0]; }

static size_t workspace_size(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)t;
  if (((const scratch*)self)->fault == WANTS_TOO_MUCH) return (size_t)1 << 40;
  return (size_t)gathered(p) * sizeof(float);
}

static const float* src_at(const convict_tensors* t, int64_t n, int64_t c, int64_t i) {
  return (const float*)t->src.data + n * t->src.strides[0] + c * t->src.strides[1] + i * t->src.strides[2];
}

static int64_t pad_begin(const convict_problem* p, fault fault) {
  const int swapped = fault == ONE_SAME && p->padding == CONVICT_SAME_LOWER;
  return swapped ? p->pad_end[0] : p->pad_begin[0];
}

static void gather(const convict_problem* p, const convict_tensors* t, fault fault, int64_t n) {
  float* to = t->workspace;
  for (int64_t c = 0; c < p->ic; ++c)
    for (int64_t r = 0; r < p->kernel[0]; ++r)
      for (int64_t o = 0; o < p->out[0]; ++o, ++to) {
        const int64_t i = o * p->stride[0] - pad_begin(p, fault) + r * p->dilation[0];
        if (fault == TRUSTS_ZEROS && (i < 0 || i >= p->in[0])) continue; /* the padding is taken for cleared */
        *to = i < 0 || i >= p->in[0] ? 0.0f : *src_at(t, n, c, i);
      }
  if (fault == WRITES_BEHIND) *to = 0.0f;
  if (fault == WRITES_BEFORE) ((float*)t->workspace)[-1] = 0.0f;
}

static float sum_at(const convict_problem* p, const convict_tensors* t, fault fault, int64_t k, int64_t o) {
  const float *columns = t->workspace, *wei = t->wei.data;
  const int64_t channels = p->ic / p->groups;
  const int64_t first = fault == FORGETS_GROUPS ? 0 : k / (p->oc / p->groups) * channels;
  float sum = 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t r = 0; r < p->kernel[0]; ++r)
      sum += columns[((first + c) * p->kernel[0] + r) * p->out[0] + o] *
             wei[k * t->wei.strides[0] + c * t->wei.strides[1] + r * t->wei.strides[2]];
  return sum;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  const fault fault = fault_of(self, p);
  (void)error;
  (void)error_size;
  for (int64_t n = 0; n < p->batch; ++n) {
    if (gathered(p) > 0) gather(p, t, fault, n);
    for (int64_t k = 0; k < p->oc; ++k)
      for (int64_t o = 0; o < p->out[0]; ++o)
        ((float*)t->dst.data)[n * t->dst.strides[0] + k * t->dst.strides[1] + o * t->dst.strides[2]] =
            sum_at(p, t, fault, k, o);
  }
  return CONVICT_OK;
}

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 1) return "only conv1d, forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  if (p->has_bias) return "no bias";
  if (p->groups < 1 || p->ic % p->groups != 0 || p->oc % p->groups != 0) return "groups do not divide the channels";
  if (p->kernel[0] < 1 || p->stride[0] < 1 || p->dilation[0] < 1 || p->output_padding[0] != 0) return "not legal";
  if (p->code_path && strcmp(p->code_path, "dense") == 0 && p->groups != 1) return "this path has one group";
  const int64_t rest = p->in[0] + p->pad_begin[0] + p->pad_end[0] - p->dilation[0] * (p->kernel[0] - 1) - 1;
  return rest < 0 || p->out[0] != rest / p->stride[0] + 1 ? "not legal" : NULL;
}

#define SCRATCH(name, about, fault)                                                                             \
  {                                                                                                             \
    {                                                                                                           \
        name,        about, "scratch", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0}, \
        unsupported, run,   NULL,      NULL,                                                                    \
        NULL},                                                                                                  \
        fault                                                                                                   \
  }

static const scratch all_scratch[] = {
    SCRATCH("scratch", "gathers windows into the workspace", NONE),
    SCRATCH("writes-behind", "writes an element behind its workspace", WRITES_BEHIND),
    SCRATCH("writes-before", "writes an element in front of its workspace", WRITES_BEFORE),
    SCRATCH("trusts-zeros", "takes its workspace for cleared", TRUSTS_ZEROS),
    SCRATCH("one-same", "takes same_lower for same_upper", ONE_SAME),
    SCRATCH("wants-too-much", "wants more than there is", WANTS_TOO_MUCH),
};
enum { kCount = sizeof all_scratch / sizeof *all_scratch };

const convict_abilities* convict_abilities_v1(const convict_implementation* self);
const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  static const char* const paths[] = {"dense", "first_group", NULL};
  static const convict_abilities with_paths = {0, workspace_size, paths, 0, NULL},
                                 without = {0, workspace_size, NULL, 0, NULL};
  return self == &all_scratch[0].base ? &with_paths : &without;
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_scratch[i].base;
  return &plugin;
}
