/* SPDX-License-Identifier: Apache-2.0
 *
 * A client of convict's process targets (docs/process-targets.md) in one file of C99 and POSIX: textbook forward
 * convolution in f32, of rank 1 to 3. Copy it, and replace `refusal` and `compute`.
 *     cc -O2 -o client convict_client.c && convict fuzz --command ./client
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMostDims = 5, kMostAxes = 3 };

/* The first character behind a JSON value. Questions are well-formed, and their keys have no escapes. */
static const char* behind(const char* value) {
  int depth = 0;
  for (; *value; ++value) {
    if (*value == '"')
      for (++value; *value != '"'; ++value) value += *value == '\\';
    depth += (*value == '{' || *value == '[') - (*value == '}' || *value == ']');
    if (depth < 0 || (depth == 0 && *value == ',')) return value;
  }
  return value;
}

typedef struct {
  const char *key, *value;
} Pair;

/* Goes to the next pair of an object, or to the first one. Pairs are read in one go, for lines are long. */
static int next(Pair* pair, const char* object) {
  const char* at = pair->value ? behind(pair->value) : object;
  if ((*at != '{' && *at != ',') || at[1] != '"') return 0;
  pair->key = at + 2;
  pair->value = strchr(pair->key, '"') + 2;
  return 1;
}

/* Whether a key or a word, seen from its first letter, is this one. */
static int is(const char* at, const char* word) {
  const size_t length = strlen(word);
  return strncmp(at, word, length) == 0 && at[length] == '"';
}

/* The value of a key of an object, or NULL. */
static const char* value_of(const char* object, const char* key) {
  Pair pair = {NULL, NULL};
  while (next(&pair, object))
    if (is(pair.key, key)) return pair.value;
  return NULL;
}

static int64_t number_in(const char* object, const char* key) { return strtoll(value_of(object, key), NULL, 10); }

/* Copies a list of numbers; returns how many there are. */
static int numbers_at(const char* list, int64_t* numbers, int most) {
  int count = 0;
  while (*list != ']' && list[1] != ']' && count < most) numbers[count++] = strtoll(list + 1, (char**)&list, 10);
  return count;
}

typedef struct {
  int64_t groups, ic, oc, batch;
  int64_t in[kMostAxes], out[kMostAxes], kernel[kMostAxes], stride[kMostAxes], dilation[kMostAxes], pad[kMostAxes],
      pad_end[kMostAxes], more[kMostAxes]; /* output_padding, which only a transposed convolution has */
} Problem;

/* Axes that a problem lacks are 1 in front of its own. */
static Problem problem_in(const char* text) {
  Problem p = {1, 0, 0, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0}, {0}, {0}};
  const struct {
    const char* key;
    int64_t* to;
  } fields[] = {{"groups", &p.groups}, {"ic", &p.ic},          {"oc", &p.oc},
                {"batch", &p.batch},   {"in", p.in},           {"out", p.out},
                {"kernel", p.kernel},  {"stride", p.stride},   {"dilation", p.dilation},
                {"pad_begin", p.pad},  {"pad_end", p.pad_end}, {"output_padding", p.more}};
  for (Pair pair = {NULL, NULL}; next(&pair, text);)
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
      if (!is(pair.key, fields[i].key)) continue;
      int64_t own[kMostAxes];
      const int list = *pair.value == '[', count = numbers_at(pair.value - !list, own, list ? kMostAxes : 1);
      memcpy(fields[i].to + (list ? kMostAxes - count : 0), own, (size_t)count * sizeof *own);
    }
  return p;
}

/* Why we cannot compute a problem, or NULL. It may be illegal: those have to be refused. */
static const char* refusal(const char* text) {
  const char* tensors = value_of(text, "tensors");
  if (!is(value_of(text, "op") + 1, "conv") || !is(value_of(text, "pass") + 1, "forward")) return "only conv forward";
  if (!is(value_of(value_of(tensors, "src"), "dtype") + 1, "f32") ||
      !is(value_of(value_of(tensors, "wei"), "dtype") + 1, "f32") ||
      !is(value_of(value_of(tensors, "dst"), "dtype") + 1, "f32"))
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
  const int count = numbers_at(value_of(text, "strides"), strides, kMostDims);
  t.data = (float*)(file + number_in(text, "at"));
  for (int i = 0; i < count; ++i) t.strides[i < 2 ? i : kMostDims - count + i] = strides[i];
  return t;
}

static float* element(const Tensor* t, int64_t a, int64_t b, int64_t z, int64_t y, int64_t x) {
  const int64_t* s = t->strides;
  return t->data + a * s[0] + b * s[1] + z * s[2] + y * s[3] + x * s[4];
}

