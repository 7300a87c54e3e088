// SPDX-License-Identifier: Apache-2.0
//
// Clients by their names: a copy of the program with clients of its own beside it.
#include <sys/stat.h>

#include <filesystem>

#include "core/text.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kName = "textbook-py";  // what the reference client calls its implementation

class NamedClient : public CliTest {
 protected:
  NamedClient() {
    fs::copy_file(CONVICT_PROGRAM, file("convict"));
    add("textbook", kName, python("clients/python/convict_client.py"), "echo 1.0");
    add("absent", "absent", "exec /nowhere/client", "cat /nowhere/version");
  }

  static std::string python(const std::string& script) {
    return "/usr/bin/python3 " + shell_quoted(CONVICT_SOURCE_DIR "/" + script);
  }
  static std::string misbehaving(const std::string& deed) { return python("tests/clients/misbehaving.py") + " " + deed; }

  /// A folder with a client of one implementation, which has its name.
  void add(const std::string& folder, const std::string& name, const std::string& command,
           const std::string& version) const {
    const json row = {{"name", name},
                      {"command", command},
                      {"version", version},
                      {"implementations", {{name, "in plain loops"}}}};
    fs::create_directories(file("clients/" + folder));
    write_file(file("clients/" + folder + "/client.json"), json::array({row}).dump());
  }

  CommandResult of(const std::vector<std::string>& words) const {
    return run_convict(words, {.directory = directory_.path(), .program = file("convict")});
  }
  CommandResult campaign(std::vector<std::string> more) const {
    more.insert(more.begin(), {"fuzz", "--oracle=none", "--shrink=none", "--format=json", "-q"});
    return of(more);
  }
};

