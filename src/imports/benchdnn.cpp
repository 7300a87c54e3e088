// SPDX-License-Identifier: Apache-2.0
//
// Reads input files of benchdnn, the test driver of oneDNN: tokens separated by white space, each a problem descriptor
// or an option for later descriptors. Options carry over into batch files and out of them, as in benchdnn.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/benchdnn_options.h"

namespace convict::imports {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestBatchFile = uintmax_t{16} << 20;  // bytes
constexpr uintmax_t kLargestTotal = uintmax_t{64} << 20;      // bytes of all files that one includes, repeats counted
constexpr size_t kLongestToken = 4096, kDeepestFile = 16, kMostFiles = 10'000;
constexpr std::string_view kBlanks = " \t\r";

class Reader {
 public:
  explicit Reader(const std::string& path)
      : root_(fs::weakly_canonical(path).parent_path()), options_(driver_of(fs::weakly_canonical(path))) {}

  /// `shown` is the name of the file in messages.
  void read(const fs::path& path, const std::string& shown) {
    const std::string text = read_input(path.string(), kLargestBatchFile);
    if ((total_ += text.size()) > kLargestTotal || ++files_ > kMostFiles)
      throw UsageError(fmt::format("'{}' and its batch files have more than {} bytes, or are more than {}",
                                   printable(shown, 300), kLargestTotal, kMostFiles));
    if (text.find('\0') != std::string::npos)
      throw UsageError(fmt::format("'{}' is not a text file: it holds a NUL byte", printable(shown, 300)));
    open_.push_back(path);
    read_tokens(text, path, shown);
    open_.pop_back();
  }

  Imported take() { return found_.take(); }

 private:
  /// Convolution or deconvolution: files of oneDNN do not say which, but their folder does.
  static std::string_view driver_of(const fs::path& path) {
    const bool deconv =
        path.parent_path().filename() == "deconv" || path.filename().string().find("deconv") != std::string::npos;
    return deconv ? "deconv" : "conv";
  }

  /// A token that ends with a backslash goes on with the next one, and so does one that is followed by a lone
  /// backslash.
  void read_tokens(std::string_view text, const fs::path& path, const std::string& shown) {
    std::string token, origin;
    bool continued = false;
    const auto finish = [&] {
      if (!token.empty()) read_token(std::exchange(token, ""), path, origin);
    };
    for_each_line(text, [&](std::string_view line, int number) {
      for (std::string_view rest = trim(line); !rest.empty();) {
        const size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
        std::string_view word = rest.substr(0, end);
        rest = trim(rest.substr(end));
        if (word.front() == '#') return;
        const bool alone = word == "\\";
        if (!continued && !alone) {
          finish();
          origin = fmt::format("{}:{}", shown, number);
        }
        continued = word.back() == '\\';
        if (continued) word.remove_suffix(1);
        token += word;
        if (token.size() > kLongestToken)
          throw UsageError(fmt::format("'{}': line {}: a token of more than {} bytes", printable(shown, 300), number,
                                       kLongestToken));
      }
    });
    finish();
  }

  void read_token(const std::string& token, const fs::path& path, const std::string& origin) {
    if (token.front() != '-') return options_.expand(token, origin, found_);
    switch (options_.take(token)) {
      case BenchdnnOptions::Kind::kTaken:
      case BenchdnnOptions::Kind::kWithoutEffect: break;
      case BenchdnnOptions::Kind::kUnknown: return found_.refuse(origin, token, "unknown option");
      case BenchdnnOptions::Kind::kBatch: return read_batch(token, path, origin);
    }
  }

  /// Reads a file beside the current one, or in the directory of the first one.
  void read_batch(const std::string& token, const fs::path& path, const std::string& origin) {
    const fs::path name = token.substr(token.find('=') + 1);
    const auto refuse = [&](const char* why) { found_.refuse(origin, token, fmt::format("batch file: {}", why)); };
    std::error_code error;
    for (const fs::path& directory : {path.parent_path(), root_}) {
      const fs::path file = fs::weakly_canonical(directory / name, error);
      if (error || !fs::is_regular_file(file, error)) continue;
      if (const fs::path inside = file.lexically_relative(root_); inside.empty() || *inside.begin() == "..")
        return refuse("outside of the directory of the file that was given");
      if (std::ranges::find(open_, file) != open_.end()) return refuse("it includes itself");
      if (open_.size() >= kDeepestFile) return refuse("nested more than 16 deep");
      return read(file, file.lexically_relative(root_).string());
    }
    refuse("there is no such file");
  }

  fs::path root_;
  BenchdnnOptions options_;
  std::vector<fs::path> open_;  // the file being read, and those that include it
  uintmax_t total_ = 0;
  size_t files_ = 0;
  Collector found_;
};

Imported read_benchdnn(const std::string& path) {
  read_input(path, kLargestBatchFile);  // says what is wrong with it before its path is made canonical
  Reader reader(path);
  reader.read(fs::weakly_canonical(path), path);
  return reader.take();
}

}  // namespace

extern const Importer importer_benchdnn = {"benchdnn", "input files of oneDNN's benchdnn, --conv and --deconv",
                                           read_benchdnn};

}  // namespace convict::imports
