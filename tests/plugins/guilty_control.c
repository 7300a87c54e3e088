/* SPDX-License-Identifier: Apache-2.0
 *
 * A control that is as guilty as the mutant beside it: neither writes anything.
 */
#include <stddef.h>

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
  return CONVICT_OK;
}

#define IDLE(name)                                                                                         \
  {                                                                                                        \
    name, "writes nothing", "idle", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0}, \
        unsupported, run, NULL, NULL, NULL                                                                 \
  }

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation none = IDLE("control"), idle = IDLE("idle");
  static const convict_implementation* all[2];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", 2, all};
  all[0] = &none;
  all[1] = &idle;
  return &plugin;
}
