// SPDX-License-Identifier: Apache-2.0
//
// Fast Fourier transforms of vectors: each lane is a signal. J. Cooley, J. Tukey, "An algorithm for the machine
// calculation of complex Fourier series", Math. Comp. 19, 1965. They work in place, two levels at a time (radix 4).
// Forward transforms (decimation in frequency) leave spectra in bit-reversed order, and backward transforms (decimation
// in time) read that order, so nothing has to be reordered. Real signals take half the points: elements at even and odd
// places are the real and imaginary parts of a complex signal (R. Bracewell, "The Fourier Transform and Its
// Applications", chapter on numerical transforms).
//
// A complex number of a line is two vectors, the imaginary parts after the real parts. Sizes are powers of two. The
// tables of roots come from roots_of_unity.h. Compiled once for every instruction set.
#pragma once

#include <cstdint>

namespace convict::kernels::fft {

/// The sums of products of spectra, for each frequency:
///
///     sum(row, column) = sum over p < depth of a(row, p) * b(p, column), or * its conjugate
///
/// Distances are in elements; a vector of b or of sums is a complex one.
struct SpectraProduct {
  int64_t frequencies, rows, depth, columns;
  const float* a;
  int64_t a_frequency, a_row, a_depth, a_imaginary;
  const float* b;
  int64_t b_frequency, b_depth, b_column;
  float* sum;
  int64_t sum_frequency, sum_row, sum_column;
};

/// Where a vector of spectra lies: real parts of frequency f at data + f*frequency, imaginary parts `imaginary`
/// further.
template <class T>
struct SpectrumPlace {
  T* data;
  int64_t frequency, imaginary;
};

struct Fourier {
  const char* isa;
  int64_t lanes;

  /// In place; element i of the line is at line + i*step. `forward` gives the spectrum in bit-reversed order,
  /// `backward` reads that and gives `size` times the signal.
  using LineMap = void (*)(int64_t size, const float* roots, float* line, int64_t step);
  LineMap forward, backward;

  /// `split` turns the spectrum of size/2 complex numbers into that of the `size` real numbers they stand for. `join`
  /// is the way back, times 2 * factor. In place: frequency k < size/2 is at its bit-reversed place, size/2 at the end.
  void (*split)(int64_t size, const float* roots, float* line);
  void (*join)(int64_t size, const float* roots, float factor, float* line);

  void (*copy)(int64_t frequencies, const SpectrumPlace<const float>& from, const SpectrumPlace<float>& to);

  /// Indexed by whether elements of a are vectors (else numbers, the same for all lanes), and whether b is conjugated.
  void (*multiply[2][2])(const SpectraProduct& product);
};

/// With the narrowest vectors of at least so many bytes (simd::narrow_target()).
const Fourier& fourier(int64_t bytes);

}  // namespace convict::kernels::fft
