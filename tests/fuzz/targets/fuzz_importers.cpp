// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a file of another tool -> cases. The first byte chooses the importer, the rest is the file. For an importer
// of directories, the rest is several files between separators.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/case_text.h"
#include "core/geometry.h"
#include "imports/importer.h"
#include "tests/fuzz/parsers/border.h"
#include "tests/fuzz/parsers/importer_input.h"
#include "tests/fuzz/parsers/scratch.h"

namespace convict::fuzz {
namespace {

void expect_sound(const imports::Imported& imported) {
  for (const CorpusEntry& entry : imported.cases) {
    expect(parse_case(to_text(entry.c)) == entry.c, "parse_case(to_text(c)) == c: " + to_text(entry.c));
    expect(!resolve(entry.c).why_not, "a legal case: " + to_text(entry.c));
  }
  for (const imports::Unexpressed& one : imported.unexpressed) expect(!one.reason.empty(), "a reason");
}

}  // namespace
}  // namespace convict::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convict::fuzz;
  using namespace convict;
  static const Scratch scratch;
  if (size == 0) return 0;
  const imports::Importer& importer = *imports::all()[data[0] % imports::all().size()];
  const std::string path =
      put_importer_input(scratch, importer.name, {reinterpret_cast<const char*>(data) + 1, size - 1});
  accepted([&] { expect_sound(importer.read(path)); });
  return 0;
}
