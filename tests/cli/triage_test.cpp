// SPDX-License-Identifier: Apache-2.0
//
// `convict triage`, `show`, `merge`, the filters of `list`, and the page of findings: on databases whose contents are
// known, some of them hostile.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/case_text.h"
#include "store/store.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

constexpr const char* kHostile = "x\x1b[31m\n# Heading\n```\n<b>*evil*</b> | [a](b)\x07";

class OrderTest : public CliTest {
 protected:
  void SetUp() override {
    store::Store store = store::Store::open(file("convict.db"));
    store::CampaignInfo info{.seed = 42, .profile = "smoke", .libraries = {{"onednn", "2.6.3"}, {"direct", "1"}}};
    const int64_t campaign = store.begin_campaign(info);
    const json certificate = {{"role", "dst"},   {"at", {0, 1}}, {"got", 1.0},   {"got_hex", "0x1p+0"},
                              {"exact", 2.0},    {"terms", 3},   {"bound", 0.0}, {"bound_name", "equality"},
                              {"text", kHostile}};
    store.record(campaign, {parse_case("conv2d in=4 k=2"), "onednn", Verdict::kWrongExact, Blame::kOracle,
                            certificate_from_json(certificate)});
    store.record(campaign, {parse_case("conv_transpose1d in=4"), "direct", Verdict::kCrash, Blame::kTarget, {}});
  }
  void write_sql(const std::string& sql) const {
    SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE, 1000).exec(sql);
  }
  std::string out(const std::vector<std::string>& words) const {
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
};

bool is_printable(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
}

TEST_F(OrderTest, TriageSaysBeforeAndAfter) {
  EXPECT_EQ(out({"triage", "1", "--status=known", "--versions=current", "--note=mine"}),
            "#1 onednn wrong-exact: new -> known for {\"onednn\":\"2.6.3\"}, 'mine'\n");
  EXPECT_EQ(out({"triage", "1", "2", "--status=fixed"}),
            "#1 onednn wrong-exact: known for {\"onednn\":\"2.6.3\"}, 'mine' -> fixed, 'mine'\n"
            "#2 direct crash: new -> fixed\n");
}

TEST_F(OrderTest, TriageRefusesWhatDoesNotExist) {
  EXPECT_TRUE(refuses(run({"triage", "2", "7", "--status=known"}), {"no mismatch 7", "the last one is 2"}));
  EXPECT_EQ(store::Store::open(file("convict.db")).mismatch(2)->status, "new");
  EXPECT_TRUE(refuses(run({"triage", "1", "--status=knwn"}), {"knwn", "known", "wontfix"}));
  EXPECT_TRUE(refuses(run({"triage", "1", "--status=known", "--versions=onedn=1"}), {"'onedn'", "'onednn'", "direct"}));
  EXPECT_TRUE(refuses(run({"triage", "1", "--status=known", "--versions=onednn"}), {"NAME=VERSION"}));
  EXPECT_TRUE(refuses(run({"triage", "1", "--status=known", "--db=no.db"}), {"'no.db'", "does not exist"}));
  EXPECT_FALSE(std::filesystem::exists(file("no.db")));
}

TEST_F(OrderTest, ListsSayForWhichVersionsItIsKnown) {
  out({"triage", "1", "--status=known", "--versions=onednn=2.5"});
  EXPECT_NE(out({"list", "mismatches"}).find("new (known for onednn 2.5)"), std::string::npos);
  EXPECT_NE(out({"show", "1"}).find("new (known for onednn 2.5)"), std::string::npos);
  EXPECT_NE(out({"report", "-q"}).find("new (known for onednn 2.5)"), std::string::npos);
  EXPECT_NE(out({"report", "-q"}).find("  new: 2\n"), std::string::npos);
  EXPECT_EQ(run({"list", "mismatches", "--status=new", "--format=json"}).json().size(), 2u);
}

TEST_F(OrderTest, AFuzzerIsGreenWithKnownMismatchesOfTheseVersionsOnly) {
  const std::vector<std::string> fuzz = {
      "fuzz",          "--plugin=" + plugin("guilty"), "--oracle=none", "--cases=200", "-q",
      "--shrink=none", "--profile=output-padding",     "--db=f.db"};
  ASSERT_EQ(run(fuzz).exit_code, 1);
  std::vector<std::string> triage = {"triage", "--db=f.db", "--status=known", "--versions=current"};
  const json rows = run({"list", "mismatches", "--db=f.db", "--format=json"}).json();
  for (const json& row : rows) triage.push_back(std::to_string(row["id"].get<int>()));
  out(triage);
  EXPECT_EQ(run(fuzz).exit_code, 0);
  SQLite::Database(file("f.db"), SQLite::OPEN_READWRITE, 1000)
      .exec("UPDATE mismatches SET versions = '{\"guilty\":\"0\"}'");
  EXPECT_EQ(run(fuzz).exit_code, 1);
}

