/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes what it should, but for strided problems, where it adds a number from a buffer of its own that it has never
 * written. Memory that is new to a process is zero, so that nobody notices until the buffer is memory that was used.
 */
#include <stdlib.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

enum { kRoom = 1 << 20 }; /* elements, so many that it is new memory each time */

static convict_status run_with_buffer(const convict_implementation* self, const convict_problem* p,
                                      const convict_tensors* t, char* error, size_t error_size) {
  const convict_status status = run(self, p, t, error, error_size);
  float* buffer = malloc(kRoom * sizeof(float));
  if (!buffer) return CONVICT_OUT_OF_MEMORY;
  if (status == CONVICT_OK && p->stride[0] >= 2) {
    const convict_tensor* output = p->pass == CONVICT_FORWARD         ? &t->dst
                                   : p->pass == CONVICT_BACKWARD_DATA ? &t->diff_src
                                                                      : &t->diff_wei;
    *(float*)output->data += ((volatile float*)buffer)[0];
  }
  free(buffer);
  return status;
}

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  if (p->op == CONVICT_CONV_TRANSPOSE || p->batch * p->ic * p->oc == 0) return "only conv, and not of nothing";
  return unsupported(self, p, t);
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation one = {"unwritten-buffer",
                                             "adds what it has never written",
                                             "unwritten",
                                             {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
                                             only_conv,
                                             run_with_buffer,
                                             NULL,
                                             NULL,
                                             NULL};
  static const convict_implementation* const all[] = {&one};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", 1, all};
  return &plugin;
}
