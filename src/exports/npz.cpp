// SPDX-License-Identifier: Apache-2.0
//
// Writes the arrays of a case for NumPy: a zip archive of .npy files (NumPy Enhancement Proposal 1, version 1.0).
#include <fmt/format.h>
#include <zip.h>

#include <memory>
#include <stdexcept>

#include "core/case_text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

/// An array of NumPy: the header names type and shape, and ends where the data is aligned to 64 bytes.
std::string npy(std::string_view type, const std::string& shape, std::string_view bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  constexpr size_t kPrelude = 10;  // magic, version, length
  header.append(63 - (kPrelude + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file.append(header).append(bytes);
}

std::string_view numpy_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return "<f8";
    case CONVICT_F16: return "<f2";
    case CONVICT_BF16: return "<u2";  // NumPy has no such type: the bits
    case CONVICT_S8: return "|i1";
    case CONVICT_U8: return "|u1";
    case CONVICT_S32: return "<i4";
    case CONVICT_S16: return "<i2";
    case CONVICT_S64: return "<i8";
    case CONVICT_F32: break;
  }
  return "<f4";
}

std::string array(convict_dtype type, const convict_tensor& shape, const std::vector<double>& values) {
  const std::string dims =
      fmt::format("({}{})", fmt::join(shape.dims, shape.dims + shape.ndim, ", "), shape.ndim == 1 ? "," : "");
  return npy(numpy_type(type), dims, raw_bytes(type, values));
}

/// ASCII as a scalar of NumPy's strings, which are UTF-32.
std::string text_scalar(std::string_view text) {
  std::string wide;
  for (const char c : text) wide.append({c, '\0', '\0', '\0'});
  return npy(fmt::format("<U{}", text.size()), "()", wide);
}

std::vector<ExportFile> members(const ExportRequest& request) {
  const Operands operands = operands_of(request);
  std::vector<ExportFile> files = {{"case.npy", text_scalar(to_text(request.c))},
                                   {"rule.npy", text_scalar(operands.rule)}};
  bool has_bfloat = false;
  const auto add = [&](const std::string& name, convict_dtype type, const convict_tensor& shape,
                       const std::vector<double>& values) {
    files.push_back({name + ".npy", array(type, shape, values)});
    has_bfloat |= type == CONVICT_BF16;
  };
  for (const NamedTensor& input : operands.inputs)
    add(std::string(input.role), input.layout.dtype, input.layout, input.values);
  for (const RequiredTensor& output : operands.outputs) {
    const std::string role(output.tensor.role);
    const convict_tensor& shape = output.tensor.layout;
    add(role, shape.dtype, shape, output.tensor.values);
    add(role + "_exact", CONVICT_F64, shape, output.exact);
    add(role + "_bound", CONVICT_F64, shape, output.bounds);
    if (!output.old.empty()) add(role + "_old", shape.dtype, shape, output.old);
  }
  if (has_bfloat) files.push_back({"note.npy", text_scalar("arrays of uint16 hold the bits of bfloat16")});
  if (request.evidence) {
    files.push_back({"accusation.npy", text_scalar(accusation(request))});
    files.push_back({"certificate.npy", text_scalar(certificate_text(request))});
  }
  return files;
}

[[noreturn]] void fail() { throw std::runtime_error("libzip cannot make the archive"); }

/// Adds a file to the archive. Precondition: its `bytes` live until the archive is closed.
void add_member(zip_t* archive, const ExportFile& file) {
  zip_source_t* source = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
  if (!source) fail();
  const zip_int64_t index = zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail();
  }
  constexpr zip_uint16_t kNoon = 12 << 11, kNewYear1980 = 1 << 5 | 1;  // DOS format: the same bytes on every day
  if (zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), kNoon, kNewYear1980, 0) != 0) fail();
}

std::string zipped(const std::vector<ExportFile>& files) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> memory(
      zip_source_buffer_create(nullptr, 0, 0, &error), zip_source_free);
  if (!memory) fail();
  std::unique_ptr<zip_t, decltype(&zip_discard)> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error),
                                                         zip_discard);
  if (!archive) fail();
  zip_source_keep(memory.get());  // closing the archive frees it once
  for (const ExportFile& file : files) add_member(archive.get(), file);
  if (zip_close(archive.get()) != 0) fail();
  archive.release();

  zip_stat_t size;
  if (zip_source_open(memory.get()) != 0 || zip_source_stat(memory.get(), &size) != 0) fail();
  std::string bytes(size.size, '\0');
  if (zip_source_read(memory.get(), bytes.data(), size.size) != static_cast<zip_int64_t>(size.size)) fail();
  zip_source_close(memory.get());
  return bytes;
}

std::string npz_unsuited(const ExportRequest& request) {
  return request.must_be_refused ? "arrays cannot say that a problem must be refused" : "";
}

std::vector<ExportFile> write_npz(const ExportRequest& request) { return {{"case.npz", zipped(members(request))}}; }

}  // namespace

extern const Exporter export_npz = {"npz", "the arrays, for numpy.load", ExportForm::kBinary, npz_unsuited, write_npz};

}  // namespace convict::exports
