/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that takes its time to initialise, as those with a licence server do, and then refuses to work: it is
 * loaded when the test opens the gate. Whoever waits for it may press Ctrl-C before the first case, and a worker may be
 * killed before it is ready.
 */
#include "abi/convict.h"
#include "events.h"

__attribute__((constructor)) static void initialise(void) {
  tell();
  wait_at_gate();
}

static const char* unsupported(const convict_implementation* self, const convict_problem* problem,
                               const convict_tensors* tensors) {
  (void)self;
  (void)problem;
  (void)tensors;
  return "the licence has expired";
}

static convict_status run(const convict_implementation* self, const convict_problem* problem,
                          const convict_tensors* tensors, char* error, size_t error_size) {
  (void)self;
  (void)problem;
  (void)tensors;
  (void)error;
  (void)error_size;
  return CONVICT_REFUSED;
}

static const convict_implementation slow = {"slow-to-load",
                                            "refuses",
                                            "slow",
                                            {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
                                            unsupported,
                                            run,
                                            NULL,
                                            NULL,
                                            NULL};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&slow};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};
  return &plugin;
}
