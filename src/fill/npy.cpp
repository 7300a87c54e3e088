// SPDX-License-Identifier: Apache-2.0
#include "fill/npy.h"

#include <fmt/format.h>
#include <zip.h>

#include <cstdlib>
#include <memory>

#include "core/error.h"
#include "core/text.h"

namespace convict::fill {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY", kSuffix = ".npy";
constexpr uint64_t kMostBytes = uint64_t{1} << 34;  // of one array

/// What follows `'key':` in the header, which is a dictionary of Python's.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const size_t found = header.find(quoted);
  return found == std::string_view::npos ? "" : trim(header.substr(found + quoted.size()));
}

/// "(1, 2, 3)".
std::vector<int64_t> tuple_of(std::string_view text) {
  std::vector<int64_t> numbers;
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) return numbers;
  for (const std::string_view part : split(text.substr(1, end - 1), ','))
    if (const auto number = parse_integer(trim(part))) numbers.push_back(*number);
  return numbers;
}

/// NumPy spells a type as a text, or as a list where it has fields, which no operand has.
std::string quoted_text(std::string_view text) {
  if (text.empty() || text[0] != '\'') return "";
  return std::string(text.substr(1, text.find('\'', 1) - 1));
}

/// The header, without magic, version and length. `rest` becomes the data.
std::string_view header_of(std::string_view file, std::string_view& rest) {
  const bool wide = file.size() > 6 && file[6] != 1;  // from version 2 on, the length has 4 bytes
  const size_t prelude = wide ? 12 : 10;
  if (!file.starts_with(kMagic) || file.size() < prelude) return "";
  size_t length = 0;
  for (size_t i = 8; i < prelude; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(file[i])) << 8 * (i - 8);
  if (file.size() - prelude < length) return "";
  rest = file.substr(prelude + length);
  return file.substr(prelude, length);
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw UsageError(fmt::format("--data: '{}' {}", printable(path, 300), why));
}

std::string member(zip_t* archive, zip_uint64_t index, const std::string& path) {
  zip_stat_t about;
  if (zip_stat_index(archive, index, 0, &about) != 0) refuse(path, "is damaged");
  if (about.size > kMostBytes) refuse(path, "has an array of more than 16 GiB");
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive, index, 0), zip_fclose);
  std::string bytes(about.size, '\0');
  if (!file || zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()))
    refuse(path, "is damaged");
  return bytes;
}

}  // namespace

NpyArray read_npy(std::string_view file, const std::string& name) {
  std::string_view data;
  const std::string_view header = header_of(file, data);
  const std::string type = quoted_text(value_of(header, "descr"));
  const auto stop = [&](std::string_view why) {
    throw UsageError(fmt::format("--data: array '{}' {}", printable(name), why));
  };
  if (header.empty() || type.size() < 3) stop("is no array of numbers in NumPy's format");
  if (value_of(header, "fortran_order").starts_with("True"))
    stop("is in Fortran order; valid: C order, as numpy.ascontiguousarray makes it");
  NpyArray array{type, tuple_of(value_of(header, "shape")), {}};
  double bytes = std::strtod(type.c_str() + 2, nullptr);
  for (const int64_t extent : array.shape) bytes *= static_cast<double>(extent);
  if (type[1] == 'U' || type[1] == 'S' || type[1] == 'O') return array;  // texts beside the operands, as export writes
  if (bytes < 0 || static_cast<double>(data.size()) < bytes) stop("has fewer bytes than its shape says");
  array.bytes = std::string(data.substr(0, static_cast<size_t>(bytes)));
  return array;
}

std::map<std::string, NpyArray> read_npz(const std::string& path) {
  int error = 0;
  const std::unique_ptr<zip_t, decltype(&zip_discard)> archive(zip_open(path.c_str(), ZIP_RDONLY, &error), zip_discard);
  if (!archive) refuse(path, error == ZIP_ER_NOENT ? "does not exist" : "is no .npz file, as numpy.savez writes it");
  std::map<std::string, NpyArray> arrays;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    const char* file = zip_get_name(archive.get(), i, 0);
    std::string name(file ? file : "");
    if (!name.ends_with(kSuffix)) continue;
    name.resize(name.size() - kSuffix.size());
    arrays[name] = read_npy(member(archive.get(), i, path), name);
  }
  return arrays;
}

}  // namespace convict::fill
