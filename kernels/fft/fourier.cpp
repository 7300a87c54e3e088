// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/fourier.h"

#include <bit>

#include "kernels/fft/roots_of_unity.h"
#define HWY_TARGET_INCLUDE "kernels/fft/fourier.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::fft::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr int64_t kLanes = HWY_LANES(float);
constexpr int kRootsOfButterfly = 6;  // three complex roots

struct Complex {
  V re, im;
};

HWY_INLINE Complex Load(const float* at) { return {hn::LoadU(D(), at), hn::LoadU(D(), at + kLanes)}; }
HWY_INLINE void Store(Complex value, float* at) {
  hn::StoreU(value.re, D(), at);
  hn::StoreU(value.im, D(), at + kLanes);
}
HWY_INLINE Complex Root(const float* root) { return {hn::Set(D(), root[0]), hn::Set(D(), root[1])}; }
HWY_INLINE Complex Add(Complex a, Complex b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
HWY_INLINE Complex Sub(Complex a, Complex b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
HWY_INLINE Complex Conjugate(Complex a) { return {a.re, hn::Neg(a.im)}; }

/// a + i*b and a - i*b.
HWY_INLINE Complex AddTurned(Complex a, Complex b) { return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)}; }
HWY_INLINE Complex SubTurned(Complex a, Complex b) { return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)}; }

