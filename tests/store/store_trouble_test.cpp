// SPDX-License-Identifier: Apache-2.0
//
// What is promised in trouble: one-line refusals, and nothing lost to a kill -9, a full disk or another process.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <memory>
#include <sstream>

#include "tests/file_changes.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

TEST_F(StoreTest, RefusesATextFile) {
  std::ofstream(path_) << "conv2d in=4x4\n";
  const auto before = files();
  EXPECT_EQ(contains(open_refusal(), "not a SQLite database; choose"), "");
  EXPECT_EQ(files(), before);
}

TEST_F(StoreTest, RefusesADirectory) {
  fs::create_directory(path_);
  EXPECT_EQ(contains(open_refusal(), "a directory; name a file in it"), "");
}

TEST_F(StoreTest, RefusesAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(contains(open_refusal(), "not a regular file"), "");
}

TEST_F(StoreTest, RefusesAMissingDirectory) {
  path_ = path("missing/convict.db");
  EXPECT_EQ(contains(open_refusal(), "there is no directory"), "");
}

TEST_F(StoreTest, RefusesAnEmptyName) {
  path_.clear();
  EXPECT_EQ(contains(open_refusal(), "the file name is empty"), "");
}

TEST_F(StoreTest, RefusesADatabaseOfAnotherProgram) {
  write_sql("PRAGMA journal_mode = WAL; CREATE TABLE mismatches (id)");
  const auto before = files();
  EXPECT_EQ(contains(open_refusal(), "a SQLite database of another program"), "");
  EXPECT_EQ(files(), before);
}

TEST_F(StoreTest, RefusesANewerSchema) {
  create(1);
  write_sql("PRAGMA user_version = 99");
  const auto before = files();
  EXPECT_EQ(contains(open_refusal(), "its schema has version 99, and this convict knows up to 9; use a newer"), "");
  EXPECT_EQ(files(), before);
}

TEST_F(StoreTest, LeavesTheLogOfARefusedDatabase) {
  create();
  Child killed([this](int output) {
    SQLite::Database db(path_, SQLite::OPEN_READWRITE);
    db.exec("PRAGMA user_version = 99");
    send(output, "written");
    pause();
  });
  ASSERT_EQ(killed.read_some(), "written");
  killed.kill();
  killed.read_all();  // until it has ended
  auto before = files();
  EXPECT_EQ(contains(open_refusal(), "its schema has version 99"), "");
  auto after = files();
  for (const char* name : {"convict.db", "convict.db-wal"}) EXPECT_EQ(after[name], before[name]) << name;
}

TEST_F(StoreTest, RefusesADamagedDatabase) {
  create(20);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(path_) / 8192 * 4096));
  file << std::string(8192, '\xa5');
  file.close();
  const auto before = files();
  EXPECT_EQ(contains(open_refusal(), "damaged ("), "");
  EXPECT_EQ(files(), before);
}

TEST_F(StoreTest, RefusesATruncatedDatabase) {
  create(20);
  fs::resize_file(path_, 5000);
  EXPECT_EQ(contains(open_refusal(), "damaged ("), "");
}

/// Permissions do not bind root, so that the child becomes nobody first.
TEST_F(StoreTest, RefusesAReadOnlyFile) {
  create();
  fs::permissions(path_, fs::perms{0444});
  const std::string message = in_child([this]() -> std::string {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return "cannot become nobody";
    return open_refusal();
  });
  EXPECT_EQ(contains(message, fmt::format("cannot write to '{}' (Permission denied); choose", path_)), "");
}

TEST_F(StoreTest, RefusesAReadOnlyDirectory) {
  fs::permissions(directory_, fs::perms{0555});
  const std::string message = in_child([this]() -> std::string {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return "cannot become nobody";
    return open_refusal();
  });
  fs::permissions(directory_, fs::perms{0755});
  EXPECT_EQ(contains(message, "(Permission denied); choose"), "");
}

