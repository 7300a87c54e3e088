/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes what it should. It keeps a workspace from call to call and makes it larger where a problem needs more. With
 * strides it counts one element too few, and writes that one behind the end: what was there is damaged, and whoever
 * asks for memory later dies of it.
 */
#include <stdlib.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static float* workspace = NULL;
static int64_t room = 0; /* elements */

static int fill_workspace(const convict_problem* p) {
  const int64_t needed = 2 * (p->ic + p->oc) * p->in[0] + 2;
  if (needed > room) {
    free(workspace);
    workspace = malloc((size_t)needed * sizeof(float));
    room = workspace ? needed : 0;
    if (!workspace) return 0;
  }
  const int64_t end = p->stride[0] >= 2 ? room + 1 : room;
  for (int64_t i = 0; i < end; ++i) ((volatile float*)workspace)[i] = -1.0f;
  return 1;
}

static convict_status run_with_workspace(const convict_implementation* self, const convict_problem* p,
                                         const convict_tensors* t, char* error, size_t error_size) {
  if (!fill_workspace(p)) return CONVICT_OUT_OF_MEMORY;
  return run(self, p, t, error, error_size);
}

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  return p->op == CONVICT_CONV_TRANSPOSE ? "only conv" : unsupported(self, p, t);
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation one = {"heap-overrun",
                                             "writes behind a workspace of its own",
                                             "heap",
                                             {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
                                             only_conv,
                                             run_with_workspace,
                                             NULL,
                                             NULL,
                                             NULL};
  static const convict_implementation* const all[] = {&one};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", 1, all};
  return &plugin;
}
