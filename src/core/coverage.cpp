// SPDX-License-Identifier: Apache-2.0
#include "core/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <tuple>
#include <utility>

#include "core/error.h"

namespace convict::inline core {
namespace {

constexpr uint8_t kMore = 2;  // the count of "more often"

/// The numbering of tuples. Tuples of features (i, j, *) with the same levels of i and j form one row: the levels of
/// all features behind j side by side. So counting a case walks along rows.
struct Numbering {
  std::array<uint32_t, kFeatureCount + 1> column{};                          // levels of all features before this one
  std::array<uint32_t, kFeatureCount> pairs{};                               // id of (i level 0, first level behind i)
  std::array<std::array<uint32_t, kFeatureCount>, kFeatureCount> triples{};  // likewise for (i, j)
  uint32_t pair_count = 0, count = 0;
  uint64_t version = 0xcbf29ce484222325;  // FNV-1a of all names: identifies the feature table

  /// The length of a row: the levels of all features behind `feature`.
  uint32_t row(int feature) const { return column[kFeatureCount] - column[feature + 1]; }
};

uint32_t size_of(int feature) { return static_cast<uint32_t>(features()[feature].levels.size()); }

Numbering make_numbering() {
  Numbering n;
  const auto hash = [&](std::string_view name) {
    for (const char byte : name) n.version = (n.version ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    n.version = (n.version ^ 0xff) * 0x100000001b3;  // so that names do not run into each other
  };
  for (const Feature& feature : features()) {
    hash(feature.name);
    for (const std::string_view level : feature.levels) hash(level);
    n.column[feature.id + 1] = n.column[feature.id] + size_of(feature.id);
  }
  assert(n.column[kFeatureCount] <= 64 * std::tuple_size_v<ColumnSet>);
  for (int i = 0; i < kFeatureCount; ++i) {
    n.pairs[i] = n.count;
    n.count += size_of(i) * n.row(i);
  }
  n.pair_count = n.count;
  for (int i = 0; i < kFeatureCount; ++i)
    for (int j = i + 1; j < kFeatureCount; ++j) {
      n.triples[i][j] = n.count;
      n.count += size_of(i) * size_of(j) * n.row(j);
    }
  return n;
}

const Numbering& numbering() {
  static const Numbering numbering = make_numbering();
  return numbering;
}

/// Splits a place in a row into a feature and its level. The features of the row come behind `before`.
void place(uint32_t at, int before, FeatureId& feature, uint8_t& level) {
  const Numbering& n = numbering();
  at += n.column[before + 1];
  int found = before + 1;
  while (n.column[found + 1] <= at) ++found;
  feature = static_cast<FeatureId>(found);
  level = static_cast<uint8_t>(at - n.column[found]);
}

/// A row with tuples of one case, one for each feature behind j: those of the pairs (i, *) if j is i, otherwise of the
/// triples (i, j, *).
struct CaseRow {
  int i, j;
};

/// The tuples of one case, row by row. A column is a level of a feature, numbered over all features.
class TuplesOfCase {
 public:
  explicit TuplesOfCase(const Levels& levels) : levels_(levels) {
    for (int k = kFeatureCount; k-- > 0;) {
      columns_[k] = n_.column[k] + levels[k];
      from_[k] = from_[k + 1];
      from_[k][columns_[k] / 64] |= uint64_t{1} << columns_[k] % 64;
    }
  }

  /// Calls visit(CaseRow).
  template <class Visit>
  void for_each_row(Coverage::Depth depth, const Visit& visit) const {
    for (int i = 0; i < kFeatureCount; ++i)
      for (int j = i; j < (depth == Coverage::Depth::kTriples ? kFeatureCount : i + 1); ++j) visit(CaseRow{i, j});
  }

  uint32_t column(int feature) const { return columns_[feature]; }
  uint32_t columns() const { return n_.column[kFeatureCount]; }

  /// The id of a tuple of the row is this plus its column.
  uint32_t start(const CaseRow& row) const {
    const auto [i, j] = row;
    const uint32_t first = j == i ? n_.pairs[i] + levels_[i] * n_.row(i)
                                  : n_.triples[i][j] + (levels_[i] * size_of(j) + levels_[j]) * n_.row(j);
    return first - n_.column[j + 1];
  }

  /// Whether all columns of a row are in the set.
  bool are_in(const ColumnSet& set, const CaseRow& row) const {
    uint64_t missing = 0;
    for (size_t word = 0; word < set.size(); ++word) missing |= from_[row.j + 1][word] & ~set[word];
    return missing == 0;
  }

 private:
  uint32_t size_of(int feature) const { return n_.column[feature + 1] - n_.column[feature]; }

  const Numbering& n_ = numbering();
  const Levels& levels_;
  std::array<uint32_t, kFeatureCount> columns_;
  std::array<ColumnSet, kFeatureCount + 1> from_{};  // the columns from a feature on, as a set
};

constexpr std::string_view kMagic = "tway";

void append_number(std::string& to, uint64_t number) {
  for (int byte = 0; byte < 8; ++byte) to.push_back(static_cast<char>(number >> (8 * byte) & 0xff));
}

uint64_t number_at(std::string_view from, size_t at) {
  uint64_t number = 0;
  for (size_t byte = 0; byte < 8; ++byte) number |= uint64_t{static_cast<unsigned char>(from[at + byte])} << (8 * byte);
  return number;
}

}  // namespace

uint32_t tuple_count() { return numbering().count; }
uint32_t level_count() { return numbering().column[kFeatureCount]; }
uint32_t number_of(FeatureId feature, int level) {
  return numbering().column[feature] + static_cast<uint32_t>(level);
}

uint32_t pair_count() { return numbering().pair_count; }

Tuple tuple_of(uint32_t id) {
  const Numbering& n = numbering();
  Tuple tuple;
  int i = 0;
  if (id < n.pair_count) {
    while (i + 1 < kFeatureCount && n.pairs[i + 1] <= id) ++i;
    const uint32_t at = id - n.pairs[i];
    tuple = {2, {static_cast<FeatureId>(i)}, {static_cast<uint8_t>(at / n.row(i))}};
    place(at % n.row(i), i, tuple.feature[1], tuple.level[1]);
    return tuple;
  }
  while (i + 2 < kFeatureCount && n.triples[i + 1][i + 2] <= id) ++i;
  int j = i + 1;
  while (j + 1 < kFeatureCount && n.triples[i][j + 1] <= id) ++j;
  const uint32_t at = id - n.triples[i][j], levels = at / n.row(j);
  tuple = {3,
           {static_cast<FeatureId>(i), static_cast<FeatureId>(j)},
           {static_cast<uint8_t>(levels / size_of(j)), static_cast<uint8_t>(levels % size_of(j))}};
  place(at % n.row(j), j, tuple.feature[2], tuple.level[2]);
  return tuple;
}

uint32_t id_of(const Tuple& t) {
  const Numbering& n = numbering();
  const int i = t.feature[0], j = t.feature[1];
  if (t.size == 2) return n.pairs[i] + t.level[0] * n.row(i) + n.column[j] - n.column[i + 1] + t.level[1];
  return n.triples[i][j] + (t.level[0] * size_of(j) + t.level[1]) * n.row(j) + n.column[t.feature[2]] -
         n.column[j + 1] + t.level[2];
}

std::string feature_table() { return fmt::format("{:016x}", numbering().version); }

std::string name_of(const Tuple& tuple) {
  std::string text;
  for (int i = 0; i < tuple.size; ++i) {
    const Feature& feature = features()[tuple.feature[i]];
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", feature.name, feature.levels[tuple.level[i]]);
  }
  return text;
}

Coverage::Coverage(Depth depth) : depth_(depth), counts_(depth == Depth::kPairs ? pair_count() : tuple_count()) {}

void Coverage::count(uint32_t id) {
  uint8_t& count = counts_[id];
  if (count == 0)
    ++seen_, ++seen_once_;
  else
    --seen_once_;
  ++count;
}

void Coverage::add(const Levels& levels) {
  const TuplesOfCase tuples(levels);
  const size_t columns = tuples.columns();
  full_.resize(columns * (depth_ == Depth::kTriples ? columns : 1));
  tuples.for_each_row(depth_, [&](const CaseRow& row) {
    // Rows of one level of a feature lie side by side: this walk waits for memory.
    const size_t first = tuples.column(row.i), second = tuples.column(row.j);
    ColumnSet& full = full_[depth_ == Depth::kTriples ? first * columns + second : first];
    if (tuples.are_in(full, row)) return;  // nearly always, after some thousand cases
    for (int k = row.j + 1; k < kFeatureCount; ++k) {
      const uint32_t column = tuples.column(k), id = tuples.start(row) + column;
      if (counts_[id] < kMore) {
        count(id);
        news_.push_back(id);
      }
      if (counts_[id] >= kMore) full[column / 64] |= uint64_t{1} << column % 64;
    }
  });
  ++cases_;
}

bool Coverage::has_seen_all(const Levels& levels) const {
  const TuplesOfCase tuples(levels);
  bool all = true;
  tuples.for_each_row(depth_, [&](const CaseRow& row) {
    for (int k = row.j + 1; all && k < kFeatureCount; ++k) all = has_seen(tuples.start(row) + tuples.column(k));
  });
  return all;
}

void Coverage::merge(const Coverage& other) {
  for (uint32_t id = 0; id < counts_.size(); ++id)
    for (int times = other.counts_[id]; times > 0 && counts_[id] < 2; --times) count(id);
  cases_ += other.cases_;
}

void Coverage::unite(const Coverage& other) {
  for (uint32_t id = 0; id < counts_.size(); ++id)
    while (counts_[id] < other.counts_[id]) count(id);
  cases_ = std::max(cases_, other.cases_);
}

uint32_t Coverage::seen_pairs() const {
  return static_cast<uint32_t>(
      std::count_if(counts_.begin(), counts_.begin() + pair_count(), [](uint8_t count) { return count > 0; }));
}

std::vector<uint32_t> Coverage::take_news() { return std::exchange(news_, {}); }

void Coverage::apply(std::span<const uint32_t> news, uint64_t cases) {
  for (const uint32_t id : news)
    if (id < counts_.size() && counts_[id] < 2) count(id);
  cases_ += cases;
}

/// The format: "tway", version, cases, then four tuples a byte.
std::string Coverage::serialise() const {
  std::string blob(kMagic);
  append_number(blob, numbering().version);
  append_number(blob, cases_);
  for (size_t id = 0; id < counts_.size(); id += 4) {
    int byte = 0;
    for (size_t k = 0; k < 4 && id + k < counts_.size(); ++k) byte |= counts_[id + k] << (2 * k);
    blob.push_back(static_cast<char>(byte));
  }
  return blob;
}

std::string Coverage::to_text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : serialise()) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

Coverage Coverage::parse_text(std::string_view text, Depth depth) {
  std::string blob;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    unsigned byte = 0;
    const char* const end = text.data() + at + 2;
    if (std::from_chars(text.data() + at, end, byte, 16).ptr != end) throw UsageError("coverage: not in hexadecimal");
    blob.push_back(static_cast<char>(byte));
  }
  return parse(blob, depth);
}

