/* SPDX-License-Identifier: Apache-2.0
 *
 * Implementations whose results depend on the calls before, or on the number of threads.
 */
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static const convict_tensor* main_output(const convict_problem* p, const convict_tensors* t) {
  return p->pass == CONVICT_FORWARD ? &t->dst : p->pass == CONVICT_BACKWARD_DATA ? &t->diff_src : &t->diff_wei;
}

static int64_t elements(const convict_tensor* tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->ndim; ++i) count *= tensor->dims[i];
  return count;
}

/* A buffer that a larger problem has left behind. */
static int spoils_after_larger(int64_t size) {
  static int64_t largest = 0;
  const int spoils = size < largest;
  if (size > largest) largest = size;
  return spoils;
}

static int dies_after_larger(int64_t size) {
  if (spoils_after_larger(size)) raise(SIGSEGV);
  return 0;
}

static int spoils_every_third(int64_t size) {
  static int calls = 0;
  (void)size;
  return ++calls % 3 == 0;
}

/* About seven processes of ten: by the address of a library, which the system draws. */
static int spoils_by_chance(int64_t size) {
  (void)size;
  return ((size_t)&spoils_by_chance >> 12) % 10 < 7;
}

/* One call of so many, by the clock at the first one. */
static int by_the_clock(unsigned calls) {
  static unsigned state = 0;
  struct timespec now;
  if (state == 0) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = (unsigned)now.tv_nsec | 1u;
  }
  state = state * 1664525u + 1013904223u; /* Numerical Recipes, 2nd edition, chapter 7.1 */
  return (state >> 16) % calls == 0;
}

static int spoils_now_and_then(int64_t size) {
  (void)size;
  return by_the_clock(30);
}

static int spoils_rarely(int64_t size) {
  (void)size;
  return by_the_clock(300);
}

static int threads_of_call = 0;

static int spoils_on_one_thread(int64_t size) {
  (void)size;
  return threads_of_call == 1;
}

typedef struct stateful {
  convict_implementation base;
  int (*spoils)(int64_t size);
} stateful;

static const char* only_f32(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const convict_tensor* output = main_output(p, t);
  if (p->op == CONVICT_CONV_TRANSPOSE) return "only conv";
  return output->dtype != CONVICT_F32 ? "only f32" : unsupported(self, p, t);
}

static convict_status compute(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  const convict_status status = run(self, p, t, error, error_size);
  threads_of_call = p->threads;
  const convict_tensor* output = main_output(p, t);
  const int64_t size = elements(output);
  if (status == CONVICT_OK && size > 0 && ((const stateful*)self)->spoils(size)) ((float*)output->data)[0] += 1000.0f;
  return status;
}

#define STATEFUL(name, spoils)                                                                             \
  {                                                                                                        \
    {name,     #spoils, "stateful", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 0, CONVICT_ANY_ORDER, 0, 0, 0}, \
     only_f32, compute, NULL,       NULL,                                                                  \
     NULL},                                                                                                \
        spoils                                                                                             \
  }

static const stateful all_stateful[] = {
    STATEFUL("after-larger", spoils_after_larger),   STATEFUL("dies-after-larger", dies_after_larger),
    STATEFUL("every-third", spoils_every_third),     STATEFUL("by-chance", spoils_by_chance),
    STATEFUL("now-and-then", spoils_now_and_then),   STATEFUL("rarely", spoils_rarely),
    STATEFUL("on-one-thread", spoils_on_one_thread),
};
enum { kCount = sizeof all_stateful / sizeof *all_stateful };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &all_stateful[i].base;
  return &plugin;
}