HWY_INLINE Complex Mul(Complex a, Complex b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::MulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}
/// a times the conjugate of b.
HWY_INLINE Complex MulConjugate(Complex a, Complex b) {
  return {hn::MulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::NegMulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}

/// Two levels of decimation in frequency of a block of 4q points, at its point j. With j = 0 all roots are 1.
template <bool kFirst>
HWY_INLINE void ForwardButterfly(const float* roots, float* at, int64_t quarter) {
  const Complex x0 = Load(at), x1 = Load(at + quarter), x2 = Load(at + 2 * quarter), x3 = Load(at + 3 * quarter);
  const Complex s0 = Add(x0, x2), s1 = Add(x1, x3), d0 = Sub(x0, x2), d1 = Sub(x1, x3);
  Complex y1 = Sub(s0, s1), y2 = SubTurned(d0, d1), y3 = AddTurned(d0, d1);
  if (!kFirst) {
    y1 = Mul(y1, Root(roots + 2));
    y2 = Mul(y2, Root(roots));
    y3 = Mul(y3, Root(roots + 4));
  }
  Store(Add(s0, s1), at);
  Store(y1, at + quarter);
  Store(y2, at + 2 * quarter);
  Store(y3, at + 3 * quarter);
}

/// The inverse, times 4.
template <bool kFirst>
HWY_INLINE void BackwardButterfly(const float* roots, float* at, int64_t quarter) {
  const Complex y0 = Load(at);
  Complex y1 = Load(at + quarter), y2 = Load(at + 2 * quarter), y3 = Load(at + 3 * quarter);
  if (!kFirst) {
    y1 = MulConjugate(y1, Root(roots + 2));
    y2 = MulConjugate(y2, Root(roots));
    y3 = MulConjugate(y3, Root(roots + 4));
  }
  const Complex s0 = Add(y0, y1), s1 = Sub(y0, y1), d0 = Add(y2, y3), d1 = Sub(y2, y3);
  Store(Add(s0, d0), at);
  Store(AddTurned(s1, d1), at + quarter);
  Store(Sub(s0, d0), at + 2 * quarter);
  Store(SubTurned(s1, d1), at + 3 * quarter);
}

/// The last level of a size that is no power of four: pairs of neighbours.
void Pairs(int64_t size, float* line, int64_t step) {
  for (int64_t i = 0; i < size; i += 2, line += 2 * step) {
    const Complex a = Load(line), b = Load(line + step);
    Store(Add(a, b), line);
    Store(Sub(a, b), line + step);
  }
}

void Forward(int64_t size, const float* roots, float* line, int64_t step) {
  int64_t block = size;
  for (; block >= 4; block /= 4) {
    const int64_t quarter = block / 4;
    for (int64_t first = 0; first < size; first += block) {
      float* at = line + first * step;
      ForwardButterfly<true>(roots, at, quarter * step);
      for (int64_t j = 1; j < quarter; ++j)
        ForwardButterfly<false>(roots + j * kRootsOfButterfly, at + j * step, quarter * step);
    }
    roots += quarter * kRootsOfButterfly;
  }
  if (block == 2) Pairs(size, line, step);
}

void Backward(int64_t size, const float* roots, float* line, int64_t step) {
  const bool odd = std::countr_zero(static_cast<uint64_t>(size)) % 2 != 0;
  if (odd) Pairs(size, line, step);
  roots += count_line_roots(size);
  for (int64_t block = odd ? 8 : 4; block <= size; block *= 4) {
    const int64_t quarter = block / 4;
    roots -= quarter * kRootsOfButterfly;
    for (int64_t first = 0; first < size; first += block) {
      float* at = line + first * step;
      BackwardButterfly<true>(roots, at, quarter * step);
      for (int64_t j = 1; j < quarter; ++j)
        BackwardButterfly<false>(roots + j * kRootsOfButterfly, at + j * step, quarter * step);
    }
  }
}

/// The places of frequencies k and half - k, for k = 1, 2, ...: counting with reversed bits.
class MirroredPlaces {
 public:
  explicit MirroredPlaces(int64_t half) : half_(half) { Advance(); }
  int64_t First() const { return first_; }
  int64_t Mirrored() const { return mirrored_; }
  void Advance() {
    mirrored_ = half_ - 1 - first_;  // (half - 1) - (k - 1), all bits of which are the other way round
    int64_t bit = half_ / 2;
    for (; (first_ & bit) != 0; bit /= 2) first_ -= bit;
    first_ += bit;
  }

 private:
  int64_t half_, first_ = 0, mirrored_ = 0;
};

void Split(int64_t size, const float* roots, float* line) {
  const int64_t half = size / 2;
  const V one_half = hn::Set(D(), 0.5f), zero = hn::Zero(D());
  const Complex z = Load(line);
  Store({hn::Add(z.re, z.im), zero}, line);
  Store({hn::Sub(z.re, z.im), zero}, line + half * 2 * kLanes);
  MirroredPlaces places(half);
  for (int64_t k = 1; 2 * k <= half; ++k, places.Advance()) {
    float *at = line + places.First() * 2 * kLanes, *mirrored = line + places.Mirrored() * 2 * kLanes;
    const Complex a = Load(at), b = Conjugate(Load(mirrored));
    const Complex sum = Add(a, b), difference = Sub(a, b);
    const Complex even = {hn::Mul(one_half, sum.re), hn::Mul(one_half, sum.im)};
    const Complex odd = Mul(difference, Root(roots + 2 * k));  // of roots / (2i)
    Store(Add(even, odd), at);
    Store(Conjugate(Sub(even, odd)), mirrored);
  }
}

void Join(int64_t size, const float* roots, float factor, float* line) {
  const int64_t half = size / 2;
  const V one = hn::Set(D(), factor), two = hn::Set(D(), 2 * factor);
  const V first = hn::Mul(one, hn::LoadU(D(), line)), last = hn::Mul(one, hn::LoadU(D(), line + half * 2 * kLanes));
  Store({hn::Add(first, last), hn::Sub(first, last)}, line);
  MirroredPlaces places(half);
  for (int64_t k = 1; 2 * k <= half; ++k, places.Advance()) {
    float *at = line + places.First() * 2 * kLanes, *mirrored = line + places.Mirrored() * 2 * kLanes;
    const Complex a = Load(at), b = Conjugate(Load(mirrored));
    const Complex sum = Add(a, b), difference = Sub(a, b);
    const Complex even = {hn::Mul(one, sum.re), hn::Mul(one, sum.im)};
    const Complex odd = MulConjugate({hn::Mul(two, difference.re), hn::Mul(two, difference.im)}, Root(roots + 2 * k));
    Store(Add(even, odd), at);
    Store(Conjugate(Sub(even, odd)), mirrored);
  }
}

void Copy(int64_t frequencies, const SpectrumPlace<const float>& from, const SpectrumPlace<float>& to) {
  const D d;
  for (int64_t f = 0; f < frequencies; ++f) {
    const float* read = from.data + f * from.frequency;
    float* write = to.data + f * to.frequency;
    const V re = hn::LoadU(d, read), im = hn::LoadU(d, read + from.imaginary);
    hn::StoreU(re, d, write);
    hn::StoreU(im, d, write + to.imaginary);
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kRows = 6;
#else
constexpr int kRows = 2;
#endif
constexpr int kColumns = 2;  // complex vectors

/// One element of a: a number for all lanes, or one for each.
template <bool kVectors>
HWY_INLINE Complex Element(const float* at, int64_t imaginary) {
  if (kVectors) return {hn::LoadU(D(), at), hn::LoadU(D(), at + imaginary)};
  return {hn::Set(D(), *at), hn::Set(D(), at[imaginary])};
}

template <bool kVectors, bool kConjugate, int kTileRows, int kTileColumns>
HWY_INLINE void MultiplyTile(const SpectraProduct& o, const float* a, const float* b, float* sum) {
  V re[kTileRows][kTileColumns], im[kTileRows][kTileColumns];
  HWY_UNROLL(6)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < kTileColumns; ++j) re[i][j] = im[i][j] = hn::Zero(D());
  }
  for (int64_t p = 0; p < o.depth; ++p, a += o.a_depth, b += o.b_depth) {
    V factor_re[kTileColumns], factor_im[kTileColumns];
    HWY_UNROLL(2)
    for (int j = 0; j < kTileColumns; ++j) {
      factor_re[j] = hn::LoadU(D(), b + j * o.b_column);
      factor_im[j] = hn::LoadU(D(), b + j * o.b_column + kLanes);
    }
    HWY_UNROLL(6)
    for (int i = 0; i < kTileRows; ++i) {
      const Complex x = Element<kVectors>(a + i * o.a_row, o.a_imaginary);
      HWY_UNROLL(2)
      for (int j = 0; j < kTileColumns; ++j) {
        V &to_re = re[i][j], &to_im = im[i][j];
        to_re = hn::MulAdd(x.re, factor_re[j], to_re);
        to_im = hn::MulAdd(x.im, factor_re[j], to_im);
        to_re = kConjugate ? hn::MulAdd(x.im, factor_im[j], to_re) : hn::NegMulAdd(x.im, factor_im[j], to_re);
        to_im = kConjugate ? hn::NegMulAdd(x.re, factor_im[j], to_im) : hn::MulAdd(x.re, factor_im[j], to_im);
      }
    }
  }
  HWY_UNROLL(6)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < kTileColumns; ++j) Store({re[i][j], im[i][j]}, sum + i * o.sum_row + j * o.sum_column);
  }
}

