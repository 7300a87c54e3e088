// SPDX-License-Identifier: Apache-2.0
//
// Convolution by complex radix-2 transforms over all axes, channels summed before the way back. f32 throughout.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/honest/honest.h"

namespace convict::honest {
namespace {

using Complex = std::complex<float>;

/// (a + bi)(c + di) in the plain way; the library's operator adds repairs for infinities.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i k / size) for k < size / 2, correctly rounded nearly always.
std::vector<Complex> roots_of(int64_t size) {
  std::vector<Complex> roots;
  for (int64_t k = 0; k < size / 2; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    roots.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  return roots;
}

/// Decimation in time, out of place: to[k] = sum of from[j * step] * exp(-+2 pi i j k / size).
void transform_line(const Complex* from, int64_t step, Complex* to, int64_t size, const std::vector<Complex>& roots,
                    int64_t root_step, bool inverse) {
  if (size == 1) {
    *to = *from;
    return;
  }
  const int64_t half = size / 2;
  transform_line(from, 2 * step, to, half, roots, 2 * root_step, inverse);
  transform_line(from + step, 2 * step, to + half, half, roots, 2 * root_step, inverse);
  for (int64_t k = 0; k < half; ++k) {
    const Complex root = roots[static_cast<size_t>(k * root_step)];
    const Complex even = to[k], odd = product(to[k + half], inverse ? std::conj(root) : root);
    to[k] = even + odd;
    to[k + half] = even - odd;
  }
}

/// A periodic box with powers of two as extents, in row-major order.
struct Box {
  Axes extent;
  std::vector<Complex> values;

  explicit Box(const Axes& e) : extent(e), values(static_cast<size_t>(e[0] * e[1] * e[2])) {}
  Complex& at(int64_t i0, int64_t i1, int64_t i2) {
    return values[static_cast<size_t>((i0 * extent[1] + i1) * extent[2] + i2)];
  }
};

void transform(Box& box, bool inverse) {
  for (int axis = 0; axis < kAxes; ++axis) {
    const int64_t size = box.extent[axis], step = axis == 2   ? 1
                                                  : axis == 1 ? box.extent[2]
                                                              : box.extent[1] * box.extent[2];
    const std::vector<Complex> roots = roots_of(size);
    std::vector<Complex> line(static_cast<size_t>(size));
    Axes lines = box.extent;
    lines[axis] = 1;
    for (int64_t i0 = 0; i0 < lines[0]; ++i0)
      for (int64_t i1 = 0; i1 < lines[1]; ++i1)
        for (int64_t i2 = 0; i2 < lines[2]; ++i2) {
          Complex* first = &box.at(i0, i1, i2);
          transform_line(first, step, line.data(), size, roots, 1, inverse);
          for (int64_t j = 0; j < size; ++j) first[j * step] = line[static_cast<size_t>(j)];
        }
  }
}

/// Room for the linear convolution of X with the turned, dilated filter.
Axes room_for(const Trilinear<float>& f) {
  Axes extent;
  for (int axis = 0; axis < kAxes; ++axis) {
    const int64_t length = f.x_extent[axis] + f.dilation[axis] * (f.kernel[axis] - 1);
    extent[axis] = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)));
  }
  return extent;
}

/// Results of an output channel, which are a part of each value.
template <class Part>
void store(const Trilinear<float>& f, int64_t n, int64_t k, Box& sum, const Part& part) {
  const Axes room = sum.extent;
  const auto points = static_cast<float>(sum.values.size());
  for (int64_t o0 = 0; o0 < f.y_extent[0]; ++o0)
    for (int64_t o1 = 0; o1 < f.y_extent[1]; ++o1)
      for (int64_t o2 = 0; o2 < f.y_extent[2]; ++o2) {
        const Axes at = {f.x_position(0, o0, f.kernel[0] - 1), f.x_position(1, o1, f.kernel[1] - 1),
                         f.x_position(2, o2, f.kernel[2] - 1)};
        bool reached = true;  // a window that lies in the padding altogether
        for (int axis = 0; axis < kAxes; ++axis) reached &= at[axis] >= 0 && at[axis] < room[axis];
        f.y.at(n, k, o0, o1, o2) = (reached ? part(sum.at(at[0], at[1], at[2])) / points : 0) + bias_of(f, k);
      }
}

