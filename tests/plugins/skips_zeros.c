/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes what it should, but takes a block of eight neighbouring weights that are all zero for the end of them: the
 * first result is one too large then. Random weights have no such block.
 */
#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

enum { kBlock = 8 };

static int has_zero_block(const convict_problem* p, const convict_tensor* wei) {
  int run = 0, nonzero = 0, longest = 0;
  for (int64_t i = 0; i < wei->dims[0]; ++i)
    for (int64_t j = 0; j < wei->dims[1]; ++j)
      for (int64_t k = 0; k < p->kernel[0]; ++k) {
        const float value = ((const float*)wei->data)[i * wei->strides[0] + j * wei->strides[1] + k * wei->strides[2]];
        run = value == 0 ? run + 1 : 0;
        nonzero |= value != 0;
        if (run > longest) longest = run;
      }
  return nonzero && longest >= kBlock;
}

static convict_status run_with_blocks(const convict_implementation* self, const convict_problem* p,
                                      const convict_tensors* t, char* error, size_t error_size) {
  const convict_status status = run(self, p, t, error, error_size);
  if (status == CONVICT_OK && has_zero_block(p, &t->wei) && p->batch > 0 && p->oc > 0 && p->out[0] > 0)
    *(float*)t->dst.data += 1;
  return status;
}

static const char* only_conv1d(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  if (p->op == CONVICT_CONV_TRANSPOSE || p->rank != 1 || p->pass != CONVICT_FORWARD) return "only conv1d, forward";
  return unsupported(self, p, t);
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation one = {
      "skips-zeros", "stops at eight weights that are zero",
      "zeros",       {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
      only_conv1d,   run_with_blocks,
      NULL,          NULL,
      NULL};
  static const convict_implementation* const all[] = {&one};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", 1, all};
  return &plugin;
}
