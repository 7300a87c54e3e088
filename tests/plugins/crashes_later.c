/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes what it should. A thread that the library starts when it is first asked writes to address 0 a little later,
 * while somebody else runs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static int* volatile nowhere = NULL;

static void* crash(void* nothing) {
  const struct timespec a_little = {0, 20000000};
  nanosleep(&a_little, NULL);
  *nowhere = 1;
  return nothing;
}

static void start_once(void) {
  static int started = 0;
  pthread_t thread;
  if (!started && pthread_create(&thread, NULL, crash, NULL) == 0) pthread_detach(thread);
  started = 1;
}

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  start_once();
  return p->op == CONVICT_CONV_TRANSPOSE ? "only conv" : unsupported(self, p, t);
}

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation one = {"crashes-later",
                                             "crashes in a thread of its own",
                                             "later",
                                             {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
                                             only_conv,
                                             run,
                                             NULL,
                                             NULL,
                                             NULL};
  static const convict_implementation* const all[] = {&one};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", 1, all};
  return &plugin;
}
