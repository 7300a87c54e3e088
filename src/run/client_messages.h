// SPDX-License-Identifier: Apache-2.0
//
// The messages of process targets, version 1: one JSON object a line, written and read here only. What they mean is
// said in docs/process-targets.md, from which clients are written.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/declarations.h"
#include "core/role.h"

namespace convict::run {

inline constexpr int64_t kClientProtocol = 1;       // its version
inline constexpr size_t kLongestAnswer = 1 << 20;   // bytes of one line of a client
inline constexpr size_t kMostProblemsAtOnce = 256;  // of one message

/// What a client sent is no answer to what it was asked.
struct BrokenProtocol : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One implementation of a client, as it announces itself.
struct Announced {
  std::string name, description, lineage;
  convict_contract contract{};
  convict_abilities abilities{};
  Declarations declarations = {};
  std::vector<std::string> examples = {};  // lines of cases that it takes
  std::vector<std::string> built_on = {};  // implementations that it calls
  size_t batch = 1;        // the most problems that it takes at once
  bool plans = false;      // it answers the question for plans
  bool stateless = false;  // nothing of a call can show in a later one
};

struct ClientHello {
  int64_t protocol = 0;
  std::string version;
  std::vector<Announced> implementations;
  bool forks = false;  // it can be asked to wait for others to be forked from it
};

/// How the call for one problem ended. The status is any number of convict_status.
struct ClientStatus {
  convict_status status = CONVICT_FAILED;
  std::string error;
};

/// Where an operand lies in the file, in bytes: its first element, and the buffer that it is a part of.
struct FilePlace {
  uint64_t at = 0, begin = 0, bytes = 0;
};
using FilePlaces = std::array<FilePlace, kRoles.size()>;  // those of unused operands mean nothing

/// A problem and its tensors as one JSON object, without places: for questions about it.
std::string to_json_text(const convict_problem& problem, const convict_tensors& tensors,
                         const FilePlaces* places = nullptr);

// ---- Questions: one line each, with its end -------------------------------------------------------------------------

std::string hello_question(uint64_t id, int file, const std::string& path);
std::string fork_question(uint64_t id, int socket);
/// What is asked about problems: why they are refused, how they would be computed, and to compute them.
inline constexpr const char *kAsk = "ask", *kPlan = "plan", *kRun = "run";
/// `problems` are texts of to_json_text(), for the implementation called `who`. `more`: other members, with commas.
std::string question(uint64_t id, const char* what, const std::string& who, std::span<const std::string> problems,
                     const std::string& more = "");
std::string run_question(uint64_t id, const std::string& who, std::span<const std::string> problems,
                         uint64_t file_bytes);

// ---- Answers: they throw BrokenProtocol -----------------------------------------------------------------------------

ClientHello hello_from(const std::string& line, uint64_t id);
/// Whether it waits.
bool forks_from(const std::string& line, uint64_t id);
/// For each of `count` problems: kAsk: why it is refused, or nothing if it is taken. kPlan: the plan, if it tells one.
std::vector<std::optional<std::string>> texts_from(const std::string& line, uint64_t id, const char* what,
                                                   size_t count);
std::vector<ClientStatus> statuses_from(const std::string& line, uint64_t id, size_t count);

}  // namespace convict::run
