/* SPDX-License-Identifier: Apache-2.0
 *
 * One implementation for each way in which a library ruins the day of the program that loaded it.
 * All accept every problem, write zeros as their answer, and do the one thing they are named after.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/convict.h"
#include "events.h"

/* What every `run` gets, by names short enough to repeat them. */
#define RUN(name)                                                                                                    \
  static convict_status name(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, \
                             char* error, size_t error_size)
#define UNUSED ((void)self, (void)p, (void)t, (void)error, (void)error_size)

/* ---- Helpers ----------------------------------------------------------------------------------------------------- */

static const convict_tensor* output_of(const convict_problem* p, const convict_tensors* t) {
  if (p->pass == CONVICT_BACKWARD_DATA) return &t->diff_src;
  return p->pass == CONVICT_BACKWARD_WEIGHTS ? &t->diff_wei : &t->dst;
}

/* src, or diff_dst where the pass has no src. */
static const convict_tensor* input_of(const convict_problem* p, const convict_tensors* t) {
  return p->pass == CONVICT_BACKWARD_DATA ? &t->diff_dst : &t->src;
}

static size_t element_size(const convict_tensor* tensor) {
  switch (tensor->dtype) {
    case CONVICT_S64:
    case CONVICT_F64: return 8;
    case CONVICT_S16:
    case CONVICT_F16:
    case CONVICT_BF16: return 2;
    case CONVICT_S8:
    case CONVICT_U8: return 1;
    case CONVICT_F32:
    case CONVICT_S32: break;
  }
  return 4;
}

/* The tensors of convict are dense in some order, so bytes are enough for those who do not care what they compute. */
static size_t bytes(const convict_tensor* tensor) {
  size_t size = tensor->ndim == 0 ? 0 : element_size(tensor);
  for (int i = 0; i < tensor->ndim; ++i) size *= (size_t)tensor->dims[i];
  return size;
}

static void write_zeros(const convict_problem* p, const convict_tensors* t) {
  const convict_tensor* output = output_of(p, t);
  memset(output->data, 0, bytes(output));
  if (t->diff_bias.ndim != 0) memset(t->diff_bias.data, 0, bytes(&t->diff_bias));
}

/* Where no compiler can prove what we are up to. */
static int* volatile nowhere = NULL;
static void* volatile kept;

/* ---- What ends or stalls the process ------------------------------------------------------------------------------
 */

RUN(crashes) {
  UNUSED;
  write_zeros(p, t);
  *nowhere = 1;
  return CONVICT_OK;
}

RUN(crashes_on_three) {
  UNUSED;
  write_zeros(p, t);
  if (p->oc == 3) *nowhere = 1;
  return CONVICT_OK;
}

RUN(aborts_on_three) {
  UNUSED;
  write_zeros(p, t);
  if (p->oc == 3) abort();
  return CONVICT_OK;
}

RUN(hangs) {
  UNUSED;
  tell();
  while (pause() != 0) continue;
  return CONVICT_OK;
}

RUN(stops) {
  UNUSED;
  raise(SIGSTOP);
  return CONVICT_OK;
}

static void* sleeps_on(void* nothing) {
  while (pause() != 0) continue;
  return nothing;
}

/* With another thread alive, the process goes on without this one. */
RUN(ends_its_thread) {
  pthread_t other;
  UNUSED;
  if (pthread_create(&other, NULL, sleeps_on, NULL) == 0) pthread_exit(NULL);
  return CONVICT_FAILED;
}

RUN(eats_memory) {
  const size_t step = (size_t)16 << 20;
  UNUSED;
  for (;;) {
    kept = malloc(step);
    if (!kept) return CONVICT_OUT_OF_MEMORY;
    memset(kept, 1, step);
  }
}

RUN(exits) {
  UNUSED;
  _exit(3);
}

RUN(aborts) {
  UNUSED;
  fputs("last words of a plugin\n", stderr);
  abort();
}

/* It refuses afterwards, so that its only trace is what others stumble over later. */
RUN(corrupts_heap) {
  UNUSED;
  kept = malloc(24);
  if (kept) memset(kept, 0x5a, 24 + 4096);
  return CONVICT_REFUSED;
}

/* ---- What touches memory that is not its own ----------------------------------------------------------------------
 */

RUN(overruns) {
  const convict_tensor* output = output_of(p, t);
  UNUSED;
  write_zeros(p, t);
  memset((char*)output->data + bytes(output), 0, element_size(output));
  return CONVICT_OK;
}

RUN(underruns) {
  const convict_tensor* output = output_of(p, t);
  UNUSED;
  write_zeros(p, t);
  memset((char*)output->data - element_size(output), 0, element_size(output));
  return CONVICT_OK;
}