/// One plane of X.
struct Plane {
  int64_t n, channel;
};

/// Two planes as real and imaginary part, or one.
void load(const Trilinear<float>& f, Plane real, const Plane* imaginary, Box& x) {
  for (int64_t i0 = 0; i0 < f.x_extent[0]; ++i0)
    for (int64_t i1 = 0; i1 < f.x_extent[1]; ++i1)
      for (int64_t i2 = 0; i2 < f.x_extent[2]; ++i2)
        x.at(i0, i1, i2) = {f.x.at(real.n, real.channel, i0, i1, i2),
                            imaginary ? f.x.at(imaginary->n, imaginary->channel, i0, i1, i2) : 0};
}

/// The filter, turned around: tap r lies at d * (kernel - 1 - r).
void load_filter(const Trilinear<float>& f, int64_t k, int64_t c, Box& w) {
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2)
        w.at(f.dilation[0] * (f.kernel[0] - 1 - r0), f.dilation[1] * (f.kernel[1] - 1 - r1),
             f.dilation[2] * (f.kernel[2] - 1 - r2)) = f.w.at(k, c, r0, r1, r2);
}

/// An output channel of image n, and of image n + 1 if `both`, whose planes share every transform.
void compute_plane(const Trilinear<float>& f, int64_t n, int64_t k, bool both) {
  const Axes room = room_for(f);
  Box sum(room);
  for (int64_t c = 0; c < f.x_channels; ++c) {
    Box x(room), w(room);
    const Plane here = {n, k / f.y_channels * f.x_channels + c}, next = {n + 1, here.channel};
    load(f, here, both ? &next : nullptr, x);
    load_filter(f, k, c, w);
    transform(x, false);
    transform(w, false);
    for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += product(x.values[i], w.values[i]);
  }
  transform(sum, true);
  store(f, n, k, sum, [](Complex value) { return value.real(); });
  if (both) store(f, n + 1, k, sum, [](Complex value) { return value.imag(); });
}

/// The spectra of two real planes from that of the complex plane that they are the parts of.
void split(Box& both, Box& first, Box& second) {
  const auto opposite = [](int64_t i, int64_t extent) { return i == 0 ? 0 : extent - i; };
  const Axes& e = both.extent;
  for (int64_t i0 = 0; i0 < e[0]; ++i0)
    for (int64_t i1 = 0; i1 < e[1]; ++i1)
      for (int64_t i2 = 0; i2 < e[2]; ++i2) {
        const Complex here = both.at(i0, i1, i2);
        const Complex there = std::conj(both.at(opposite(i0, e[0]), opposite(i1, e[1]), opposite(i2, e[2])));
        const Complex sum = here + there, difference = here - there;
        first.at(i0, i1, i2) = {sum.real() / 2, sum.imag() / 2};
        second.at(i0, i1, i2) = {difference.imag() / 2, -difference.real() / 2};
      }
}

/// Whether output channel k + 1 is one of the same group.
bool has_second(const Trilinear<float>& f, int64_t k) { return k % f.y_channels + 1 < f.y_channels; }

/// The spectra of the filters of output channels k and k + 1, of input channel c.
void filters_of_pair(const Trilinear<float>& f, int64_t k, int64_t c, Box& first, Box& second) {
  Box both(room_for(f));
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2)
        both.at(f.dilation[0] * (f.kernel[0] - 1 - r0), f.dilation[1] * (f.kernel[1] - 1 - r1),
                f.dilation[2] * (f.kernel[2] - 1 - r2)) = {f.w.at(k, c, r0, r1, r2),
                                                           has_second(f, k) ? f.w.at(k + 1, c, r0, r1, r2) : 0};
  transform(both, false);
  split(both, first, second);
}