TEST_F(OrderTest, ShowsEverything) {
  write_sql(
      "UPDATE mismatches SET note = 'a note', link = 'https://example.org/1', predicate = 'k >= 2', "
      "geography = 'last column', explanation = '{\"shrink_runs\":3,\"explain_runs\":12}', "
      "shrunk_text = 'conv2d in=2x2 k=2x2', shrunk_certificate = certificate WHERE id = 1");
  const std::string text = out({"show", "1"});
  for (const char* part :
       {"#1 onednn wrong-exact (blame: oracle)\n", "onednn|wrong-exact|conv2d\n", "a note", "https://example.org/1",
        "conv2d in=4x4 k=2x2\n", "conv2d in=2x2 k=2x2\n", "k >= 2", "last column", "3 runs to shrink, 12 to explain\n",
        "dst[0,1] is 1.0 (0x1p+0), exact is 2.0 (?)", "campaign 1: 1 hits, profile smoke, seed 42", "convict repro 1\n",
        "convict export 1 --to pytorch\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  const json row = run({"show", "1", "--format=json"}).json();
  EXPECT_EQ(row["sightings"][0]["seed"], "42");
  EXPECT_EQ(row["shrunk"], "conv2d in=2x2 k=2x2");
  EXPECT_EQ(row["explanation"]["explain_runs"], 12);
  EXPECT_TRUE(refuses(run({"show", "9"}), {"no mismatch 9"}));
  EXPECT_TRUE(refuses(run({"show", "1", "--db=no.db"}), {"does not exist"}));
}

TEST_F(OrderTest, HostileTextIsInert) {
  SQLite::Database db(file("convict.db"), SQLite::OPEN_READWRITE, 1000);
  for (const char* column : {"note", "link", "predicate", "geography", "suspect", "case_text", "triaged", "verdict"}) {
    SQLite::Statement update(db, std::string("UPDATE mismatches SET ") + column + " = ? WHERE id = 1");
    update.bind(1, kHostile);
    update.exec();
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", "1"},
                                                {"show", "1", "--format=json"},
                                                {"list", "mismatches"},
                                                {"report", "-q"},
                                                {"report", "--format=findings"}})
    EXPECT_TRUE(is_printable(out(words))) << words[0];
  const std::string page = out({"report", "--format=findings"});
  EXPECT_EQ(page.find("\n# Heading"), std::string::npos) << page;
  for (size_t at = page.find("<b>"); at != std::string::npos; at = page.find("<b>", at + 1)) {
    const size_t line = page.rfind('\n', at) + 1;  // only in a code block, where it is text
    EXPECT_TRUE(page.substr(line).starts_with("$ convict") || page.substr(line).starts_with("    text")) << page;
  }
  EXPECT_NE(page.find("\n\\# Heading\n"), std::string::npos) << page;
  size_t fences = 0;
  for (size_t at = page.find("\n```"); at != std::string::npos; at = page.find("\n```", at + 1)) ++fences;
  EXPECT_EQ(fences, 2u) << page;
}

TEST_F(OrderTest, FindingsAreThoseOfOraclesOrOfOneSuspect) {
  out({"triage", "1", "--status=reported", "--link=https://example.org/1", "--note=- first\nsecond"});
  const std::string page = out({"report", "--format=findings"});
  for (const char* part :
       {"# Findings\n", "## 1. onednn 2.6.3: wrong-exact\n", "$ convict repro --oracle onednn 'conv2d", "exact is 2.0",
        "Status: reported, <https://example.org/1>. Seen 1 times", "\n\\- first\n\nsecond\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part << " is not in:\n" << page;
  EXPECT_EQ(page.find("direct"), std::string::npos) << page;
  EXPECT_NE(out({"report", "--format=findings", "--suspect=direct"}).find("## 1. direct 1: crash"), std::string::npos);
  EXPECT_NE(out({"report", "--format=findings", "--suspect=nobody"}).find("\nNothing.\n"), std::string::npos);
  EXPECT_EQ(out({"report", "--format=findings", "--output=page.md"}), "");
  EXPECT_EQ(read_file(file("page.md")), page);
}

TEST_F(OrderTest, ListsWhatIsAskedFor) {
  const auto ids = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"list", "mismatches", "--format=json"});
    std::vector<int> list;
    const json rows = run(words).json();
    for (const json& row : rows) list.push_back(row["id"]);
    return list;
  };
  using Ids = std::vector<int>;
  EXPECT_EQ(ids({}), (Ids{1, 2}));
  EXPECT_EQ(ids({"--op=conv_transpose"}), Ids{2});
  EXPECT_EQ(ids({"--verdict=wrong-exact"}), Ids{1});
  EXPECT_EQ(ids({"--limit=1"}), Ids{1});
  EXPECT_EQ(ids({"--since=2020-02-29"}), (Ids{1, 2}));
  EXPECT_EQ(ids({"--until=2020-02-29T23:00:00Z"}), Ids{});
  for (const char* date :
       {"2026-02-30", "2026-1-1", "yesterday", "2026-11-21T02:13", "2026-11-21 02:13:28Z", "2026-11-21x"})
    EXPECT_TRUE(refuses(run({"list", "mismatches", "--since", date}), {"--since", "2026-11-21T02:13:28Z"})) << date;
  EXPECT_TRUE(refuses(run({"list", "mismatches", "--verdict=wrong"}), {"wrong-exact"}));
}

TEST_F(OrderTest, MergesFromTheCommandLine) {
  EXPECT_EQ(out({"merge", "all.db", "convict.db"}),
            "all.db: 1 campaign (1 new), 2 mismatches (2 new), of 1 database\n");
  EXPECT_EQ(out({"merge", "all.db", "convict.db"}),
            "all.db: 1 campaign (0 new), 2 mismatches (0 new), of 1 database\n");
  EXPECT_TRUE(refuses(run({"merge", "all.db", "all.db"}), {"both output and input"}));
  EXPECT_TRUE(refuses(run({"merge", "all.db"}), {"inputs"}));
  EXPECT_TRUE(refuses(run({"merge", "new.db", "no.db"}), {"'no.db'", "does not exist"}));
  EXPECT_FALSE(std::filesystem::exists(file("new.db")));
}

}  // namespace
}  // namespace convict::test
