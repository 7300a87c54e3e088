// SPDX-License-Identifier: Apache-2.0
//
// Fast Fourier transforms of vectors: a lane is a signal of its own, and all of them go through the same steps. J.
// Cooley, J. Tukey, "An algorithm for the machine calculation of complex Fourier series", Math. Comp. 19, 1965; two
// levels at a time (radix 4), in place: decimation in frequency leaves a spectrum in bit-reversed order, and decimation
// in time brings it back, so nothing is ever reordered. Real signals take half the points: what is at even and at odd
// places is the real and the imaginary part of a complex signal (R. Bracewell, "The Fourier Transform and Its
// Applications", chapter on numerical transforms).
//
// A complex number of a line is two vectors, the imaginary parts after the real parts. Sizes are powers of two. The
// tables that transforms read are those of roots_of_unity.h.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::fft {

/// The sums of products of spectra, at each frequency on its own:
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

/// Where the numbers of a vector of spectra lie: real parts of frequency f at data + f*frequency, imaginary ones so
/// much further.
template <class T>
struct SpectrumPlace {
  T* data;
  int64_t frequency, imaginary;
};

struct Fourier {
  const char* isa;
  int64_t lanes;

  /// In place, element i of the line at line + i*step: to the spectrum in bit-reversed order, and from there to `size`
  /// times the signal.
  using LineMap = void (*)(int64_t size, const float* roots, float* line, int64_t step);
  LineMap forward, backward;

  /// From the spectrum of size/2 complex numbers to that of the `size` real ones they stand for, and back (the former,
  /// times 2 * factor). In place: frequency k < size/2 stays at its bit-reversed place, size/2 is put behind.
  void (*split)(int64_t size, const float* roots, float* line);
  void (*join)(int64_t size, const float* roots, float factor, float* line);

  void (*copy)(int64_t frequencies, const SpectrumPlace<const float>& from, const SpectrumPlace<float>& to);

  /// Elements of a are scalars, the same for all lanes, or vectors. Indexed by that and by whether b is conjugated.
  void (*multiply[2][2])(const SpectraProduct& product);
};

const Fourier& fourier();

}  // namespace convict::kernels::fft
