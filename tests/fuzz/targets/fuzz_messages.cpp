// SPDX-License-Identifier: Apache-2.0
//
// bytes -> a line of the pipe between a worker and its supervisor -> a message. Whatever is no message is NotAMessage;
// what is one is the same after it has been written and read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/parsers/border.h"
#include "workers/messages.h"

namespace convict::fuzz {
namespace {

template <class Read>
void check(const std::string& line, const Read& read) try {
  const std::string again = workers::to_line(read(line));
  expect(workers::to_line(read(again)) == again, "to_line(read(line)) is read as the same: " + line);
} catch (const workers::NotAMessage&) {
}

}  // namespace
}  // namespace convict::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convict;
  const std::string line(reinterpret_cast<const char*>(data), size);
  fuzz::check(line, workers::report_from);
  fuzz::check(line, workers::order_from);
  fuzz::check(line, workers::settings_from);
  return 0;
}
