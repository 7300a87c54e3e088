// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string_view>

#include "core/case_text.h"
#include "core/fields.h"
#include "core/predicate.h"
#include "core/text.h"
#include "core/verdict.h"
#include "store/store.h"
#include "tests/fuzz/parsers/importer_input.h"
#include "tests/fuzz/parsers/seed_inputs.h"

namespace convict::fuzz {
namespace {

using Words = std::set<std::string>;

void add(Words& to, std::initializer_list<std::string_view> words) { to.insert(words.begin(), words.end()); }

std::string escaped(std::string_view word) {
  std::string text;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return text;
}

std::string as_dictionary(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("\"{}\"\n", escaped(word));
  return text;
}

void add_operations(Words& to) {
  Case c;
  for (const convict_op op : {CONVICT_CONV, CONVICT_CONV_TRANSPOSE})
    for (const convict_pass pass : {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS})
      for (c.op = op, c.pass = pass, c.rank = 1; c.rank <= kAxes; ++c.rank) to.insert(operation_text(c));
}

/// Numbers next to the limits of all types and fields.
void add_numbers(Words& to) {
  add(to, {"0", "1", "-1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808",
           "18446744073709551615", "1e999", "-0"});
}

Words case_words() {
  Words words;
  add_operations(words);
  add_numbers(words);
  for (const Field& field : fields())
    words.insert(field.bare ? std::string(field.key) : fmt::format(" {}=", field.key));
  for (const Slot& slot : slots()) words.insert(slot.words.begin(), slot.words.end());
  for (const Quantity& quantity : quantities()) words.emplace(quantity.name);
  words.insert(kVerdictNames.begin(), kVerdictNames.end());
  add(words, {" and ",  " = ", " != ",       " >= ",       " <= ",           " > ",          " < ", " % ",
              "always", "[0]", "[2]",        "=> passes",  "=> refused",     "=> mismatch ", "#",   ":",
              "x",      "+",   "same_upper", "same_lower", "nchw:ohwi:nhwc", "[[",           "],[", "]]"});
  return words;
}

/// What the command lines of benchdnn are made of, separated by blanks.
constexpr std::string_view kBenchdnnWords =
    "--reset --dir= --mb= --cfg= --dt= --stag= --wtag= --dtag= --attr-post-ops= --match= --skip-impl= "
    "--batch= --alg= --attr-zero-points= --conv --deconv FWD_B BWD_D BWD_WB f32 bf16bf16bf16 u8s8f32 axb "
    "acdb any mb ic ih iw id oc oh ow od kh kw kd sh sw sd ph pw pd dh dw dd g n\" _ , #";

Words importer_words() {
  Words words = {std::string(kFileSeparator)};
  add_operations(words);
  add_numbers(words);
  for (const std::string_view word : split(kBenchdnnWords, ' ')) words.emplace(word);
  add(words, {"\\\n"});
  // our JSON
  add(words, {"{\"case\":\"", "{\"cases\":[", "{\"mismatches\":[", "\\ud800", "null", "true"});
  // ONNX, whose names are bytes of the message
  add(words, {"Conv", "ConvTranspose", "auto_pad", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "dilations", "group",
              "kernel_shape", "pads", "strides", "output_padding", "output_shape"});
  return words;
}

/// Words that occur in the rows of a database.
Words database_words() {
  Words words;
  add_operations(words);
  add_numbers(words);
  words.insert(kVerdictNames.begin(), kVerdictNames.end());
  words.insert(kBlameNames.begin(), kBlameNames.end());
  words.insert(kShownStatuses.begin(), kShownStatuses.end());
  add(words, {"{}", "[]", "null", "\"\"", "{\"\":", "[[0,1]]", "{\"cases\":", "\x1e", "\xff\xfe"});
  add(words, {"role", "at", "got_hex", "exact_hex", "terms", "magnitude", "bound_name", "witnesses", "read", "needs"});
  add(words,
      {"smoke", "running", "finished", "2026-01-01T00:00:00Z", "mine|wrong-exact|conv1d", "conv1d in=5 k=2", "k >= 2"});
  return words;
}

}  // namespace

std::map<std::string, std::string> dictionaries() {
  return {{"case_text", as_dictionary(case_words())},
          {"importers", as_dictionary(importer_words())},
          {"database", as_dictionary(database_words())}};
}

}  // namespace convict::fuzz
