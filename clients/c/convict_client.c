/* SPDX-License-Identifier: Apache-2.0
 *
 * A client of convict's process targets (docs/process-targets.md) in one file of C99 and POSIX: copy it, and replace
 * `refusal` and `compute`. What is here is textbook forward convolution in f32, of rank 1 to 3.
 *     cc -O2 -o client convict_client.c && convict fuzz --command ./client
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kMostDims = 5, kMostAxes = 3 };

/* ---- JSON, as far as questions need it: they are well-formed, and their keys have no escapes
 * ------------------------- */

/* The first character behind a JSON value. Questions are well-formed. */
static const char* behind(const char* value) {
  int depth = 0;
  for (; *value; ++value) {
    if (*value == '"')
      for (++value; *value != '"'; ++value) value += *value == '\\';
    if (*value == '{' || *value == '[') ++depth;
    if (*value == '}' || *value == ']') --depth;
    if (depth < 0 || (depth == 0 && (*value == ',' || *value == ':'))) return value;
  }
  return value;
}

/* The value of a key of an object, or NULL. */
static const char* value_of(const char* object, const char* key) {
  const size_t length = strlen(key);
  for (const char* at = object; *at == '{' || *at == ',';) {
    const char* name = at + 1;
    const char* colon = behind(name);
    if (*colon != ':') return NULL;
    if (strncmp(name + 1, key, length) == 0 && name[1 + length] == '"') return colon + 1;
    at = behind(colon + 1);
  }
  return NULL;
}

static int64_t number_in(const char* object, const char* key) {
  const char* value = value_of(object, key);
  return !value ? 0 : *value == 't' ? 1 : strtoll(value, NULL, 10);
}

static int text_is(const char* object, const char* key, const char* text) {
  const char* value = value_of(object, key);
  return value && strncmp(value + 1, text, strlen(text)) == 0 && value[1 + strlen(text)] == '"';
}

/* Copies a list of numbers; returns how many there are. */
static int numbers_in(const char* object, const char* key, int64_t* numbers, int most) {
  const char* at = value_of(object, key);
  int count = 0;
  while (at && *at != ']' && at[1] != ']' && count < most) numbers[count++] = strtoll(at + 1, (char**)&at, 10);
  return count;
}

typedef struct {
  int64_t groups, ic, oc, batch;
  int64_t in[kMostAxes], out[kMostAxes], kernel[kMostAxes], stride[kMostAxes], dilation[kMostAxes], pad[kMostAxes],
      pad_end[kMostAxes], more[kMostAxes]; /* output_padding, which only a transposed convolution has */
} Problem;

/* Axes that a problem lacks are 1 in front of its own. */
static Problem problem_in(const char* text) {
  Problem p = {number_in(text, "groups"),
               number_in(text, "ic"),
               number_in(text, "oc"),
               number_in(text, "batch"),
               {1, 1, 1},
               {1, 1, 1},
               {1, 1, 1},
               {1, 1, 1},
               {1, 1, 1},
               {0},
               {0},
               {0}};
  static const char* const keys[] = {"in",       "out",       "kernel",  "stride",
                                     "dilation", "pad_begin", "pad_end", "output_padding"};
  int64_t* const axes[] = {p.in, p.out, p.kernel, p.stride, p.dilation, p.pad, p.pad_end, p.more};
  const int rank = (int)number_in(text, "rank");
  for (int i = 0; i < 8; ++i) numbers_in(text, keys[i], axes[i] + kMostAxes - rank, rank);
  return p;
}

/* Why we cannot compute a problem, or NULL. It may be illegal: those have to be refused. */
static const char* refusal(const char* text) {
  const char* tensors = value_of(text, "tensors");
  if (!text_is(text, "op", "conv") || !text_is(text, "pass", "forward")) return "only conv forward";
  if (!text_is(value_of(tensors, "src"), "dtype", "f32") || !text_is(value_of(tensors, "wei"), "dtype", "f32") ||
      !text_is(value_of(tensors, "dst"), "dtype", "f32"))
    return "only f32";
  const Problem p = problem_in(text);
  if (p.groups < 1 || p.ic % p.groups != 0 || p.oc % p.groups != 0) return "groups do not divide the channels";
  for (int i = 0; i < kMostAxes; ++i) {
    if (p.out[i] < 1 || p.kernel[i] < 1 || p.stride[i] < 1 || p.dilation[i] < 1) return "an extent is not positive";
    const int64_t rest = p.in[i] + p.pad[i] + p.pad_end[i] - p.dilation[i] * (p.kernel[i] - 1) - 1;
    if (rest < 0 || p.more[i] != 0 || p.out[i] != rest / p.stride[i] + 1) return "not the output of a convolution";
  }
  return NULL;
}

