// A kernel on trial: forward conv2d in f32. Replace `run`, and say in `unsupported` what it does not compute.
#include <convict/convict.h>

// Why a problem cannot be computed here, or nullptr. Problems that no convolution has come, too, and have to be
// refused.
static const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (p->op != CONVICT_CONV || p->pass != CONVICT_FORWARD || p->rank != 2) return "only conv2d forward";
  if (t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32) return "only f32";
  if (p->groups < 1 || p->ic % p->groups != 0 || p->oc % p->groups != 0) return "groups do not divide the channels";
  for (int i = 0; i < p->rank; ++i) {
    if (p->kernel[i] < 1 || p->stride[i] < 1 || p->dilation[i] < 1 || p->output_padding[i] != 0) return "not legal";
    const int64_t rest = p->in[i] + p->pad_begin[i] + p->pad_end[i] - p->dilation[i] * (p->kernel[i] - 1) - 1;
    if (rest < 0 || p->out[i] != rest / p->stride[i] + 1) return "not legal";
  }
  return nullptr;
}

static float* at(const convict_tensor& t, int64_t a, int64_t b, int64_t y, int64_t x) {
  return static_cast<float*>(t.data) + a * t.strides[0] + b * t.strides[1] + y * t.strides[2] + x * t.strides[3];
}

// One output; taps in the padding are skipped.
static float sum_of(const convict_problem* p, const convict_tensors* t, int64_t n, int64_t k, int64_t oy, int64_t ox) {
  const int64_t channels = p->ic / p->groups, first = k / (p->oc / p->groups) * channels;
  float sum = 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t r = 0; r < p->kernel[0]; ++r)
      for (int64_t s = 0; s < p->kernel[1]; ++s) {
        const int64_t y = oy * p->stride[0] - p->pad_begin[0] + r * p->dilation[0];
        const int64_t x = ox * p->stride[1] - p->pad_begin[1] + s * p->dilation[1];
        if (y < 0 || y >= p->in[0] || x < 0 || x >= p->in[1]) continue;
        sum += *at(t->src, n, first + c, y, x) * *at(t->wei, k, c, r, s);
      }
  return sum;
}

static convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char*,
                          size_t) {
  const float* bias = static_cast<const float*>(t->bias.data);
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t k = 0; k < p->oc; ++k)
      for (int64_t y = 0; y < p->out[0]; ++y)
        for (int64_t x = 0; x < p->out[1]; ++x)
          *at(t->dst, n, k, y, x) = sum_of(p, t, n, k, y, x) + (bias ? bias[k * t->bias.strides[0]] : 0);
  return CONVICT_OK;
}

static const convict_implementation mine = {
    "mine",      "textbook loops",
    "mine",      {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0},
    unsupported, run,
    nullptr,     nullptr,
    nullptr};
static const convict_implementation* const all[] = {&mine};
static const convict_plugin plugin = {CONVICT_ABI_VERSION, "0.1", 1, all};

extern "C" const convict_plugin* convict_plugin_v1() { return &plugin; }
