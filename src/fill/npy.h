// SPDX-License-Identifier: Apache-2.0
//
// Arrays of NumPy: .npy files (NumPy Enhancement Proposal 1) in an .npz archive, which is a zip of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convict::fill {

/// An array in row-major order.
struct NpyArray {
  std::string type;  // as NumPy spells it: "<f4"
  std::vector<int64_t> shape;
  std::string bytes;
};

/// Throws UsageError, which calls the array `name`: a file that is none, an array in Fortran order, too few bytes.
NpyArray read_npy(std::string_view file, const std::string& name);

/// All arrays of an archive, by name. Throws UsageError.
std::map<std::string, NpyArray> read_npz(const std::string& path);

}  // namespace convict::fill