Coverage Coverage::parse(std::string_view blob, Depth depth) {
  const size_t head = kMagic.size() + 16;
  if (blob.size() < head || !blob.starts_with(kMagic)) throw UsageError("coverage: not a coverage record");
  if (number_at(blob, kMagic.size()) != numbering().version)
    throw UsageError("coverage: recorded with another feature table; its tuples mean nothing here");
  Coverage coverage(depth);
  if (blob.size() != head + (coverage.counts_.size() + 3) / 4)
    throw UsageError(fmt::format("coverage: damaged record of {} bytes", blob.size()));
  coverage.cases_ = number_at(blob, kMagic.size() + 8);
  for (uint32_t id = 0; id < coverage.counts_.size(); ++id) {
    const int times = static_cast<unsigned char>(blob[head + id / 4]) >> (2 * (id % 4)) & 3;
    if (times > 2) throw UsageError(fmt::format("coverage: damaged record at tuple {}", id));
    for (int i = 0; i < times; ++i) coverage.count(id);
  }
  return coverage;
}

std::vector<uint32_t> Coverage::unseen(const std::vector<bool>& among, size_t most) const {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < counts_.size() && ids.size() < most; ++id)
    if (counts_[id] == 0 && (among.empty() || among[id])) ids.push_back(id);
  return ids;
}

double Coverage::expected_unseen() const {
  return cases_ == 0 ? 1 : static_cast<double>(seen_once_) / static_cast<double>(cases_);
}

double Coverage::chance_of_unseen() const { return std::min(1.0, expected_unseen()); }

}  // namespace convict::inline core
