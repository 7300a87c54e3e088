// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/importer_input.h"

namespace convict::fuzz {

std::string put_importer_input(const Scratch& scratch, std::string_view importer, std::string_view bytes) {
  if (importer != "onnx") {
    scratch.write("input", bytes);
    return scratch.path("input");
  }
  scratch.clear();
  for (const std::string_view file : kTestFiles) {
    const size_t end = bytes.find(kFileSeparator);
    scratch.write(file, bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + kFileSeparator.size());
  }
  return scratch.directory().string();
}

}  // namespace convict::fuzz
