// SPDX-License-Identifier: Apache-2.0
//
// First inputs that nobody accepts would teach an engine nothing.
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "imports/importer.h"
#include "run/loader.h"
#include "store/store.h"
#include "tests/fuzz/parsers/database_input.h"
#include "tests/fuzz/parsers/hostile_plugin.h"
#include "tests/fuzz/parsers/importer_input.h"
#include "tests/fuzz/parsers/scratch.h"
#include "tests/fuzz/parsers/seed_inputs.h"

namespace convict::test {
namespace {

TEST(Seeds, EveryImporterReadsItsOwn) {
  const fuzz::Scratch scratch;
  std::set<std::string_view> read;
  size_t compared = 0;
  for (const std::string& input : fuzz::importer_inputs()) {
    const imports::Importer& importer = *imports::all()[static_cast<unsigned char>(input[0])];
    const imports::Imported imported =
        importer.read(fuzz::put_importer_input(scratch, importer.name, std::string_view(input).substr(1)));
    EXPECT_FALSE(imported.cases.empty()) << importer.name;
    compared += imported.recorded.size();
    read.insert(importer.name);
  }
  EXPECT_EQ(read.size(), imports::all().size());
  EXPECT_GT(compared, 0u);  // recorded outputs of ONNX
}

TEST(Seeds, PluginsAreLoaded) {
  int loaded = 0;
  for (const std::string& input : fuzz::plugin_inputs()) {
    const fuzz::HostilePlugin plugin({reinterpret_cast<const uint8_t*>(input.data()), input.size()});
    try {
      const std::vector<run::Subject> subjects = run::subjects_of(plugin.get(), "seed");
      ASSERT_EQ(subjects.size(), 1u);
      EXPECT_STREQ(subjects[0].implementation->name, "mine");
      EXPECT_EQ(subjects[0].implementation->contract.winograd_r, 3);  // nothing in front of it was misread
      ++loaded;
    } catch (const UsageError&) {
    }
  }
  EXPECT_EQ(loaded, static_cast<int>(fuzz::plugin_inputs().size()) - 2);  // an algorithm and a name are none
}

TEST(Seeds, DatabasesAreSoundAndEditsArrive) {
  const fuzz::Scratch scratch;
  const std::string path = scratch.path("sound.db");
  fuzz::write_sound_database(path);
  EXPECT_EQ(store::Store::open(path).mismatches().size(), 3u);
  EXPECT_EQ(store::Store::open(path).mismatch(1)->status, "known");
  EXPECT_EQ(store::Store::open(path).mismatch(2)->certificate["role"], "dst");
  int changed = 0;
  for (const std::string& input : fuzz::database_inputs()) {
    if (input[0] != fuzz::kEdits && input[0] != fuzz::kEditsWithCoverage) continue;
    fuzz::write_sound_database(path);
    fuzz::edit_database(path, std::string_view(input).substr(1));
    try {
      changed +=
          store::Store::open(path).mismatch(2)->certificate != nlohmann::json::parse(R"({"role":"dst","at":[0,0,0]})")
              ? 0
              : 1;
    } catch (const UsageError&) {
    }
  }
  EXPECT_EQ(changed, 1);
}

TEST(Seeds, DictionariesAreWellFormed) {
  for (const auto& [name, text] : fuzz::dictionaries()) {
    EXPECT_GT(text.size(), 500u) << name;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      EXPECT_TRUE(line.size() > 2 && line.front() == '"' && line.back() == '"') << line;
      for (const char c : line) EXPECT_TRUE(c >= ' ' && c < 0x7f) << line;
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace convict::test
