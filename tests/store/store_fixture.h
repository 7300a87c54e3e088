// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of the database: a directory of their own, child processes, and helpers for expectations.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "store/store.h"

namespace convict::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A child process running `body`, whose output comes through a pipe. SQLite connections must not cross a fork: the
/// tests close theirs first.
class Child {
 public:
  explicit Child(const std::function<void(int output)>& body) {
    int ends[2];
    if (pipe(ends) != 0 || (pid_ = fork()) < 0) throw std::runtime_error("cannot start a child process");
    if (pid_ == 0) {
      close(ends[0]);
      body(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    output_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    waitpid(pid_, nullptr, 0);
    close(output_);
  }

  void kill() { ::kill(pid_, SIGKILL); }

  /// Waits for output and returns it; empty if the child has ended.
  std::string read_some() {
    char buffer[4096];
    const ssize_t size = read(output_, buffer, sizeof(buffer));
    return {buffer, static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }
  std::string read_all() {
    std::string all;
    for (std::string part = read_some(); !part.empty(); part = read_some()) all += part;
    return all;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

inline void send(int output, const std::string& text) {
  if (write(output, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
}

/// Runs `body` in a process of its own, where it may change limits and users. Returns its text.
inline std::string in_child(const std::function<std::string()>& body) {
  Child child([&](int output) {
    try {
      send(output, body());
    } catch (const std::exception& error) {
      send(output, std::string("exception: ") + error.what());
    }
  });
  return child.read_all();
}

inline Mismatch wrong(const std::string& line, const std::string& suspect = "direct") {
  Certificate certificate;
  certificate.text = line;
  return {parse_case(line), suspect, Verdict::kWrongExact, Blame::kTarget, certificate};
}

/// One line that names the file.
inline std::string checked(const std::string& message, const std::string& path) {
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find("database '" + path + "': "), std::string::npos) << message;
  return message;
}

/// The message of the UsageError `body` throws, or of the SystemError after "system: ".
inline std::string refusal(const std::function<void()>& body, const std::string& path) {
  try {
    body();
  } catch (const UsageError& error) {
    return checked(error.what(), path);
  } catch (const SystemError& error) {
    return "system: " + checked(error.what(), path);
  }
  return "not refused";
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "store_test_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    fs::permissions(directory_, fs::perms{0755});
    path_ = path("convict.db");
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  std::string query(const std::string& sql) const {
    SQLite::Database db(path_, SQLite::OPEN_READWRITE, 1000);
    return db.execAndGet(sql).getString();
  }
  void write_sql(const std::string& sql) const {
    SQLite::Database(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 1000).exec(sql);
  }

  std::string open_refusal() const {
    return refusal([this] { store::Store::open(path_, milliseconds(50)); }, path_);
  }

  /// Names and contents of all files: a refused database must leave no trace.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      all[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return all;
  }

  void create(int mismatches = 0) const {
    store::Store store = store::Store::open(path_);
    const int64_t campaign = store.begin_campaign({});
    for (int i = 0; i < mismatches; ++i)
      store.record(campaign, wrong("conv2d in=4x4", fmt::format("kernel{}{}", i, std::string(2000, 'x'))));
  }

  fs::path directory_;
  std::string path_;
};

inline std::string contains(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos ? "" : fmt::format("no '{}' in: {}", part, message);
}

}  // namespace convict::test