typedef struct {
  float* data;
  int64_t strides[kMostDims]; /* of: image or output channel, channel, depth, height, width */
} Tensor;

static Tensor tensor_in(const char* tensors, const char* name, unsigned char* file) {
  const char* text = value_of(tensors, name);
  Tensor t = {NULL, {0, 0, 0, 0, 0}};
  if (!text) return t;
  int64_t strides[kMostDims];
  const int count = numbers_in(text, "strides", strides, kMostDims);
  t.data = (float*)(file + number_in(text, "at"));
  for (int i = 0; i < count; ++i) t.strides[i < 2 ? i : kMostDims - count + i] = strides[i];
  return t;
}

static float* element(const Tensor* t, int64_t a, int64_t b, int64_t z, int64_t y, int64_t x) {
  const int64_t* s = t->strides;
  return t->data + a * s[0] + b * s[1] + z * s[2] + y * s[3] + x * s[4];
}

/* One output; taps in the padding are skipped. */
static float sum_of(const Problem* p, const Tensor* src, const Tensor* wei, const int64_t* o, int64_t n, int64_t k) {
  const int64_t channels = p->ic / p->groups, first = k / (p->oc / p->groups) * channels;
  float sum = 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t z = 0; z < p->kernel[0]; ++z)
      for (int64_t y = 0; y < p->kernel[1]; ++y)
        for (int64_t x = 0; x < p->kernel[2]; ++x) {
          const int64_t r[] = {z, y, x};
          int64_t i[kMostAxes];
          int inside = 1;
          for (int axis = 0; axis < kMostAxes; ++axis) {
            i[axis] = o[axis] * p->stride[axis] - p->pad[axis] + r[axis] * p->dilation[axis];
            inside &= i[axis] >= 0 && i[axis] < p->in[axis];
          }
          if (inside) sum += *element(src, n, first + c, i[0], i[1], i[2]) * *element(wei, k, c, z, y, x);
        }
  return sum;
}

static void compute(const char* text, unsigned char* file) {
  const Problem p = problem_in(text);
  const char* tensors = value_of(text, "tensors");
  const Tensor src = tensor_in(tensors, "src", file), wei = tensor_in(tensors, "wei", file),
               bias = tensor_in(tensors, "bias", file), dst = tensor_in(tensors, "dst", file);
  int64_t o[kMostAxes];
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t k = 0; k < p.oc; ++k)
      for (o[0] = 0; o[0] < p.out[0]; ++o[0])
        for (o[1] = 0; o[1] < p.out[1]; ++o[1])
          for (o[2] = 0; o[2] < p.out[2]; ++o[2])
            *element(&dst, n, k, o[0], o[1], o[2]) =
                sum_of(&p, &src, &wei, o, n, k) + (bias.data ? *element(&bias, k, 0, 0, 0, 0) : 0);
}

static const char kHello[] =
    "\"hello\":{\"protocol\":1,\"version\":\"1.0\",\"implementations\":[{\"name\":\"textbook-c\",\"description\":"
    "\"textbook loops in C\",\"lineage\":\"textbook-c\",\"batch\":32,\"contract\":{\"algorithm\":\"direct\","
    "\"min_accumulator\":\"f32\",\"summation\":\"fixed_order\",\"deterministic\":true}}]}";

int main(void) {
  char* line = NULL;
  size_t capacity = 0, mapped = 0;
  int descriptor = -1;
  unsigned char* file = NULL;
  while (getline(&line, &capacity, stdin) > 0) {
    const char* ask = value_of(line, "ask"); /* a key that is absent costs a look at the whole line */
    const char* run = ask ? NULL : value_of(line, "run");
    const char* hello = ask || run ? NULL : value_of(line, "hello");
    printf("{\"id\":%lld,", (long long)number_in(line, "id"));
    if (hello) descriptor = (int)number_in(hello, "file");
    if (run && mapped < (size_t)number_in(line, "file_bytes")) { /* the file has grown */
      if (file) munmap(file, mapped);
      mapped = (size_t)number_in(line, "file_bytes");
      file = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (file == MAP_FAILED) return perror("mmap"), 1;
    }
    if (hello) fputs(kHello, stdout);
    if (!hello) printf("\"%s\":", ask ? "ask" : "run");
    for (const char* at = ask ? ask : run; at && (*at == '[' || *at == ','); at = behind(at + 1)) {
      const char* why = ask ? refusal(at + 1) : NULL;
      if (run) compute(at + 1, file);
      printf(why ? "%c\"%s\"" : "%c%s", *at, why ? why : ask ? "null" : "\"ok\"");
    }
    puts(hello ? "}" : "]}");
    fflush(stdout);
  }
  return 0;
}