/* Where tap r of output o reads along an axis; negative if that is in the padding. */
static int64_t position(const Problem* p, int axis, int64_t o, int64_t r) {
  const int64_t i = o * p->stride[axis] - p->pad[axis] + r * p->dilation[axis];
  return i < p->in[axis] ? i : -1;
}

/* One output; taps in the padding are skipped. */
static float sum_of(const Problem* p, const Tensor* src, const Tensor* wei, const int64_t* o, int64_t n, int64_t k) {
  const int64_t channels = p->ic / p->groups, first = k / (p->oc / p->groups) * channels;
  float sum = 0;
  for (int64_t z = 0; z < p->kernel[0]; ++z)
    for (int64_t y = 0; y < p->kernel[1]; ++y)
      for (int64_t x = 0; x < p->kernel[2]; ++x) {
        const int64_t d = position(p, 0, o[0], z), h = position(p, 1, o[1], y), w = position(p, 2, o[2], x);
        for (int64_t c = 0; d >= 0 && h >= 0 && w >= 0 && c < channels; ++c)
          sum += *element(src, n, first + c, d, h, w) * *element(wei, k, c, z, y, x);
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
    "{\"protocol\":1,\"version\":\"1.0\",\"forks\":true,\"implementations\":[{\"name\":\"textbook-c\",\"description\":"
    "\"textbook loops in C\",\"lineage\":\"textbook-c\",\"batch\":32,\"contract\":{\"algorithm\":\"direct\","
    "\"min_accumulator\":\"f32\",\"summation\":\"fixed_order\",\"deterministic\":true}}]}}";

/* Forks a process for each message of the socket, and returns in each of them. Its stdin, stdout, stderr and file are
 * the four descriptors of the message. It pays where main() would load something that takes long, before the first
 * line. */
static void wait_for_forks(int requests) {
  int descriptors[4];
  char byte, control[CMSG_SPACE(sizeof descriptors)] __attribute__((aligned(sizeof(size_t))));
  struct iovec content = {&byte, 1};
  for (;;) {
    struct msghdr message = {NULL, 0, &content, 1, control, sizeof control, 0};
    if (recvmsg(requests, &message, 0) != 1) exit(0); /* convict has ended */
    memcpy(descriptors, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptors);
    const pid_t between = fork();
    if (between == 0) {
      if (fork() != 0) _exit(0); /* so that convict becomes the parent of the new process, and sees how it ends */
      const pid_t self = setsid();
      send(requests, &self, sizeof self, 0);
      for (int i = 0; i < 4; ++i) dup2(descriptors[i], i), close(descriptors[i]);
      close(requests);
      return;
    }
    for (int i = 0; i < 4; ++i) close(descriptors[i]);
    waitpid(between, NULL, 0);
  }
}

int main(void) {
  char* line = NULL;
  size_t capacity = 0, mapped = 0;
  int descriptor = -1;
  unsigned char* file = NULL;
  while (getline(&line, &capacity, stdin) > 0) {
    Pair what = {NULL, NULL}; /* the question: the first pair that is one of these */
    while (next(&what, line) && !is(what.key, "hello") && !is(what.key, "ask") && !is(what.key, "run") &&
           !is(what.key, "fork"))
      continue;
    if (is(what.key, "fork")) {
      printf("{\"id\":%lld,\"fork\":true}\n", (long long)number_in(line, "id"));
      fflush(stdout);
      wait_for_forks((int)number_in(what.value, "socket"));
      continue;
    }
    const int ask = is(what.key, "ask"), run = is(what.key, "run");
    printf("{\"id\":%lld,\"%s\":", (long long)number_in(line, "id"), ask ? "ask" : run ? "run" : "hello");
    if (run && mapped < (size_t)number_in(line, "file_bytes")) { /* the file has grown */
      if (file) munmap(file, mapped);
      mapped = (size_t)number_in(line, "file_bytes");
      file = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (file == MAP_FAILED) return perror("mmap"), 1;
    }
    if (!ask && !run) {
      descriptor = (int)number_in(what.value, "file");
      puts(kHello);
    } else {
      for (const char* at = what.value; *at == '[' || *at == ','; at = behind(at + 1)) {
        const char* why = ask ? refusal(at + 1) : NULL;
        if (run) compute(at + 1, file);
        printf(why ? "%c\"%s\"" : "%c%s", *at, why ? why : ask ? "null" : "\"ok\"");
      }
      puts("]}");
    }
    fflush(stdout);
  }
  return 0;
}
