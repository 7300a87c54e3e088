/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that counts how often it is loaded, by a byte in the file $CONVICT_TEST_LOADS, and that keeps what
 * $CONVICT_TEST_KEEPS names: something that a forked process does not have, or has together with others. Its kernel
 * uses that, and then dies of every case.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/convict.h"

static sem_t asked, answered;
static int has_thread;

static void* answer(void* nothing) {
  while (sem_wait(&asked) == 0) sem_post(&answered);
  return nothing;
}

static void keep(const char* what) {
  static pthread_t thread;
  if (strcmp(what, "thread") == 0) {
    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    has_thread = pthread_create(&thread, NULL, answer, NULL) == 0;
  } else if (strcmp(what, "file") == 0) {
    if (open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0) abort();
  } else if (strcmp(what, "memory") == 0) {
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) abort();
  }
}

__attribute__((constructor)) static void count(void) {
  const char* const path = getenv("CONVICT_TEST_LOADS");
  const char* const kept = getenv("CONVICT_TEST_KEEPS");
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file >= 0 && write(file, "x", 1) != 1) abort();
  if (file >= 0) close(file);
  if (kept) keep(kept);
}

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
  if (has_thread) {
    sem_post(&asked);
    sem_wait(&answered);
  }
  abort();
}

static const convict_implementation loads = {
    "loads",     "dies of every case",
    "loads",     {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_ANY_ORDER, 0, 0, 0},
    unsupported, run,
    NULL,        NULL,
    NULL};

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* const all[] = {&loads};
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", 1, all};
  return &plugin;
}
