// SPDX-License-Identifier: Apache-2.0
//
// Programs on trial: what clients do wrong has its verdict, harms no campaign, and leaves nobody behind.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <sstream>

#include "core/text.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

const std::string kClients = CONVICT_SOURCE_DIR "/clients/", kPython = "/usr/bin/python3 ";

class ProcessTarget : public CliTest {
 protected:
  static std::string python_client() { return kPython + shell_quoted(kClients + "python/convict_client.py"); }
  static std::string c_client() { return shell_quoted(CONVICT_TEST_PLUGINS "/convict_client"); }
  static std::string misbehaving(const std::string& deed) {
    return kPython + shell_quoted(CONVICT_SOURCE_DIR "/tests/clients/misbehaving.py") + " " + deed;
  }

  CommandResult on_trial(const std::string& command, std::vector<std::string> words) const {
    words.insert(words.end(), {"--command", command, "--oracle=none", "--format=json"});
    return run(words);
  }
  CommandResult campaign(const std::string& command, std::vector<std::string> more) const {
    more.insert(more.begin(), {"fuzz", "--shrink=none", "-q"});
    return on_trial(command, more);
  }
};

constexpr const char* kCase = "conv2d ic=2 oc=2 in=5 k=3 p=1";

class ReferenceClient : public ProcessTarget, public testing::WithParamInterface<const char*> {
 protected:
  static std::string command() { return GetParam() == std::string("c") ? c_client() : python_client(); }
};

