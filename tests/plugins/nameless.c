/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin written in a hurry: its second implementation has no name yet.
 * Nobody could mismatch_for it by name, so the plugin is refused.
 */
#include "abi/convict.h"

static const char* unsupported(const convict_implementation* self, const convict_problem* problem,
                               const convict_tensors* tensors) {
  (void)self;
  (void)problem;
  (void)tensors;
  return "it is not written yet";
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

static const convict_implementation named = {
    "named",     "has a name", "nameless", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,          NULL,       NULL,
    NULL};
static const convict_implementation nameless = {
    NULL,        "has none", "nameless", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,        NULL,       NULL,
    NULL};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&named, &nameless};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 2, all};
  return &plugin;
}