TEST_F(StoreTest, RefusesToWaitForeverForAnotherProcess) {
  create();
  Child other([this](int output) {
    SQLite::Database db(path_, SQLite::OPEN_READWRITE);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    send(output, "locked");
    pause();
  });
  ASSERT_EQ(other.read_some(), "locked");
  EXPECT_EQ(contains(open_refusal(), "locked by another process for too long; wait"), "");
}

TEST_F(StoreTest, WaitsForAWriterWhenRecording) {
  create();
  Child other([this](int output) {
    SQLite::Database db(path_, SQLite::OPEN_READWRITE);
    db.exec("BEGIN IMMEDIATE");
    send(output, "locked");
    pause();
  });
  ASSERT_EQ(other.read_some(), "locked");
  store::Store store = store::Store::open(path_, milliseconds(50));
  const auto record = [&store] { store.record(1, wrong("conv2d in=4x4")); };
  EXPECT_EQ(contains(refusal(record, path_), "locked by another process for too long"), "");
  other.kill();
  other.read_all();  // until it has ended
  EXPECT_TRUE(store.record(1, wrong("conv2d in=4x4")).first_ever);
}

/// What is not in the log must come from the file.
TEST_F(StoreTest, NoticesThatItIsCutOff) {
  for (const uintmax_t size : {0, 100, 4096, 5000, 60'000}) {
    for (const char* file : {"convict.db", "convict.db-wal", "convict.db-shm"}) fs::remove(path(file));
    create(20);
    store::Store store = store::Store::open(path_);
    write_sql("PRAGMA wal_checkpoint(TRUNCATE)");
    store.record(1, wrong("conv2d in=4x4"));
    ASSERT_GT(fs::file_size(path_), size);
    fs::resize_file(path_, size);
    const std::string message = refusal([&] { store.record(1, wrong("conv2d in=4x4")); }, path_);
    EXPECT_EQ(contains(message, "system: database"), "") << size;
    EXPECT_EQ(contains(message, "truncated while it was in use; restore a copy"), "") << size;
  }
}

TEST_F(StoreTest, AVacuumIsNoCut) {
  create(50);
  store::Store store = store::Store::open(path_);
  write_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  store.record(1, wrong("conv2d in=4x4"));
  const uintmax_t before = fs::file_size(path_);
  write_sql("PRAGMA foreign_keys = ON; DELETE FROM mismatches WHERE id > 5; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  ASSERT_LT(fs::file_size(path_), before);
  EXPECT_NO_THROW(store.record(1, wrong("conv2d in=4x4")));
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
}

TEST_F(StoreTest, LetsProcessesCreateAndRecordTogether) {
  constexpr int kProcesses = 6, kHits = 20;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i)
    children.push_back(std::make_unique<Child>([this](int output) {
      try {
        store::Store store = store::Store::open(path_, std::chrono::hours(1));
        const int64_t campaign = store.begin_campaign({});
        for (int hit = 0; hit < kHits; ++hit) store.record(campaign, wrong("conv2d in=4x4"));
        send(output, "done");
      } catch (const std::exception& error) {
        send(output, error.what());
      }
    }));
  for (const auto& child : children) EXPECT_EQ(child->read_all(), "done");
  EXPECT_EQ(store::Store::open(path_).mismatches().at(0).hits, kProcesses * kHits);
}

/// Records until the store refuses, then calls `make_room`; says what was wrong, and whether all is well afterwards.
std::string fill_up(const std::string& path, const std::function<void()>& make_room) {
  std::string message;
  int64_t kept = 0;
  {
    store::Store store = store::Store::open(path);
    const int64_t campaign = store.begin_campaign({});
    message = refusal(
        [&] {
          for (;; ++kept)
            store.record(campaign, wrong("conv2d in=4x4", fmt::format("k{}{}", kept, std::string(9999, 'x'))));
        },
        path);
    make_room();
    store.record(campaign, wrong("conv2d in=4x4"));
  }
  if (kept == 0) return "refused from the start: " + message;
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  if (db.execAndGet("SELECT count(*) FROM mismatches").getInt64() != kept + 1) return "lost mismatches";
  return message + " integrity: " + db.execAndGet("PRAGMA integrity_check").getString();
}

void limit_file_size(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);
}