TEST_F(NamedClient, IsATargetWithoutACommand) {
  const CommandResult result = campaign({"--target", kName, "--cases=60", "--where=in<=4"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_GT(result.json()["judged"], 50);
  EXPECT_EQ(result.json()["targets"][0]["name"], kName);
  for (const std::string& name : {kName + ":*", std::string("textbook")}) {
    const CommandResult one = of({"repro", "--oracle=none", "--target", name, "conv1d in=3 k=2", "--format=json"});
    EXPECT_EQ(one.exit_code, 0) << one.out << one.err;
    EXPECT_EQ(one.json()["implementations"][0]["name"], kName) << one.out;
    EXPECT_EQ(one.json()["implementations"][0]["outcome"], "agrees") << one.out;
  }
}

TEST_F(NamedClient, IsAWitness) {
  const CommandResult result = of({"repro", "--oracle=textbook", "--target=direct", "conv1d in=3 k=2", "--format=json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json implementations = result.json()["implementations"];
  EXPECT_EQ(implementations.back()["name"], kName);
  EXPECT_EQ(implementations.back()["outcome"], "agrees");
}

TEST_F(NamedClient, OfAFamilyIsOneWitness) {
  const json row = {{"name", "family"},
                    {"command", python("clients/python/convict_client.py")},
                    {"version", "echo 1.0"},
                    {"oracle", kName},
                    {"implementations", {{kName, "in plain loops"}}}};
  const json other = {{"name", "other"},
                      {"command", "touch started"},
                      {"version", "echo 1.0"},
                      {"implementations", {{"textbook-other", "never started"}}}};
  write_file(file("clients/textbook/client.json"), json::array({row, other}).dump());
  const CommandResult result = of({"repro", "--oracle=textbook", "--target=direct", "conv1d in=3 k=2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("oracle textbook: " + kName + " is asked"), std::string::npos) << result.out;
  EXPECT_FALSE(fs::exists(file("started")));
}

TEST_F(NamedClient, IsListedWithoutBeingStarted) {
  add("textbook", kName, "touch started", "echo 1.0");
  const json rows = of({"list", "--format=json"}).json();
  const auto row_of = [&](const std::string& name) {
    for (const json& row : rows)
      if (row["name"] == name) return row;
    return json();
  };
  EXPECT_EQ(row_of(kName), json({{"name", kName},
                                 {"version", "1.0"},
                                 {"lineage", nullptr},
                                 {"description", "in plain loops"},
                                 {"client", kName},
                                 {"command", "touch started"},
                                 {"installed", true}}));
  EXPECT_EQ(row_of("absent")["description"], "not installed; `make absent` installs it");
  EXPECT_EQ(row_of("absent")["installed"], false);
  const json doctor = of({"doctor", "--format=json"}).json();
  EXPECT_EQ(doctor["clients"][0], json({{"name", "absent"},
                                        {"folder", "absent"},
                                        {"version", ""},
                                        {"installed", false},
                                        {"state", "not installed; `make absent` installs it"}}));
  EXPECT_EQ(doctor["clients"][1]["state"], "installed");
  EXPECT_FALSE(fs::exists(file("started")));
}

TEST_F(NamedClient, IsTriedByTheDoctorWhereItIsNamed) {
  const json rows = of({"doctor", "textbook", "--format=json"}).json();
  ASSERT_EQ(rows.size(), 1u) << rows;
  EXPECT_EQ(rows[0]["name"], kName);
  EXPECT_EQ(rows[0]["state"], "works");
  EXPECT_GT(rows[0]["call_seconds"], 0);
  add("textbook", kName, misbehaving("dies"), "echo 1.0");
  const CommandResult bad = of({"doctor", "textbook"});
  EXPECT_EQ(bad.exit_code, 1) << bad.out << bad.err;
  EXPECT_NE(bad.out.find("crash on a probe"), std::string::npos) << bad.out;
  EXPECT_TRUE(refuses(of({"doctor", "textbok"}), {"'textbok'", "valid: ", kName}));
  EXPECT_TRUE(refuses(of({"doctor", "--plugin=textbook"}), {"plugin 'textbook' does not exist"})) << "a plugin is a file";
}

TEST_F(NamedClient, ThatIsNotInstalledSaysHowToDoIt) {
  EXPECT_TRUE(refuses(of({"fuzz", "--target=absent", "--oracle=none"}), {"'absent'", "`make absent` installs it"}, 125));
  EXPECT_TRUE(refuses(of({"fuzz", "--target=direct", "--oracle=absent"}), {"`make absent` installs it"}, 125));
}

TEST_F(NamedClient, ThatDoesNotStartSaysWhy) {
  add("textbook", kName, "echo broken >&2; exit 3", "echo 1.0");
  EXPECT_TRUE(refuses(of({"fuzz", "--target", kName, "--oracle=none"}), {"echo broken", "exited with code 3", "broken"}));
}

TEST_F(NamedClient, OnADeviceThatIsNotThereSaysSo) {
  const json row = {{"name", kName},
                    {"command", "echo no $0 here >&2; false"},
                    {"version", "echo 1.0"},
                    {"devices", {"abacus"}},
                    {"implementations", {{kName, "in plain loops"}}}};
  write_file(file("clients/textbook/client.json"), json::array({row}).dump());
  EXPECT_TRUE(refuses(of({"fuzz", "--target", kName + "@abacus", "--oracle=none"}), {"false abacus", "no sh here"}));
  EXPECT_TRUE(refuses(of({"fuzz", "--target", kName + "@cuda", "--oracle=none"}), {"unknown implementation"}));
}

/// Each waits until the other one is there, and only then says hello.
TEST_F(NamedClient, StartsBesideOthers) {
  std::string script = read_file(CONVICT_SOURCE_DIR "/clients/python/convict_client.py");
  script.replace(script.find(kName), kName.size(), "other");
  write_file(file("other.py"), script);
  for (const char* way : {"there", "back"}) ASSERT_EQ(mkfifo(file(way).c_str(), 0600), 0);
  add("textbook", kName, "echo > there; read line < back; " + python("clients/python/convict_client.py"), "echo 1.0");
  add("other", "other", "read line < there; echo > back; /usr/bin/python3 other.py", "echo 1.0");
  const CommandResult result =
      of({"repro", "--in-process", "--oracle=none", "--target", kName + ",other", "conv1d in=3 k=2"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(NamedClient, IsNotWhatItsTableSays) {
  add("textbook", "textbook-rs", python("clients/python/convict_client.py"), "echo 1.0");
  EXPECT_TRUE(refuses(of({"fuzz", "--target=textbook-rs", "--oracle=none"}), {"'textbook-rs'", "is not offered"}, 125));
}

TEST_F(NamedClient, IsSuggested) {
  EXPECT_TRUE(refuses(of({"fuzz", "--target=textbook-pi"}), {"did you mean 'textbook-py'?", "absent"}));
}

TEST_F(NamedClient, WithATableThatMakesNoSenseIsAUsersMistake) {
  for (const char* table : {"[{", "[{\"name\": 1}]", "[{\"name\": \"x\", \"command\": \"y\"}]", "7"}) {
    write_file(file("clients/absent/client.json"), table);
    EXPECT_TRUE(refuses(of({"fuzz", "--target=nobody", "--oracle=none"}), {"clients/absent/client.json"})) << table;
  }
}

TEST_F(NamedClient, OfTheSameNameAsTheUsersIsLeftAlone) {
  add("textbook", kName, "exit 3", "echo 1.0");
  const std::string command = python("clients/python/convict_client.py");
  const CommandResult result = campaign({"--command", command, "--target", kName, "--cases=40", "--where=in<=4"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

/// Nothing has to be named but the implementation, also by who looks at a mismatch later.
TEST_F(NamedClient, IsShownAgainByName) {
  add("textbook", kName, misbehaving("dies_of_bias"), "echo 1.0");
  const CommandResult result = campaign({"--target", kName, "--db=found.db", "--where=in<=4 bias=1", "--cases=20"});
  ASSERT_EQ(result.exit_code, 1) << result.out << result.err;
  const json first = result.mismatches()[0];
  EXPECT_EQ(first["verdict"], "crash");
  EXPECT_EQ(first["repro"].get<std::string>().find("--command"), std::string::npos) << first["repro"];
  EXPECT_EQ(of({"repro", first["id"].dump(), "--db=found.db", "--oracle=none"}).exit_code, 1);
}

/// What a worker has judged counts, although it ends because its client does.
TEST_F(NamedClient, ThatDiesTakesNoCoverageAlong) {
  add("textbook", kName, misbehaving("dies_of_batches"), "echo 1.0");
  const json result = campaign({"--target", kName, "--where=in<=4", "--cases=30", "--illegal=0", "--jobs=1"}).json();
  EXPECT_GT(result["worker_deaths"], 0);
  EXPECT_GT(result["judged"], 20);
  EXPECT_EQ(result["coverage"]["cases"], result["judged"]);
  EXPECT_GT(result["targets"][0]["pairs"], 500);
}

TEST_F(NamedClient, IsCreditedWithTheTimeOfItsBatches) {
  add("textbook", kName, misbehaving("takes_its_time"), "echo 1.0");
  const json result = campaign({"--target", kName, "--where=in<=4", "--cases=100"}).json();
  const double all = result["stages"]["call"], its = result["implementations"][0]["call_seconds"];
  EXPECT_GT(its, 0.05);
  EXPECT_NEAR(its, all, 0.01 * all);
}

}  // namespace
}  // namespace convict::test
