// SPDX-License-Identifier: Apache-2.0
//
// The process at the other end of a process target, and the file in memory that it shares with this one. What is said
// between the two is client_messages.h.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "run/flight_record.h"
#include "run/keeper.h"

namespace convict::run {

/// A client cannot go on: it ended, or did something that no client may do.
struct ClientGone {
  std::string how;    // "exited with code 3"
  int signal = 0;     // that ended it
  int exit_code = 0;  // where no signal did; EX_PROTOCOL if it was ended because of what it did
};

/// A client has not answered by the deadline.
struct ClientSlow {};

/// The way of a worker to the keeper of clients (run/keeper.h), where it has one.
struct KeeperAddress {
  int socket = -1;
  FlightRecord* record = nullptr;  // where its supervisor looks for clients that are not its children
  std::map<std::string, std::string> environment = {};  // that its clients have besides the keeper's

  bool is_there() const { return socket >= 0 && record; }
};

/// That of a worker. Called once, before anything is loaded.
KeeperAddress inherited_keeper(FlightRecord& record);

class Client {
 public:
  /// Starts `command` with a shell, in a session of its own, with the file as descriptor kFileFd; or has the keeper do
  /// it, or make a copy. Or, if the command is "fd:N", connects to who is behind the socket N: it is sent one end of a
  /// connection and the file as two descriptors, and is a client from then on. Throws UsageError if there is no such
  /// socket, std::system_error.
  explicit Client(const std::string& command, const KeeperAddress& keeper = {});
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  // kills it

  /// The path by which any process of the user can open the file.
  std::string file_path() const;

  /// Makes the file at least so large, and returns where it is mapped. Contents stay.
  unsigned char* reserve(size_t bytes);
  unsigned char* file() const { return data_; }
  size_t file_bytes() const { return capacity_; }

  /// Sends a question, which ends in a newline, and returns the next line that the client sends, without its end.
  /// Throws ClientGone or ClientSlow; without a deadline, the supervisor has to end what takes too long.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  std::string exchange(const std::string& question, Deadline deadline = std::nullopt);

  /// How it ended, after it has hung up, or the process that was started has ended: a child that it leaves may keep its
  /// stdout open for ever.
  ClientGone end();

  /// Kills it and its session. Nothing that it says comes after.
  void kill();

  /// The keeper has started it, and waits to hear whether it can be copied; or it is a copy.
  bool may_be_copied() const { return to_keeper_ >= 0 && !is_copy_; }
  bool is_copy() const { return is_copy_; }

  /// Tells the keeper. A client that can be copied waits on kForksFd, and this object is not its client any more.
  void tell_keeper(bool can_be_copied);

 private:
  void start(const std::string& command, const KeeperAddress& keeper);
  bool have_started(const std::string& command, const KeeperAddress& keeper, const ClientPipes& pipes);
  ClientGone end_of_kept() const;
  void connect(const std::string& descriptor);
  void take(std::string& received);
  void kill_kept();

  pid_t pid_ = -1;   // none if it was not started here
  pid_t kept_ = -1;  // of the keeper
  int to_keeper_ = -1;
  bool is_copy_ = false;
  std::atomic<int32_t>* place_ = nullptr;  // in the record
  int end_fd_ = -1;  // readable once that process has ended; none before Linux 5.3
  int in_ = -1, out_ = -1, file_fd_ = -1;
  unsigned char* data_ = nullptr;
  size_t capacity_ = 0;
};

/// The end of what this process has written to its stderr, if that is a file: what a client said that cannot start.
std::string end_of_stderr(size_t limit);

}  // namespace convict::run
