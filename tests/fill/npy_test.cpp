// SPDX-License-Identifier: Apache-2.0
//
// Arrays of NumPy as NumPy writes them, and files that only look like it.
#include "fill/npy.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace convict {
namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string file("\x93NUMPY", 6);
  file += version;
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (version > 1) file.append(2, '\0');
  return file + header + data;
}

std::string complaint(const std::string& file) {
  try {
    fill::read_npy(file, "src");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Npy, ReadsTypeShapeAndBytes) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }          \n";
  for (const char version : {1, 2}) {
    const fill::NpyArray array = fill::read_npy(npy(header, "12345678", version), "src");
    EXPECT_EQ(array.type, "<f4");
    EXPECT_EQ(array.shape, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(array.bytes, "12345678");
  }
  EXPECT_EQ(fill::read_npy(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }\n", "abc"), "bias").shape,
            (std::vector<int64_t>{3}));
  EXPECT_EQ(fill::read_npy(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (0, 5), }\n", ""), "bias").bytes, "");
}

TEST(Npy, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }\n", "12345678")),
            "--data: array 'src' is in Fortran order; valid: C order, as numpy.ascontiguousarray makes it");
  EXPECT_EQ(complaint(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }\n", "12345678")),
            "--data: array 'src' has fewer bytes than its shape says");
  const std::string whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n", "12345678");
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(complaint(whole.substr(0, length)), "") << "cut to " << length << " bytes";
  EXPECT_NE(complaint("{'descr': '<f4'}"), "");
  EXPECT_NE(complaint(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", "12345678")), "");
}

}  // namespace
}  // namespace convict
