// SPDX-License-Identifier: Apache-2.0
//
// Hooks for inputs that are records (record.h). libFuzzer calls them by these names instead of mutating bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/mutate.h"
#include "fuzz/record.h"

namespace {

/// Writes the record, or a simpler case if there is no room for it: libFuzzer asks for fewer bytes than the input has
/// when it minimises a crash.
size_t write(const convict::Case& c, uint8_t* to, size_t most, convict::Random& random) {
  std::vector<uint8_t> bytes = convict::fuzz::encode(c);
  if (bytes.size() > most) bytes = convict::fuzz::encode(convict::fuzz::simplified(c, most, random));
  if (bytes.size() > most) return 0;
  std::ranges::copy(bytes, to);
  return bytes.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned int seed) {
  convict::Random random(seed, 0);
  const convict::Case before = convict::fuzz::decode({data, size});
  const bool minimising = most < size;
  return write(minimising ? convict::fuzz::simplified(before, most, random) : convict::fuzz::mutated(before, random),
               data, most, random);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t most, unsigned int seed) {
  convict::Random random(seed, 1);
  return write(
      convict::fuzz::crossed(convict::fuzz::decode({data1, size1}), convict::fuzz::decode({data2, size2}), random), out,
      most, random);
}
