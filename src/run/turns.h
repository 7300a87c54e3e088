// SPDX-License-Identifier: Apache-2.0
//
// The libraries that witness a campaign take turns, and so do the variants of each: calling all of them would cost more
// than it shows, and one of them alone would leave the others untested.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/random.h"

namespace convict::run {

inline constexpr int kTurns = 16;

inline constexpr int kNoLibrary = -1;

/// The turns of an implementation among the variants of its library, `first` to `end` - 1 of kTurns; and which of the
/// libraries that take turns this is, counted from 0. Who was named is asked always.
struct Turns {
  int first = 0, end = kTurns;
  int library = kNoLibrary;

  bool contains(int turn) const { return first <= turn && turn < end; }
};

/// Which variant of a library has its turn on a case of a campaign. Each library has turns of its own: otherwise a
/// variant that refuses most cases would leave all its turns to one variant of the next library. Cases that were given,
/// to be repeated, are always the turn of the same.
constexpr int turn_of(uint64_t seed, int library) {
  return static_cast<int>(mix(seed ^ 0x7a52 ^ static_cast<uint64_t>(library) << 32) % kTurns);
}
inline constexpr int kTurnOfGivenCases = 0;

/// Which of the libraries is asked first. If it refuses, the next one is asked. Library 0, LibTorch, has three turns
/// for each one of another: its calls take less than half as long as those of oneDNN, which makes code for each problem
/// and has what LibTorch refuses besides, a quarter of the cases.
constexpr int first_library(uint64_t seed, int libraries) {
  const int turn = static_cast<int>(mix(seed ^ 0x11b7a4) % static_cast<uint64_t>(libraries + 2));
  return turn >= libraries ? 0 : turn;
}

struct DefaultOracle {
  std::string_view name;
  int turns;  // of kTurns; those of the variants of one library add up to kTurns
};

/// Called unless the user names others. The first of a library is the one that is fast and independent of the others:
/// LibTorch without oneDNN; oneDNN where it may choose the order of the weights, and so seldom runs its reference code.
inline constexpr DefaultOracle kDefaultOracles[] = {
    {"libtorch:native", 14}, {"libtorch:onednn", 1}, {"libtorch:qnnpack", 1},    {"onednn:channels_first", 13},
    {"onednn", 1},           {"onednn:any", 1},      {"onednn:channels_last", 1}};

constexpr std::string_view module_of(std::string_view implementation) {
  return implementation.substr(0, implementation.find(':'));
}

constexpr bool is_module(std::string_view name) {
  for (const DefaultOracle& oracle : kDefaultOracles)
    if (module_of(oracle.name) == name) return true;
  return false;
}

}  // namespace convict::run
