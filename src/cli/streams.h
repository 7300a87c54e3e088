// SPDX-License-Identifier: Apache-2.0
//
// Where results go: stdout, and files that users name. Every write is checked, because half a report that ends with
// exit code 0 passes for a whole one.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace convict::cli {

/// To be called first. Whatever this process opens gets no number of a standard stream that was closed: writing to that
/// fails instead.
void open_standard_streams();

/// Writes to stdout. Throws SystemError if not all of it arrives.
void print(const std::string& text);

/// To be called last: some file systems tell only now that they could not write. Throws SystemError.
void close_stdout();

/// Writes to stderr. A failure is ignored: there is no place left to report it.
void say(const std::string& text);

/// Writes a file whole or not at all: beside it first, then in its place, with the mode of the one that was there. A
/// device or pipe is written to and stays what it is. Throws as throw_unwritable does.
void write_file(const std::string& path, const std::string& text, std::string_view what);

/// Creates a file; error if there is one. What cannot be written whole is removed.
std::error_code write_new_file(const std::string& path, const std::string& text);

/// "<what>: cannot write '<path>' (<why>)": throws SystemError if the disk is full or fails, otherwise UsageError,
/// which says what would be valid.
[[noreturn]] void throw_unwritable(std::string_view what, const std::string& path, std::error_code why,
                                   std::string_view valid);

}  // namespace convict::cli