TEST_F(StoreTest, SurvivesALimitOnTheFileSize) {
  const std::string outcome = in_child([this] {
    limit_file_size(300'000);
    return fill_up(path_, [] { limit_file_size(RLIM_INFINITY); });
  });
  EXPECT_EQ(
      contains(outcome, "system: database '" + path_ + "': cannot be read or written (disk I/O error); check the disk"),
      "");
  EXPECT_EQ(contains(outcome, "integrity: ok"), "");
}

TEST_F(StoreTest, LeavesNoHalfMadeDatabase) {
  for (const rlim_t bytes : {0, 1000, 5000, 10'000, 20'000}) {
    const std::string message = in_child([&] {
      limit_file_size(bytes);
      return open_refusal();
    });
    EXPECT_EQ(contains(message, "cannot be read or written"), "") << bytes;
    EXPECT_TRUE(files().empty()) << bytes << " bytes leave " << files().begin()->first;
  }
}

TEST_F(StoreTest, SurvivesAFullDisk) {
  const std::string outcome = in_child([this]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", directory_.c_str(), "tmpfs", 0, "size=1m") != 0)
      return "cannot mount";
    std::ofstream(path("filler")) << std::string(600'000, 'x');
    return fill_up(path_, [this] { fs::remove(path("filler")); });
  });
  if (outcome == "cannot mount") GTEST_SKIP() << "only root can mount a file system of its own";
  EXPECT_EQ(contains(outcome, "system: database '" + path_ + "': the disk is full; make room"), "");
  EXPECT_EQ(contains(outcome, "integrity: ok"), "");
}

/// Kills a process that opens (at first: creates) the database and records new signatures for ever, after so many
/// changes to its files. Returns the ids that it has acknowledged.
std::vector<int64_t> kill_recorder(const std::string& path, int round, size_t changes) {
  const FileChanges files(fs::path(path).parent_path());
  Child recorder([&](int output) {
    store::Store store = store::Store::open(path);
    const int64_t campaign = store.begin_campaign({});
    for (int i = 0;; ++i)
      send(output,
           fmt::format("{}\n", store.record(campaign, wrong("conv2d in=4x4", fmt::format("r{}i{}", round, i))).id));
  });
  for (size_t seen = 0; seen < changes;) seen += files.take();
  recorder.kill();
  std::istringstream lines(recorder.read_all());
  std::vector<int64_t> ids;
  for (int64_t id; lines >> id;) ids.push_back(id);
  return ids;
}

TEST_F(StoreTest, LosesNothingToKill9) {
  std::vector<int64_t> acknowledged;
  for (int round = 0; round < 20; ++round) {
    const std::vector<int64_t> ids = kill_recorder(path_, round, static_cast<size_t>(round) * 10);
    acknowledged.insert(acknowledged.end(), ids.begin(), ids.end());
    const store::Store store = store::Store::open(path_);
    ASSERT_EQ(query("PRAGMA integrity_check"), "ok") << round;
    for (const int64_t id : ids) ASSERT_TRUE(store.mismatch(id)) << id << " is lost in round " << round;
  }
  const store::Store store = store::Store::open(path_);
  for (const int64_t id : acknowledged) ASSERT_TRUE(store.mismatch(id)) << id << " is lost later";
  EXPECT_GT(acknowledged.size(), 20);
}

TEST_F(StoreTest, CanBeKilledWhileCreating) {
  for (int round = 0; round < 20; ++round) {
    path_ = path(fmt::format("{}.db", round));
    kill_recorder(path_, round, static_cast<size_t>(round));
    EXPECT_NO_THROW(create(1)) << round;
  }
}

}  // namespace
}  // namespace convict::test
