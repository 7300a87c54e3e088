// SPDX-License-Identifier: Apache-2.0
//
// What is promised about the database: de-duplication, one-line refusals, and nothing lost to a kill -9 or a full disk.
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "store/database.h"
#include "store/schema.h"

namespace convict {
namespace {

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

  /// Blocks until there is some, or until the child has ended: then empty.
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

void send(int output, const std::string& text) {
  if (write(output, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
}

/// What `body` says, in a process of its own: it may change limits and users.
std::string in_child(const std::function<std::string()>& body) {
  Child child([&](int output) {
    try {
      send(output, body());
    } catch (const std::exception& error) {
      send(output, std::string("exception: ") + error.what());
    }
  });
  return child.read_all();
}

Mismatch wrong(const std::string& line, const std::string& suspect = "direct") {
  return {parse_case(line), suspect, Verdict::kWrongExact, Blame::kTarget, {{"case", line}}};
}

/// The message of the UsageError `body` throws: one line that names the file.
std::string refusal(const std::function<void()>& body, const std::string& path) {
  try {
    body();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find("database '" + path + "': "), std::string::npos) << message;
    return message;
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
    return refusal([this] { Store::open(path_, milliseconds(50)); }, path_);
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
    Store store = Store::open(path_);
    const int64_t campaign = store.begin_campaign({});
    for (int i = 0; i < mismatches; ++i)
      store.record(campaign, wrong("conv2d in=4x4", fmt::format("kernel{}{}", i, std::string(2000, 'x'))));
  }

  fs::path directory_;
  std::string path_;
};

std::string contains(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos ? "" : fmt::format("no '{}' in: {}", part, message);
}

TEST_F(StoreTest, CreatesAndReopens) {
  create(1);
  EXPECT_EQ(Store::open(path_).mismatches().size(), 1);
}

TEST_F(StoreTest, MarksTheFileAsOurs) {
  create();
  EXPECT_EQ(query("PRAGMA user_version"), std::to_string(store::kMigrations.size()));
  EXPECT_EQ(query("PRAGMA application_id"), std::to_string(store::kApplicationId));
  EXPECT_EQ(query("PRAGMA journal_mode"), "wal");
}

TEST_F(StoreTest, TakesAnEmptyFileForANewDatabase) {
  std::ofstream{path_};
  create(1);
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
}

TEST_F(StoreTest, DoesNotTakeANameForAnUri) {
  fs::current_path(directory_);
  Store::open("file:other.db?mode=memory");
  fs::current_path("/");
  EXPECT_TRUE(fs::exists(path("file:other.db?mode=memory")));
}

TEST_F(StoreTest, KeepsACampaign) {
  Store store = Store::open(path_);
  const int64_t id = store.begin_campaign({.seed = ~uint64_t{0},
                                           .profile = "smoke",
                                           .flags = {{"jobs", 2}},
                                           .libraries = {{"onednn", "2.6.3"}},
                                           .isa = "avx2",
                                           .version = "0.1.0"});
  EXPECT_EQ(query("SELECT seed || profile || flags || libraries || isa || convict_version || state FROM campaigns"),
            R"(18446744073709551615smoke{"jobs":2}{"onednn":"2.6.3"}avx20.1.0running)");
  store.update_campaign(id, {{"passed", 7}}, "running");
  EXPECT_EQ(query("SELECT counts || (ended IS NULL) FROM campaigns"), R"({"passed":7}1)");
  store.update_campaign(id, {{"passed", 8}}, "finished");
  EXPECT_EQ(query("SELECT state || (ended >= started) FROM campaigns"), "finished1");
}

TEST_F(StoreTest, KeepsAMismatch) {
  Store store = Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  const int64_t id = store.record(campaign, wrong("conv_transpose2d in=2x3 k=2 s=2x1 op=1x0 seed=7")).id;
  const MismatchRow row = store.mismatch(id).value();
  EXPECT_EQ(row.signature, "direct|wrong-exact|conv_transpose2d");
  EXPECT_EQ(row.verdict + " " + row.suspect + " " + row.blame, "wrong-exact direct target");
  EXPECT_EQ(row.case_text, "conv_transpose2d in=2x3 k=2x2 s=2x1 op=1x0 seed=7");
  EXPECT_EQ(row.cost, 24);
  EXPECT_EQ(row.shrunk_text, std::nullopt);
  EXPECT_EQ(row.certificate["case"], "conv_transpose2d in=2x3 k=2 s=2x1 op=1x0 seed=7");
  EXPECT_EQ(row.first_seen.size(), std::string("2023-06-10T12:34:56Z").size());
  EXPECT_EQ(row.first_seen, row.last_seen);
  EXPECT_EQ(row.status + row.link + row.note, "new");
  EXPECT_EQ(row.first_campaign, campaign);
}

TEST_F(StoreTest, KnowsNoOtherMismatch) { EXPECT_EQ(Store::open(path_).mismatch(1), std::nullopt); }

TEST_F(StoreTest, CountsHitsOfOneSignature) {
  Store store = Store::open(path_);
  const int64_t first = store.begin_campaign({}), second = store.begin_campaign({});
  const Recorded once = store.record(first, wrong("conv2d in=4x4"));
  const Recorded twice = store.record(second, wrong("conv2d in=5x5"));
  EXPECT_TRUE(once.first_ever);
  EXPECT_FALSE(twice.first_ever);
  EXPECT_EQ(once.id, twice.id);
  const MismatchRow row = store.mismatches().at(0);
  EXPECT_EQ(row.hits, 2);
  EXPECT_EQ(row.first_campaign, first);
  EXPECT_EQ(row.last_campaign, second);
}

TEST_F(StoreTest, NumbersSignaturesWithoutGaps) {
  Store store = Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (int i = 0; i < 3; ++i) store.record(campaign, wrong("conv2d in=4x4"));
  EXPECT_EQ(store.record(campaign, wrong("conv1d in=4")).id, 2);
}

TEST_F(StoreTest, ShowsTheSimplestCaseWhateverTheOrder) {
  // Fewest multiply-adds, then the shortest line, then the order of text; the last is the answer.
  std::vector<std::string> lines = {"conv2d in=9x9", "conv2d in=4x4 seed=10", "conv2d in=4x4 seed=3",
                                    "conv2d in=4x4 seed=2"};
  const std::string simplest = lines.back();
  std::sort(lines.begin(), lines.end());
  do {
    fs::remove(path_);
    Store store = Store::open(path_);
    const int64_t campaign = store.begin_campaign({});
    for (const std::string& line : lines) store.record(campaign, wrong(line));
    const MismatchRow row = store.mismatches().at(0);
    EXPECT_EQ(row.case_text, simplest);
    EXPECT_EQ(row.certificate["case"], simplest);
    EXPECT_EQ(row.cost, 16);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST_F(StoreTest, ShowsTheSameCertificateWhateverTheOrder) {
  Mismatch one = wrong("conv2d in=4x4"), other = one;
  one.certificate = {{"got", "0x1p0"}};
  other.certificate = {{"got", "0x1p1"}};
  Store store = Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const Mismatch& mismatch : {other, one, other}) store.record(campaign, mismatch);
  EXPECT_EQ(store.mismatches().at(0).certificate, one.certificate);
}

TEST_F(StoreTest, KeepsWhatPeopleWrote) {
  Store store = Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  store.record(campaign, wrong("conv2d in=5x5"));
  write_sql("UPDATE mismatches SET status = 'reported', link = 'https://example.org/1', note = 'mine'");
  EXPECT_EQ(store.record(campaign, wrong("conv2d in=4x4")).status, "reported");
  const MismatchRow row = store.mismatches().at(0);
  EXPECT_EQ(row.case_text, "conv2d in=4x4");
  EXPECT_EQ(row.status + " " + row.link + " " + row.note, "reported https://example.org/1 mine");
}

TEST_F(StoreTest, ListsByStatusAndSuspect) {
  Store store = Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const char* suspect : {"direct", "onednn", "winograd"}) store.record(campaign, wrong("conv2d in=4x4", suspect));
  write_sql("UPDATE mismatches SET status = 'known' WHERE suspect = 'onednn'");
  EXPECT_EQ(store.mismatches().size(), 3);
  EXPECT_EQ(store.mismatches({.status = "new"}).size(), 2);
  EXPECT_EQ(store.mismatches({.suspect = "onednn"}).size(), 1);
  EXPECT_EQ(store.mismatches({.status = "new", .suspect = "onednn"}).size(), 0);
}

TEST_F(StoreTest, TakesOutputThatIsNotUtf8) {
  Store store = Store::open(path_);
  Mismatch crash = wrong("conv2d in=4x4");
  crash.certificate = {{"output_tail", std::string("a\xff\0b", 4)}};
  const int64_t id = store.record(store.begin_campaign({}), crash).id;
  EXPECT_EQ(store.mismatch(id)->certificate["output_tail"], std::string("a\xef\xbf\xbd\0b", 6));
}

TEST_F(StoreTest, RefusesAnUnknownCampaign) {
  Store store = Store::open(path_);
  const auto record = [&store] { store.record(7, wrong("conv2d in=4x4")); };
  EXPECT_EQ(contains(refusal(record, path_), "FOREIGN KEY"), "");
  const auto update = [&store] { store.update_campaign(7, {}, "finished"); };
  EXPECT_EQ(contains(refusal(update, path_), "campaign 7 is gone"), "");
}

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
  EXPECT_EQ(contains(open_refusal(), "its schema has version 99, and this convict knows up to 1; use a newer"), "");
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
  Store store = Store::open(path_, milliseconds(50));
  const auto record = [&store] { store.record(1, wrong("conv2d in=4x4")); };
  EXPECT_EQ(contains(refusal(record, path_), "locked by another process for too long"), "");
  other.kill();
  other.read_all();  // until it has ended
  EXPECT_TRUE(store.record(1, wrong("conv2d in=4x4")).first_ever);
}

TEST_F(StoreTest, LetsProcessesCreateAndRecordTogether) {
  constexpr int kProcesses = 6, kHits = 20;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i)
    children.push_back(std::make_unique<Child>([this](int output) {
      try {
        Store store = Store::open(path_, milliseconds(60000));
        const int64_t campaign = store.begin_campaign({});
        for (int hit = 0; hit < kHits; ++hit) store.record(campaign, wrong("conv2d in=4x4"));
        send(output, "done");
      } catch (const std::exception& error) {
        send(output, error.what());
      }
    }));
  for (const auto& child : children) EXPECT_EQ(child->read_all(), "done");
  EXPECT_EQ(Store::open(path_).mismatches().at(0).hits, kProcesses * kHits);
}

/// Records until the store refuses, then calls `make_room`; says what was wrong, and whether all is well afterwards.
std::string fill_up(const std::string& path, const std::function<void()>& make_room) {
  std::string message;
  int64_t kept = 0;
  {
    Store store = Store::open(path);
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
  EXPECT_EQ(contains(outcome, "cannot be read or written (disk I/O error); check the disk"), "");
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
  EXPECT_EQ(contains(outcome, "the disk is full; make room"), "");
  EXPECT_EQ(contains(outcome, "integrity: ok"), "");
}

/// Kills a process that opens (at first: creates) the database and records new signatures, the earlier the smaller
/// `round` is. Returns the ids that it has acknowledged.
std::vector<int64_t> kill_recorder(const std::string& path, int round) {
  Child recorder([&](int output) {
    Store store = Store::open(path);
    const int64_t campaign = store.begin_campaign({});
    for (int i = 0;; ++i)
      send(output,
           fmt::format("{}\n", store.record(campaign, wrong("conv2d in=4x4", fmt::format("r{}i{}", round, i))).id));
  });
  usleep(static_cast<useconds_t>(1000 * round));
  recorder.kill();
  std::istringstream lines(recorder.read_all());
  std::vector<int64_t> ids;
  for (int64_t id; lines >> id;) ids.push_back(id);
  return ids;
}

TEST_F(StoreTest, LosesNothingToKill9) {
  std::vector<int64_t> acknowledged;
  for (int round = 0; round < 20; ++round) {
    const std::vector<int64_t> ids = kill_recorder(path_, round * 2);
    acknowledged.insert(acknowledged.end(), ids.begin(), ids.end());
    const Store store = Store::open(path_);
    ASSERT_EQ(query("PRAGMA integrity_check"), "ok") << round;
    for (const int64_t id : acknowledged) ASSERT_TRUE(store.mismatch(id)) << id << " is lost in round " << round;
  }
  EXPECT_GT(acknowledged.size(), 20);
}

TEST_F(StoreTest, CanBeKilledWhileCreating) {
  for (int round = 0; round < 20; ++round) {
    path_ = path(fmt::format("{}.db", round));
    kill_recorder(path_, round / 4);
    EXPECT_NO_THROW(create(1)) << round;
  }
}

TEST_F(StoreTest, MigratesStepByStep) {
  SQLite::Database db(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const char* const steps[] = {"CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"};
  store::migrate(db, std::span(steps, 1), path_);
  db.exec("INSERT INTO a VALUES (1)");
  store::migrate(db, steps, path_);
  EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), 2);
  EXPECT_TRUE(db.execAndGet("SELECT y FROM a").isNull());
}

TEST_F(StoreTest, KeepsTheOldSchemaIfAStepFails) {
  SQLite::Database db(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const char* const steps[] = {"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"};
  EXPECT_THROW(store::migrate(db, steps, path_), SQLite::Exception);
  EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_FALSE(db.tableExists("b"));
}

}  // namespace
}  // namespace convict
