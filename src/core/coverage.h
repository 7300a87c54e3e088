// SPDX-License-Identifier: Apache-2.0
//
// Which combinations of levels of two and of three features have been seen: t-way coverage, with t = 2 and 3. (Kuhn,
// Wallace, Gallo, "Software Fault Interactions and Implications for Software Testing", IEEE TSE 30(6), 2004: nearly all
// faults take few conditions together.)
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/features.h"

namespace convict::inline core {

/// One level each of two or three features; `size` is their number.
struct Tuple {
  int size = 0;
  FeatureId feature[3] = {};
  uint8_t level[3] = {};
};

/// Tuples are numbered densely from 0, those of two features first. The number depends on the feature table alone.
uint32_t tuple_count();
uint32_t pair_count();
Tuple tuple_of(uint32_t id);

/// The number of a tuple. Its features are in the order of the table.
uint32_t id_of(const Tuple& tuple);

/// Levels are numbered over all features, in the order of the table.
uint32_t level_count();
uint32_t number_of(FeatureId feature, int level);

/// The identity of this program's feature table, as 16 hexadecimal digits. Another table numbers tuples differently.
std::string feature_table();

/// "op=conv, pass=forward, rank=2".
std::string name_of(const Tuple& tuple);

/// A bit for each level of each feature.
using ColumnSet = std::array<uint64_t, 4>;

/// Counts each tuple as never seen, seen once, or seen more often. Coverage and the Good-Turing estimate need no more,
/// and counters of several workers add up to exactly what one counter would have seen.
class Coverage {
 public:
  enum class Depth { kPairs, kTriples };

  /// With kPairs, tuples of three features are not counted: that takes a tenth of the time and of the memory.
  explicit Coverage(Depth depth = Depth::kTriples);

  /// Counts the tuples of one case. Takes a few microseconds.
  void add(const Levels& levels);
  /// Adds what another counter has seen.
  void merge(const Coverage& other);
  /// Takes the larger count of each tuple, and of cases. For counters that may share cases, such as two copies of a
  /// database: merge() would count shared cases twice, and once more with every repetition. If the counters share no
  /// cases, tuples that each saw once stay "once", and `cases` is too small: both make expected_unseen larger, never
  /// smaller.
  void unite(const Coverage& other);

  /// The tuples with a count that rose since the last call; an id appears twice if its count rose by two. apply() adds
  /// them to another counter, with the number of cases they come from. merge() and apply() themselves add nothing here.
  std::vector<uint32_t> take_news();
  void apply(std::span<const uint32_t> news, uint64_t cases = 0);

  /// For the database. parse throws UsageError if the text is of another feature table, or damaged.
  std::string serialise() const;
  static Coverage parse(std::string_view blob, Depth depth = Depth::kTriples);

  /// The same in hexadecimal digits, of this depth.
  std::string to_text() const;
  static Coverage parse_text(std::string_view text, Depth depth);

  uint64_t cases() const { return cases_; }
  uint32_t seen() const { return seen_; }            // tuples seen at least once
  uint32_t seen_pairs() const;                       // of these, the tuples of two features
  uint32_t seen_once() const { return seen_once_; }  // exactly once
  bool has_seen(uint32_t id) const { return counts_[id] > 0; }
  bool has_seen_all(const Levels& levels) const;  // the tuples of one case

  /// Tuples not seen yet, those of two features first. `among` (one flag per id), if not empty, restricts them.
  std::vector<uint32_t> unseen(const std::vector<bool>& among = {}, size_t most = SIZE_MAX) const;

  /// The expected number of unseen tuples in the next case, N1 / N with N cases and N1 tuples seen once (Good, "The
  /// population frequencies of species and the estimation of population parameters", Biometrika 40, 1953, eq. 9,
  /// summed over tuples). Assumes that all cases come from one distribution. 1 without cases.
  double expected_unseen() const;
  /// An upper bound of the probability that the next case shows any unseen tuple: min(1, expected_unseen()).
  double chance_of_unseen() const;

 private:
  void count(uint32_t id);

  Depth depth_;
  std::vector<uint8_t> counts_;  // 0, 1 or 2 for more
  // For each row of tuples (coverage.cpp), by the columns of its two levels, those that add() has found to be seen more
  // often: it tests a row at once.
  std::vector<ColumnSet> full_;
  std::vector<uint32_t> news_;
  uint64_t cases_ = 0;
  uint32_t seen_ = 0, seen_once_ = 0;
};

}  // namespace convict::inline core
