// SPDX-License-Identifier: Apache-2.0
//
// The inputs of fuzz_importers: each is several files in one string of bytes.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tests/fuzz/parsers/scratch.h"

namespace convict::fuzz {

inline constexpr std::string_view kFileSeparator = "\n--8<--\n";

/// Files of the directory given to an importer that reads directories, in this order.
inline constexpr std::array<std::string_view, 5> kTestFiles = {
    "model.onnx", "test_data_set_0/input_0.pb", "test_data_set_0/input_1.pb", "test_data_set_0/output_0.pb",
    "test_data_set_0/input_2.pb"};

/// Replaces the contents of `scratch` by the input. Returns the path to give to the importer of this name.
std::string put_importer_input(const Scratch& scratch, std::string_view importer, std::string_view bytes);

}  // namespace convict::fuzz
