// SPDX-License-Identifier: Apache-2.0
//
// The tables that Fourier transforms read (fourier.h). Every root is a sine and a cosine in double, rounded: none
// follows from another by products, which would add up their errors.
#pragma once

#include <cstdint>

namespace convict::kernels::fft {

/// Numbers of the tables for complex lines of `size` points, and for real ones.
int64_t count_line_roots(int64_t size);
int64_t count_real_roots(int64_t size);

void fill_line_roots(int64_t size, float* to);
void fill_real_roots(int64_t size, float* to);

}  // namespace convict::kernels::fft