/// Output channels k and k + 1 of one image: their filters in one transform, and their results in one as well.
void compute_pair(const Trilinear<float>& f, int64_t n, int64_t k) {
  const Axes room = room_for(f);
  Box sum(room);
  for (int64_t c = 0; c < f.x_channels; ++c) {
    Box x(room), first(room), second(room);
    load(f, {n, k / f.y_channels * f.x_channels + c}, nullptr, x);
    transform(x, false);
    filters_of_pair(f, k, c, first, second);
    for (size_t i = 0; i < sum.values.size(); ++i) {
      const Complex a = product(x.values[i], first.values[i]), b = product(x.values[i], second.values[i]);
      sum.values[i] += Complex(a.real() - b.imag(), a.imag() + b.real());
    }
  }
  transform(sum, true);
  store(f, n, k, sum, [](Complex value) { return value.real(); });
  if (has_second(f, k)) store(f, n, k + 1, sum, [](Complex value) { return value.imag(); });
}

/// Output channel k of one image: pairs of its input channels in one transform, all others by themselves.
void compute_from_pairs(const Trilinear<float>& f, int64_t n, int64_t k) {
  const Axes room = room_for(f);
  Box sum(room);
  for (int64_t c = 0; c < f.x_channels; c += 2) {
    const bool is_pair = c + 1 < f.x_channels;
    const Plane here = {n, k / f.y_channels * f.x_channels + c}, next = {n, here.channel + 1};
    Box both(room), x[2] = {Box(room), Box(room)};
    load(f, here, is_pair ? &next : nullptr, both);
    transform(both, false);
    split(both, x[0], x[1]);
    for (int64_t i = 0; i < (is_pair ? 2 : 1); ++i) {
      Box w(room);
      load_filter(f, k, c + i, w);
      transform(w, false);
      for (size_t j = 0; j < sum.values.size(); ++j) sum.values[j] += product(x[i].values[j], w.values[j]);
    }
  }
  transform(sum, true);
  store(f, n, k, sum, [](Complex value) { return value.real(); });
}

convict_status run_from_pairs(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                              char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    for (int64_t n = 0; n < f.batch; ++n)
      for (int64_t k = 0; k < f.groups * f.y_channels; ++k) compute_from_pairs(f, n, k);
  });
}

convict_status run_pairs(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                         size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    for (int64_t n = 0; n < f.batch; ++n)
      for (int64_t g = 0; g < f.groups; ++g)
        for (int64_t k = 0; k < f.y_channels; k += 2) compute_pair(f, n, g * f.y_channels + k);
  });
}

convict_status run_images(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    for (int64_t n = 0; n < f.batch; n += 2)
      for (int64_t k = 0; k < f.groups * f.y_channels; ++k) compute_plane(f, n, k, n + 1 < f.batch);
  });
}

convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    for (int64_t n = 0; n < f.batch; ++n)
      for (int64_t k = 0; k < f.groups * f.y_channels; ++k) compute_plane(f, n, k, false);
  });
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (const char* reason = not_forward(*p, *t)) return reason;
  return t->src.dtype == CONVICT_F32 ? nullptr : "only f32";
}

constexpr convict_contract kContract = {CONVICT_FFT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};
constexpr convict_implementation named(const char* name, const char* description,
                                       decltype(convict_implementation::run) run) {
  return {name, description, "honest", kContract, unsupported, run, nullptr, nullptr, nullptr};
}
constexpr convict_implementation kFft = named("fft-radix-2", "radix-2 transforms", run);
constexpr convict_implementation kPairs =
    named("fft-pairs", "filters and results of two channels in one transform", run_pairs);
constexpr convict_implementation kImages =
    named("fft-pairs-of-images", "two images in one transform, there and back", run_images);
constexpr convict_implementation kChannels =
    named("fft-pairs-of-channels", "two input channels in one transform", run_from_pairs);
constexpr convict_implementation kUndeclared =
    named("dishonest-fft-pairs", "filters and results of two channels in one transform, undeclared", run_pairs);
constexpr const convict_implementation* kAll[] = {&kFft, &kPairs, &kImages, &kChannels, &kUndeclared};
constexpr convict_transforms kPaired = {0, 1, 0, nullptr};

}  // namespace

std::span<const convict_implementation* const> ffts() { return kAll; }

const convict_transforms* transforms_of_fft(const convict_implementation& one) {
  return &one == &kPairs || &one == &kImages || &one == &kChannels ? &kPaired : nullptr;
}

}  // namespace convict::honest