template <bool kVectors, bool kConjugate, int kTileColumns>
HWY_INLINE void MultiplyColumns(const SpectraProduct& o, const float* a, const float* b, float* sum) {
  int64_t row = 0;
  for (; row + kRows <= o.rows; row += kRows)
    MultiplyTile<kVectors, kConjugate, kRows, kTileColumns>(o, a + row * o.a_row, b, sum + row * o.sum_row);
  for (; row + 2 <= o.rows; row += 2)
    MultiplyTile<kVectors, kConjugate, 2, kTileColumns>(o, a + row * o.a_row, b, sum + row * o.sum_row);
  if (row < o.rows) MultiplyTile<kVectors, kConjugate, 1, kTileColumns>(o, a + row * o.a_row, b, sum + row * o.sum_row);
}

template <bool kVectors, bool kConjugate>
void Multiply(const SpectraProduct& o) {
  for (int64_t f = 0; f < o.frequencies; ++f) {
    const float *a = o.a + f * o.a_frequency, *b = o.b + f * o.b_frequency;
    float* sum = o.sum + f * o.sum_frequency;
    int64_t column = 0;
    for (; column + kColumns <= o.columns; column += kColumns)
      MultiplyColumns<kVectors, kConjugate, kColumns>(o, a, b + column * o.b_column, sum + column * o.sum_column);
    if (column < o.columns)
      MultiplyColumns<kVectors, kConjugate, 1>(o, a, b + column * o.b_column, sum + column * o.sum_column);
  }
}

const Fourier& FourierOfTarget() {
  static const Fourier table = {
      simd::isa_word(HWY_TARGET),
      kLanes,
      Forward,
      Backward,
      Split,
      Join,
      Copy,
      {{Multiply<false, false>, Multiply<false, true>}, {Multiply<true, false>, Multiply<true, true>}}};
  return table;
}

}  // namespace
}  // namespace convict::kernels::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::fft {

CONVICT_DISPATCH_BY_BYTES(const Fourier&, fourier, FourierOfTarget)

}  // namespace convict::kernels::fft
