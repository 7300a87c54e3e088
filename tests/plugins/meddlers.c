/* SPDX-License-Identifier: Apache-2.0
 *
 * Implementations that compute what they should, as those of rude.c, and change something that the whole process
 * shares, or do their mischief after the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static volatile unsigned char* last_output;

/* ---- After the call ---------------------------------------------------------------------------------------------- */

static void* write_late(void* nothing) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
  last_output[0] = 0x2a;
  return nothing;
}

static void writes_late(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, write_late, NULL) == 0) pthread_detach(thread);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void uses_scratch(void) {
  const size_t bytes = (size_t)60 << 20;
  char* scratch = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) return;
  memset(scratch, 1, bytes);
  munmap(scratch, bytes);
}

static void* volatile kept_memory;
static void leaks_memory(void) {
  const size_t megabyte = (size_t)1 << 20;
  kept_memory = malloc(megabyte);
  if (kept_memory) memset(kept_memory, 1, megabyte);
}

/* Pages that no mapping shows. */
static void hides_memory(void) {
  static char megabyte[1 << 20];
  static int file = -1;
  if (file < 0) file = memfd_create("hidden", 0);
  for (int i = 0; i < 8; ++i)
    if (write(file, megabyte, sizeof megabyte) < 0) return;
}

/* ---- The process ------------------------------------------------------------------------------------------------- */

static void leaves_x87_full(void) {
#if defined(__x86_64__)
  __asm__ volatile("pxor %%mm0, %%mm0" ::: "mm0");
#endif
}

static void limits_memory(void) {
  const struct rlimit little = {(rlim_t)64 << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &little);
}

static void sets_locale(void) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "C.UTF-8")) setlocale(LC_ALL, "POSIX");
}

static void closes_commands(void) { close(3); }

/* Whoever filters results acquits himself. */
static void replaces_results(void) {
  static int done = 0;
  const int nowhere = open("/dev/null", O_WRONLY);
  if (!done++ && nowhere >= 0) dup2(nowhere, 4);
}

static void masks_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void moves(void) {
  if (chdir("/") != 0) return;
}

static void sets_umask(void) { umask(0777); }
static void sets_variable(void) { setenv("OMP_NUM_THREADS", "7", 1); }

static void renices(void) {
  errno = 0;
  const int now = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, 0, now + 1);
}

static void pins(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void sets_timer(void) {
  const struct itimerval soon = {{0, 0}, {3600, 0}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

/* A process that leaves the group of its parent. */
static void starts_process(void) {
  static int started = 0;
  if (started++ || fork() != 0) return;
  setsid();
  execlp("sleep", "sleep", "86399.125", NULL);
  _exit(1);
}

/* What looks like messages of a worker. */
static void forges(void) {
  static const char* const lines[] = {"{}\n",
                                      "{\"done\":1}\n",
                                      "{\"mismatches\":[{}]}\n",
                                      "{\"error\":\"x\"}\n",
                                      "{\"error\":\"x\",\"cannot_judge\":false}\n",
                                      "[\n"};
  static unsigned next = 0;
  const char* line = lines[next++ % (sizeof lines / sizeof *lines)];
  if (write(4, line, strlen(line)) < 0) return;
}

static void works_slowly(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 50000000L);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void does_nothing(void) {}

typedef struct meddler {
  convict_implementation base;
  void (*deed)(void);
} meddler;

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  return p->op == CONVICT_CONV_TRANSPOSE ? "only conv" : unsupported(self, p, t);
}

static convict_status compute(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  const convict_status status = run(self, p, t, error, error_size);
  const convict_tensor* output = p->pass == CONVICT_FORWARD         ? &t->dst
                                 : p->pass == CONVICT_BACKWARD_DATA ? &t->diff_src
                                                                    : &t->diff_wei;
  last_output = output->data;
  ((const meddler*)self)->deed();
  return status;
}

/* What a library does when it is merely asked. */
static const char* moves_when_asked(const convict_implementation* self, const convict_problem* p,
                                    const convict_tensors* t) {
  moves();
  return only_conv(self, p, t);
}

static const char* moves_once_when_asked(const convict_implementation* self, const convict_problem* p,
                                         const convict_tensors* t) {
  static int asked = 0;
  if (!asked++) moves();
  return only_conv(self, p, t);
}

#define MEDDLER_WHEN_ASKED(name, unsupported, deed)                                                           \
  {                                                                                                           \
    {name,        #deed,   "meddlers", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0}, \
     unsupported, compute, NULL,       NULL,                                                                  \
     NULL},                                                                                                   \
        deed                                                                                                  \
  }
#define MEDDLER(name, deed) MEDDLER_WHEN_ASKED(name, only_conv, deed)

static const meddler meddlers[] = {
    MEDDLER("writes-late", writes_late),
    MEDDLER("uses-scratch", uses_scratch),
    MEDDLER("leaks-memory", leaks_memory),
    MEDDLER("hides-memory", hides_memory),
    MEDDLER("leaves-x87-full", leaves_x87_full),
    MEDDLER("limits-memory", limits_memory),
    MEDDLER("sets-locale", sets_locale),
    MEDDLER("closes-commands", closes_commands),
    MEDDLER("replaces-results", replaces_results),
    MEDDLER("masks-signals", masks_signals),
    MEDDLER("moves", moves),
    MEDDLER("sets-umask", sets_umask),
    MEDDLER("sets-variable", sets_variable),
    MEDDLER("renices", renices),
    MEDDLER("pins", pins),
    MEDDLER("sets-timer", sets_timer),
    MEDDLER("starts-process", starts_process),
    MEDDLER("forges", forges),
    MEDDLER("works-slowly", works_slowly),
    MEDDLER("innocent", does_nothing),
    MEDDLER_WHEN_ASKED("moves-when-asked", moves_when_asked, does_nothing),
    MEDDLER_WHEN_ASKED("moves-once-when-asked", moves_once_when_asked, does_nothing),
};
enum { kCount = sizeof meddlers / sizeof *meddlers };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &meddlers[i].base;
  return &plugin;
}