TEST_P(ReferenceClient, ComputesWhatItTakes) {
  const CommandResult result = campaign(command(), {"--cases=300", "--where=in<=4"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_GT(result.json()["judged"], 280);
}

TEST_P(ReferenceClient, IsListedAsAnImplementation) {
  const json rows = run({"list", "--format=json", "--command", command()}).json();
  const std::string name = std::string("textbook-") + (GetParam() == std::string("c") ? "c" : "py");
  const auto row = std::ranges::find_if(rows, [&](const json& one) { return one["name"] == name; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ((*row)["version"], "1.0");
}

INSTANTIATE_TEST_SUITE_P(In, ReferenceClient, testing::Values("c", "python"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(ProcessTarget, IsGivenToEveryCommand) {
  write_file(file("some.cases"), "conv2d in=5\nconv1d in=4 k=2\nconv2d in=3 k=2 bias\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"repro", kCase}, {"replay", "some.cases"}, {"explain", kCase}, {"shrink", kCase}}) {
    const CommandResult result = on_trial(c_client(), words);
    EXPECT_EQ(result.exit_code, words[0] == "explain" || words[0] == "shrink" ? 2 : 0) << words[0] << result.err;
    EXPECT_EQ(result.err.find("command"), std::string::npos) << result.err;  // explain: nothing fails
  }
}

TEST_F(ProcessTarget, IsMeasured) {
  const CommandResult result = on_trial(c_client(), {"bench", "conv2d in=8x8 k=3x3", "--time=1ms", "-q"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_GT(result.json()["layers"][0]["gflops"]["textbook-c"], 0) << result.out;
}

TEST_F(ProcessTarget, CanBeAMutant) {
  const CommandResult result = run(
      {"score", "--command", misbehaving("prints"), "--seeds=1", "--budget=5s", "--cases=300", "--format=json", "-q"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.json()["found_by_all"], 1) << result.out;
}

TEST_F(ProcessTarget, KnownCausesAreReplayedOnIt) {
  write_file(file("mine.causes"),
             "cause client-dies\ntitle It dies\nsuspect textbook-py\nversions 1.0\nverdicts crash\n"
             "when operation = conv and pass = forward and dt.src = f32\ncase conv1d in=3 k=2\n");
  const auto check = [&](const std::string& deed) {
    return run({"check-causes", "mine.causes", "--command", misbehaving(deed), "--covered=3"});
  };
  EXPECT_EQ(check("dies").exit_code, 0) << check("dies").out;
  EXPECT_EQ(check("behaves").exit_code, 1) << check("behaves").out;
}

/// The text with the process and the descriptor of docs/process-targets.md: both depend on who started the test.
std::string with_documented_path(std::string text) {
  const size_t begin = text.find("/proc/");
  return begin == std::string::npos ? text : text.replace(begin, text.find('"', begin) - begin, "/proc/4711/fd/16");
}

/// The block of docs/process-targets.md behind "## A session".
std::string documented_session() {
  const std::string page = read_file(CONVICT_SOURCE_DIR "/docs/process-targets.md");
  const size_t begin = page.find("```\n", page.find("## A session")) + 4;
  return page.substr(begin, page.find("```", begin) - begin);
}

TEST_F(ProcessTarget, SessionIsAsDocumented) {
  // sed, not tee: it writes the file before it passes the line on, so that no end of the campaign can come between.
  const std::string tapped = fmt::format("sed -u 'w questions' | {} | sed -u 'w answers'", c_client());
  ASSERT_EQ(on_trial(tapped, {"repro", "--in-process", "--relations=none", "conv1d in=3 k=2"}).exit_code, 0);
  std::istringstream questions(read_file(file("questions"))), answers(read_file(file("answers")));
  std::string session;
  for (std::string question, answer; std::getline(questions, question) && std::getline(answers, answer);)
    session += "> " + question + "\n< " + answer + "\n";
  EXPECT_EQ(with_documented_path(session), documented_session());
}

TEST_F(ProcessTarget, ReplaysAreJudgedInBatches) {
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += fmt::format("conv1d in={} k=2 p=1 seed={}\n", i % 7 + 1, i);
  write_file(file("many.cases"), lines);
  const CommandResult result = on_trial(c_client(), {"replay", "many.cases"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

struct ClientDeed {
  const char *name, *verdict, *text;
};
void PrintTo(const ClientDeed& deed, std::ostream* out) { *out << deed.name; }

class Misbehaving : public ProcessTarget, public testing::WithParamInterface<ClientDeed> {
 protected:
  /// Who hangs does so in each call, so that nothing has to be ready in time. Who closes its stdout is waited for as
  /// long. All others do their deed, however long it takes on a busy machine: eating 400 MB takes more than a second.
  static std::string timeout() {
    if (GetParam().verdict == std::string("hang")) return "200ms";
    return GetParam().text == std::string("closed its stdout") ? "1s" : "10m";
  }
};

TEST_P(Misbehaving, HasItsVerdict) {
  const CommandResult result =
      on_trial(misbehaving(GetParam().name), {"repro", kCase, "--timeout=" + timeout(), "--memory=400M"});
  const json mismatches = result.json()["mismatches"];
  ASSERT_EQ(mismatches.size(), 1) << result.out << result.err;
  EXPECT_EQ(mismatches[0]["verdict"], GetParam().verdict) << result.out;
  EXPECT_EQ(mismatches[0]["suspect"], "textbook-py");
  EXPECT_NE(mismatches[0]["certificate"].dump().find(GetParam().text), std::string::npos) << result.out;
  const bool is_killed_by_us = GetParam().verdict == std::string("hang") || GetParam().verdict == std::string("oom");
  EXPECT_FALSE(is_killed_by_us && mismatches[0]["certificate"].contains("signal")) << result.out;
  wait_for_end_of_all_in(directory_.path());
}

TEST_P(Misbehaving, HarmsNoCampaign) {
  // Each case of these costs all the time or memory that a call has, or the time that a client has to end.
  const bool costly = GetParam().verdict == std::string("hang") || GetParam().verdict == std::string("oom") ||
                      GetParam().text == std::string("closed its stdout");
  const int cases = costly ? 2 : 8;
  std::vector<std::string> words = {fmt::format("--cases={}", cases), "--illegal=0", "--where=in<=3"};
  if (costly) words.insert(words.end(), {"--timeout=" + timeout(), "--memory=400M"});
  const CommandResult result = campaign(misbehaving(GetParam().name), words);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_EQ(result.json()["cases"], cases);
  wait_for_end_of_all_in(directory_.path());
}

INSTANTIATE_TEST_SUITE_P(
    Client, Misbehaving,
    testing::Values(ClientDeed{"dies", "crash", "Aborted"}, ClientDeed{"exits", "crash", "exited with code 3"},
                    ClientDeed{"ends_quietly", "crash", "exited with code 0"}, ClientDeed{"hangs", "hang", ""},
                    ClientDeed{"stops_itself", "hang", ""}, ClientDeed{"survives_sigterm", "hang", ""},
                    ClientDeed{"waits_after_half_a_line", "hang", ""}, ClientDeed{"eats_memory", "oom", ""},
                    ClientDeed{"talks_nonsense", "crash", "not JSON: 'what?'"},
                    ClientDeed{"prints", "crash", "computing..."},
                    ClientDeed{"says_half_a_line", "crash", "exited with code 0"},
                    ClientDeed{"never_ends_its_line", "crash", "more than 1048576 bytes"},
                    ClientDeed{"answers_what_was_not_asked", "crash", "answered 2 problems when it was asked 1"},
                    ClientDeed{"answers_the_question_before", "crash", "answered question"},
                    ClientDeed{"has_another_status", "crash", "'perhaps'; valid: ok, refused"},
                    ClientDeed{"closes_its_stdout", "crash", "closed its stdout"},
                    ClientDeed{"writes_an_input", "input-written", "read-only input"},
                    ClientDeed{"writes_behind_its_output", "out-of-bounds", "dst"},
                    ClientDeed{"writes_before_its_output", "out-of-bounds", "dst"},
                    ClientDeed{"leaves_an_output", "output-unwritten", "dst"},
                    ClientDeed{"shrinks_the_file", "crash", "Operation not permitted"},
                    ClientDeed{"leaves_children_and_exits", "crash", "exited with code 1"},
                    ClientDeed{"leaves_a_daemon_and_dies", "crash", "Aborted"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ProcessTarget, BatchesChangeNoVerdict) {
  const std::vector<std::string> flags = {"--cases=150", "--where=in<=3", "--illegal=0.1"};
  const json alone = campaign(misbehaving("takes_one_at_a_time"), flags).json();
  for (const char* deed : {"behaves", "forgets"}) {
    const json together = campaign(misbehaving(deed), flags).json();
    for (const char* key :
         {"cases", "judged", "unjudged", "illegal", "mistrusted", "mismatches", "refusals", "targets"})
      EXPECT_EQ(alone[key], together[key]) << deed << ' ' << key;
  }
}

/// The call of a relation may be the same question, about an output that is not part of a larger buffer.
TEST_F(ProcessTarget, AViewIsNotTakenForWhatIsNone) {
  for (const char* deed : {"behaves", "forgets"})
    for (const char* seed : {"3", "8", "2", "1"}) {
      const CommandResult result =
          run({"repro", "--command", misbehaving(deed), "--oracle=none", "--after=conv1d in=4",
               std::string("conv1d n=3 oc=2 in=1 view=dst calls=refilled seed=") + seed});
      EXPECT_EQ(result.exit_code, 0) << deed << ' ' << seed << '\n' << result.out << result.err;
    }
}

/// Calls of relations are known before; and where nothing of a call shows in a later one, so are those of all cases.
TEST_F(ProcessTarget, WhatWillBeCalledIsCalledTogether) {
  const auto messages = [&](const std::string& deed, const std::string& where) {
    std::filesystem::remove(file("asked.txt"));
    campaign(misbehaving(deed), {"--cases=96", "--where=in<=3 fill=int" + where, "--illegal=0"});
    std::istringstream asked(read_file(file("asked.txt")));
    return std::vector<int>{std::istream_iterator<int>(asked), {}};
  };
  const std::vector<int> notes = messages("notes", " calls=once"), forgets = messages("forgets", "");
  EXPECT_LE(std::ranges::count(notes, 1), 20) << "one by one, the calls of relations were 46 messages more";
  EXPECT_LE(std::ranges::count(forgets, 1), 4);
  EXPECT_LE(std::ranges::max(notes), 32) << "the batch of the client";
  EXPECT_GT(std::accumulate(forgets.begin(), forgets.end(), 0), 96) << "relations have calls of their own";
}

/// Before case 200 none aims at a rare pair.
TEST_F(ProcessTarget, IsAskedForPairsOfALongCampaignOnly) {
  const auto pairs = [&](const char* cases) {  // which are all of levels that it takes, if nobody looks
    const json report = campaign(c_client(), {"--start=190", cases, "--where=conv1d.forward dt=f32"}).json();
    return report["targets"][0]["pairs_in_domain"].get<int>();
  };
  EXPECT_GT(pairs("--cases=10"), pairs("--cases=11"));
}

/// What takes half a second to start, as a compiler does, needs batches most.
TEST_F(ProcessTarget, SlowOnesHaveBatchesAsWell) {
  campaign(misbehaving("takes_its_time"), {"--cases=40", "--where=in<=3", "--illegal=0"});
  std::istringstream asked(read_file(file("asked.txt")));
  const std::vector<int> sizes{std::istream_iterator<int>(asked), {}};
  ASSERT_FALSE(sizes.empty());
  EXPECT_GT(std::ranges::max(sizes), 10);
}

TEST_F(ProcessTarget, ADeathInABatchIsThatOfTheCaseThatCausesIt) {
  const json mismatches =
      campaign(misbehaving("dies_of_bias"), {"--cases=60", "--where=in<=3", "--illegal=0"}).json()["mismatches"];
  ASSERT_FALSE(mismatches.empty());
  for (const json& one : mismatches) {
    EXPECT_EQ(one["suspect"], "textbook-py");
    EXPECT_NE(one["case"].get<std::string>().find("bias"), std::string::npos) << one;
  }
}

TEST_F(ProcessTarget, ADeathInBatchesOnlyIsKept) {
  const json report = campaign(misbehaving("dies_of_batches"), {"--cases=40", "--where=in<=3", "--illegal=0"}).json();
  EXPECT_EQ(report["cases"], 40);
  ASSERT_FALSE(report["mismatches"].empty());
  for (const json& one : report["mismatches"]) {
    EXPECT_EQ(one["verdict"], "crash") << one;
    EXPECT_NE(one["certificate"].dump().find("several problems at once"), std::string::npos) << one;
  }
}

TEST_F(ProcessTarget, WhatItSaidBeforeItsEndCounts) {
  const CommandResult result =
      on_trial(misbehaving("answers_leaves_children_and_exits"), {"repro", kCase, "--relations=none"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(ProcessTarget, ThatForksLeavesNobodyBehind) {
  EXPECT_EQ(on_trial(misbehaving("forks"), {"repro", kCase}).exit_code, 0);
  EXPECT_EQ(campaign(misbehaving("forks"), {"--cases=20", "--where=in<=3"}).exit_code, 0);
  wait_for_end_of_all_in(directory_.path());
}

TEST_F(ProcessTarget, ThatCannotStartIsNamed) {
  EXPECT_TRUE(refuses(run({"fuzz", "--command=./no-such-client"}),
                      {"'./no-such-client'", "exited with code 127", "not found"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--command=true"}), {"'true'", "exited with code 0"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--command=echo hello"}), {"'echo hello'", "not JSON: 'hello'"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--command=" + misbehaving("is_of_another_version")}),
                      {"speaks version 2", "this program speaks version 1"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--command=fd:99"}), {"'fd:99'", "no socket"}));
}

TEST_F(ProcessTarget, IsNamedByTheLineThatShowsAMismatchAgain) {
  const CommandResult found = campaign(misbehaving("leaves_an_output"), {"--cases=5", "--illegal=0", "--where=in<=3"});
  const std::string repro = found.json()["mismatches"][0]["repro"];
  EXPECT_NE(repro.find("--command "), std::string::npos) << repro;
  EXPECT_EQ(run({"repro", "1", "--oracle=none"}).exit_code, 1);  // the command of the campaign is known
}

}  // namespace
}  // namespace convict::test