RUN(reads_outside) {
  const convict_tensor* input = input_of(p, t);
  const volatile char* behind = (const volatile char*)input->data + bytes(input);
  UNUSED;
  write_zeros(p, t);
  for (size_t i = 0; i < 4096; i += element_size(input)) (void)behind[i]; /* a page that nobody gave it */
  return CONVICT_OK;
}

RUN(writes_input) {
  const convict_tensor* input = input_of(p, t);
  UNUSED;
  write_zeros(p, t);
  memset(input->data, 0, bytes(input));
  return CONVICT_OK;
}

RUN(leaves_holes) {
  const convict_tensor* output = output_of(p, t);
  UNUSED;
  if (t->diff_bias.ndim != 0) memset(t->diff_bias.data, 0, bytes(&t->diff_bias));
  if (bytes(output) > 0) memset(output->data, 0, bytes(output) - element_size(output));
  return CONVICT_OK;
}

/* ---- What says something odd --------------------------------------------------------------------------------------
 */

RUN(wrong_shape) {
  UNUSED;
  snprintf(error, error_size, "my output has one row less");
  return CONVICT_WRONG_SHAPE;
}

RUN(fails) {
  UNUSED;
  snprintf(error, error_size, "could not create a primitive");
  return CONVICT_FAILED;
}

RUN(out_of_memory) {
  UNUSED;
  snprintf(error, error_size, "no workspace");
  return CONVICT_OUT_OF_MEMORY;
}

/* Legal or not, it is all the same to this one. */
RUN(accepts_anything) {
  UNUSED;
  write_zeros(p, t);
  return CONVICT_OK;
}

RUN(chatty) {
  UNUSED;
  return CONVICT_REFUSED;
}

static const char* accept(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  (void)self;
  (void)p;
  (void)t;
  return NULL;
}

static const char* chat_and_refuse(const convict_implementation* self, const convict_problem* p,
                                   const convict_tensors* t) {
  (void)self;
  (void)p;
  (void)t;
  puts("{\"done\":1} says a library that believes it is a program of its own");
  fflush(stdout);
  return "it only talks";
}

/* ---- The plugin ---------------------------------------------------------------------------------------------------
 */

#define IMPLEMENTATION(name, description, unsupported, run)                                                            \
  {                                                                                                                    \
    name, description, "faulty", {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 1, 1}, unsupported, \
        run, NULL, NULL, NULL                                                                                          \
  }

static const convict_implementation faulty[] = {
    IMPLEMENTATION("crashes", "writes to address 0", accept, crashes),
    IMPLEMENTATION("crashes-on-three", "writes to address 0 if there are three output channels", accept,
                   crashes_on_three),
    IMPLEMENTATION("aborts-on-three", "calls abort() if there are three output channels", accept, aborts_on_three),
    IMPLEMENTATION("hangs", "never returns", accept, hangs),
    IMPLEMENTATION("stops", "stops its process", accept, stops),
    IMPLEMENTATION("ends-its-thread", "ends the thread that called it", accept, ends_its_thread),
    IMPLEMENTATION("eats-memory", "allocates for ever", accept, eats_memory),
    IMPLEMENTATION("exits", "calls _exit(3)", accept, exits),
    IMPLEMENTATION("aborts", "calls abort() with last words", accept, aborts),
    IMPLEMENTATION("corrupts-heap", "writes 4096 bytes behind an allocation, then refuses", accept, corrupts_heap),
    IMPLEMENTATION("overruns", "writes one element behind its output", accept, overruns),
    IMPLEMENTATION("underruns", "writes one element before its output", accept, underruns),
    IMPLEMENTATION("reads-outside", "reads a page behind its input", accept, reads_outside),
    IMPLEMENTATION("writes-input", "zeroes its input", accept, writes_input),
    IMPLEMENTATION("leaves-holes", "does not write the last element", accept, leaves_holes),
    IMPLEMENTATION("wrong-shape", "wants another output extent", accept, wrong_shape),
    IMPLEMENTATION("fails", "fails at work", accept, fails),
    IMPLEMENTATION("out-of-memory", "says that there is no memory", accept, out_of_memory),
    IMPLEMENTATION("accepts-anything", "computes zeros, even for what is not legal", accept, accepts_anything),
    IMPLEMENTATION("chatty", "prints to stdout and refuses", chat_and_refuse, chatty),
};
enum { kCount = sizeof faulty / sizeof *faulty };

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_implementation* all[kCount];
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.0", kCount, all};
  for (int i = 0; i < kCount; ++i) all[i] = &faulty[i];
  return &plugin;
}
