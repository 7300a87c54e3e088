// SPDX-License-Identifier: Apache-2.0
//
// The tables of roots that Fourier transforms read (fourier.h). Every root is computed as a sine and a cosine in
// double, and rounded. None is a product of others, because products would add up rounding errors.
#pragma once

#include <cstdint>

namespace convict::kernels::fft {

/// Numbers of the tables for complex lines of `size` points, and for real ones.
int64_t count_line_roots(int64_t size);
int64_t count_real_roots(int64_t size);

void fill_line_roots(int64_t size, float* to);
void fill_real_roots(int64_t size, float* to);

}  // namespace convict::kernels::fft
