/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that is right in a program which loads it and calls it in one process. It keeps what $CONVICT_TEST_KEEPS
 * names: something that a copy of the process does not have, or memory of which it touches little.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define convict_plugin_v1 guilty_plugin_v1
#include "guilty.c"
#undef convict_plugin_v1

static const size_t kScratch = 1 << 16, kArena = (size_t)1 << 30; /* bytes */
static long loader;                                               /* the thread that is to call, if any */
static unsigned char* scratch;                                    /* of ones, if any */
static int has_late_arena;
static void* volatile arena;

static void take_arena(void) {
  arena = malloc(kArena);
  if (arena) ((volatile char*)arena)[kArena / 2] = 1;
}

static void take_scratch(int advice) {
  scratch = mmap(NULL, kScratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED || madvise(scratch, kScratch, advice) != 0) abort();
  memset(scratch, 1, kScratch);
}

__attribute__((constructor)) static void keep(void) {
  const char* const what = getenv("CONVICT_TEST_KEEPS");
  if (!what) return;
  if (strcmp(what, "thread") == 0) loader = syscall(SYS_gettid);
  if (strcmp(what, "memory-not-forked") == 0) take_scratch(MADV_DONTFORK);
  if (strcmp(what, "memory-wiped-in-forks") == 0) take_scratch(MADV_WIPEONFORK);
  if (strcmp(what, "arena") == 0) take_arena();
  has_late_arena = strcmp(what, "late-arena") == 0;
}

static const char* only_conv(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  return p->op == CONVICT_CONV_TRANSPOSE ? "only conv" : unsupported(self, p, t);
}

static convict_status careful(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  if (loader && syscall(SYS_gettid) != loader) return CONVICT_FAILED;
  if (scratch && *(volatile unsigned char*)scratch != 1) return CONVICT_FAILED;
  if (has_late_arena && !arena) take_arena();
  return run(self, p, t, error, error_size);
}

static const convict_implementation minds_copies = {
    "minds-copies", "right in the process that has loaded it",
    "minds-copies", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    only_conv,      careful,
    NULL,           NULL,
    NULL};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&minds_copies};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};
  return &plugin;
}
