/* SPDX-License-Identifier: Apache-2.0
 *
 * An implementation that ends its process the polite way: by exit(), so that handlers of atexit() run.
 */
#include <stdlib.h>

#include "abi/convict.h"

static const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  (void)p;
  (void)t;
  return NULL;
}

static convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  (void)self;
  (void)p;
  (void)t;
  (void)error;
  (void)error_size;
  exit(0);
}

static const convict_implementation leaves = {
    "leaves",    "calls exit(0)",
    "leaves",    {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,
    NULL,        NULL,
    NULL,
};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&leaves};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", sizeof all / sizeof *all, all};
  return &plugin;
}
