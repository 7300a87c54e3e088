// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's side of one worker. A worker is a process that runs foreign code, so that the supervisor never does.
// This file starts, watches and ends the process; it does not know what runs in it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/flight_record.h"
#include "run/seal.h"

namespace convict::run {

/// File descriptors that a worker finds open. Its standard output and error go to a separate file: output of libraries
/// must not mix with results, and its tail goes into the certificate of a crash. kForkFd: of a fork server, or of the
/// keeper. kKeeperFd: where a worker asks the keeper, if it shall.
enum WorkerDescriptor : int { kCommandFd = 3, kResultFd = 4, kRecordFd = 5, kForkFd = 6, kKeeperFd = 7 };

/// The worker's ends of what connects it with its supervisor, as descriptors of the process that starts it.
struct WorkerPipes {
  int commands, results, record, output;
};

inline constexpr const char* kThisProgram = "/proc/self/exe";

/// How a worker ended, as waitpid reports it.
struct WorkerExit {
  int signal = 0;     // the signal that killed it, or 0
  int exit_code = 0;  // valid if it exited by itself
};

class WorkerProcess {
 public:
  /// Starts `program arguments...` (argv[0] included); by default another process of this very program. It gets `forks`
  /// as kForkFd and `keeper` as kKeeperFd, if those are descriptors. Throws std::system_error.
  /// `environment`: variables, by name, besides those of this process.
  explicit WorkerProcess(const std::vector<std::string>& arguments, const std::string& program = kThisProgram,
                         int forks = -1, const std::map<std::string, std::string>& environment = {}, int keeper = -1);
  /// The process that `start` starts and returns, a child of this one in a process group of its own. Passes on what
  /// `start` throws.
  explicit WorkerProcess(const std::function<pid_t(const WorkerPipes&)>& start);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills it

  /// Sends one line. A dead worker is not an error here; receive() reports it.
  void send(std::string line);

  /// Reads what has arrived, without waiting; only a part if that is much. Returns false once no writer is left.
  bool receive();

  /// The next complete line received, if any. `genuine`: the worker has sealed it (seal.h), and none before it is lost.
  struct Line {
    std::string text;
    bool genuine = false;
  };
  std::optional<Line> take_line();

  /// Bytes of the incomplete line. Precondition: take_line() has just returned nothing.
  size_t unread_bytes() const { return received_.size() - taken_; }

  /// For poll().
  int result_fd() const { return result_fd_; }

  const FlightRecord& record() const { return *record_; }
  /// Tells the worker that the cases which it has not begun are not wanted any more.
  void finish() { record_->finishes = true; }

  /// The memory that it, its children and its clients keep, in bytes: resident pages, and files in memory that they
  /// have open.
  uint64_t kept_bytes() const;

  /// CPU time of all its threads so far.
  std::chrono::nanoseconds cpu_time() const;

  /// What its threads are doing. kRuns: one of them runs, or waits for a CPU. kSleeps: or a signal has stopped them.
  /// kTraced: a debugger has.
  enum class Activity { kRuns, kSleeps, kTraced };
  Activity activity() const;

  /// Stops all its threads, or lets them go on.
  void pause();
  void go_on();

  /// The output tail: the end of what it wrote to stdout and stderr, at most `limit` bytes.
  std::string output_tail(size_t limit) const;

  /// Drops its stdout and stderr output if that is very large, because the file is in memory.
  void limit_output() const;

  /// Kills it at once, with all processes it has started, even those that have left its process group.
  void kill();
  bool has_ended();
  bool ends_within(std::chrono::milliseconds limit);
  WorkerExit wait();

 private:
  struct Unmap {
    void operator()(FlightRecord* record) const;
  };

  bool reap(int flags);

  pid_t pid_ = -1;
  int command_fd_ = -1, result_fd_ = -1, output_fd_ = -1;
  std::unique_ptr<FlightRecord, Unmap> record_;
  std::optional<Seal> seal_;
  std::string received_;
  size_t taken_ = 0;  // of what was received
  std::optional<WorkerExit> exit_;
};

/// The worker's side of the key and of the record. Called once each, in the worker, before anything is loaded.
SealKey inherited_key();
FlightRecord& inherited_record();

}  // namespace convict::run
