/* SPDX-License-Identifier: Apache-2.0
 *
 * Implementations that compute what they should (guilty.c without transposed convolutions, where it errs) and do
 * something to the process that called them.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "events.h"

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

/* Not null: UndefinedBehaviorSanitizer would see that before the processor does. */
static int* volatile nowhere = (int*)16;
static void* volatile kept;

static void prints(void) {
  for (int i = 0; i < 2000; ++i) puts("{\"done\":1,\"refusals\":[]}");
  fflush(stdout);
}

/* Into whatever its caller has open. */
static void scribbles(void) {
  for (int fd = 3; fd < 256; ++fd)
    if (write(fd, "hello\n", 6) < 0) continue;
}

static void closes(void) {
  for (int fd = 0; fd < 256; ++fd) close(fd);
}

static void leave_quietly(int signal) {
  (void)signal;
  _exit(7);
}

static void handles(void) {
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], leave_quietly);
}

static void handles_and_crashes(void) {
  handles();
  *nowhere = 1;
}

static void rounds_up(void) { fesetround(FE_UPWARD); }

static void flushes(void) {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

static void ignores_and_hangs(void) {
  for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
  tell();
  for (;;) pause();
}

static void* work_for_ever(void* nothing) {
  for (;;) {
    free(malloc(1000));
    usleep(1000);
  }
  return nothing;
}

static void leaves_threads(void) {
  static int threads = 0;
  pthread_t thread;
  if (++threads > 50 || pthread_create(&thread, NULL, work_for_ever, NULL) != 0) return;
  pthread_detach(thread);
}

static void leaks(void) {
  const size_t megabyte = (size_t)1 << 20;
  kept = malloc(megabyte);
  if (kept) memset(kept, 1, megabyte);
}

static void exits(void) { exit(0); }

/* Both return. */
static void forks(void) {
  if (fork() < 0) return;
}

static void forks_and_stays(void) {
  static int children = 0;
  if (++children > 5 || fork() != 0) return;
  for (;;) pause();
}

/* The child keeps all descriptors open. */
static void forks_and_crashes(void) {
  forks_and_stays();
  *nowhere = 1;
}

static void does_nothing(void) {}

typedef struct rude {
  convict_implementation base;
  void (*deed)(void);
} rude;

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  return p->op == CONVICT_CONV_TRANSPOSE ? "only conv" : unsupported(self, p, t);
}

/* Whether somebody who was called before has changed how arithmetic works. */
static int is_changed(void) {
#if defined(__x86_64__)
  if (_mm_getcsr() & 0x8040) return 1;
#endif
  return fegetround() != FE_TONEAREST;
}

static convict_status compute(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  if (is_changed()) {
    snprintf(error, error_size, "somebody has changed how arithmetic works");
    return CONVICT_FAILED;
  }
  const convict_status status = run(self, p, t, error, error_size);
  ((const rude*)self)->deed();
  return status;
}

#define RUDE(name, description, deed)                                                                       \
  {                                                                                                         \
    {name,      description, "rude", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0}, \
     only_conv, compute,     NULL,   NULL,                                                                  \
     NULL},                                                                                                 \
        deed                                                                                                \
  }

static const rude all_rude[] = {
    RUDE("polite", "does nothing else", does_nothing),
    RUDE("prints", "writes to stdout what looks like messages", prints),
    RUDE("scribbles", "writes to all descriptors of its caller", scribbles),
    RUDE("closes", "closes all descriptors of its caller", closes),
    RUDE("handles", "installs signal handlers that exit", handles),
    RUDE("handles-and-crashes", "the same, and writes to address 0", handles_and_crashes),
    RUDE("rounds-up", "leaves the rounding mode at upward", rounds_up),
    RUDE("flushes", "leaves FTZ and DAZ on", flushes),
    RUDE("ignores-and-hangs", "ignores all signals and never returns", ignores_and_hangs),
    RUDE("leaves-threads", "starts threads that outlive the call", leaves_threads),
    RUDE("leaks", "leaks a megabyte a call", leaks),
    RUDE("exits-cleanly", "calls exit(0)", exits),
    RUDE("forks", "returns twice", forks),
    RUDE("forks-and-stays", "starts processes that never end", forks_and_stays),
    RUDE("forks-and-crashes", "the same, and writes to address 0", forks_and_crashes),
};
enum { kCount = sizeof all_rude / sizeof *all_rude };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_rude[i].base;
  return &plugin;
}
