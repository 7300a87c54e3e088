/* SPDX-License-Identifier: Apache-2.0
 *
 * An implementation that computes nothing. It tells the test of every call, and waits at the gate if there is one: the
 * test knows how far a campaign is, and can keep it there.
 */
#include "abi/convict.h"
#include "events.h"

static const char* unsupported(const convict_implementation* self, const convict_problem* problem,
                               const convict_tensors* tensors) {
  (void)self;
  (void)problem;
  (void)tensors;
  return NULL;
}

static convict_status run(const convict_implementation* self, const convict_problem* problem,
                          const convict_tensors* tensors, char* error, size_t error_size) {
  (void)self;
  (void)problem;
  (void)tensors;
  (void)error;
  (void)error_size;
  tell();
  wait_at_gate();
  return CONVICT_REFUSED;
}

static const convict_implementation tells = {
    "tells",     "tells of its calls",
    "tells",     {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,
    NULL,        NULL,
    NULL};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&tells};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};
  return &plugin;
}
