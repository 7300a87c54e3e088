// SPDX-License-Identifier: Apache-2.0
//
// The implementations of a client as implementations of the C ABI. Operands are copied into the client's file before a
// call. After it, whatever the client did there is done to the operands in this process: results are copied back, and
// so are changes of inputs and of the bytes beside an operand, which end in the faults and checks that a library's
// would (run/guarded_memory.h). A client that dies takes this process with it, so that its death is judged as a
// library's.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/convict.h"
#include "run/client.h"
#include "run/client_messages.h"

namespace convict::run {

/// The bytes beside an operand in the file that are compared after a call.
inline constexpr size_t kFileMargin = 256;

/// The most bytes that the operands of one problem may take; larger ones are refused on behalf of clients.
inline constexpr size_t kMostOperandBytes = size_t{1} << 30;

/// Operands of several problems in the file, each on pages of its own with an unused page between two.
class FileLayout {
 public:
  explicit FileLayout(Client& client) : client_(&client) {}

  void clear() { end_ = 0; }

  /// Copies the operands to the file, behind those that are there.
  FilePlaces add(const convict_problem& problem, const convict_tensors& tensors);

  /// Does in this process what the client has done in the file.
  void take_back(const convict_problem& problem, const convict_tensors& tensors, const FilePlaces& places) const;

  /// Whether the inputs in the file, and all that lies beside operands, are those of these tensors.
  bool is_unchanged(const convict_problem& problem, const convict_tensors& tensors, const FilePlaces& places) const;

 private:
  Client* client_;
  size_t end_ = 0;  // of what is used, in bytes
};

/// One client, its implementations, and what it was asked ahead of time.
class ProcessTarget {
 public:
  /// Begins to start the client, and does not wait for it: several of them import side by side.
  explicit ProcessTarget(const std::string& command, const KeeperAddress& keeper = {});
  ProcessTarget(const ProcessTarget&) = delete;
  ProcessTarget& operator=(const ProcessTarget&) = delete;

  /// Called before this process ends because the client has.
  void before_death(std::function<void()> call) { before_death_ = std::move(call); }

  /// The implementations as a plugin has them; they live as long as this object. The first call waits for the client to
  /// say what it has. Throws UsageError if it does not start or speaks another protocol.
  const convict_plugin& plugin();

  /// The most problems that an implementation of a client takes at once; 1 for all that are none.
  static size_t batch_of(const convict_implementation& implementation);

  /// What an implementation of a client has announced; of another one, nothing.
  static const Announced& announced_by(const convict_implementation& implementation);

  /// A problem without its data; or with it, where it is to be run.
  struct Question {
    const convict_problem& problem;
    const convict_tensors& tensors;
  };

  /// Asks for all of these at once; `unsupported` then answers from memory, until settle(). If that goes wrong, each is
  /// asked again when it is wanted. Precondition of this and the others: the implementation is of a client.
  static void ask_ahead(const convict_implementation& implementation, std::span<const Question> questions,
                        std::chrono::milliseconds patience);
  /// What was answered ahead of time, if this was asked.
  static std::optional<bool> accepts(const convict_implementation& implementation, const Question& question);

  /// Copies a problem's operands to the file, to be run with others; run_ahead() runs them, in this order and in as
  /// many messages as it takes. `run` then answers from memory, once, for a problem of the same inputs. If a batch goes
  /// wrong, each is run when it is wanted, by a new client.
  static void stage(const convict_implementation& implementation, const Question& question);
  static void run_ahead(const convict_implementation& implementation, std::chrono::milliseconds patience);

  /// Called when all that was staged has been run: forgets the rest. Ends this process if a batch went wrong, although
  /// none of its problems did alone.
  static void settle(const convict_implementation& implementation);

 private:
  struct Implementation : convict_implementation {
    ProcessTarget* target = nullptr;
    Announced announced;
  };
  /// A problem that was run in a batch.
  struct Staged {
    const Implementation* who;
    std::string text;  // of the problem
    FilePlaces places;
    std::string placed_text;  // with the places
    ClientStatus status;
  };

  static const Implementation& of(const convict_implementation* one) {
    return *static_cast<const Implementation*>(one);
  }
  static const char* unsupported(const convict_implementation* self, const convict_problem* problem,
                                 const convict_tensors* tensors);
  static const char* plan(const convict_implementation* self, const convict_problem* problem,
                          const convict_tensors* tensors);
  static convict_status run(const convict_implementation* self, const convict_problem* problem,
                            const convict_tensors* tensors, char* error, size_t error_size);

  [[noreturn]] void die_of(const ClientGone& gone, const Implementation& who) const;
  void start_again();
  ClientHello greeted(std::unique_ptr<Client> begun);
  void adopt(const ClientHello& hello);
  const char* told(const Implementation& who, const char* what, const std::string& problem);
  ClientStatus run_one(const Implementation& who, const convict_problem& problem, const convict_tensors& tensors);
  std::optional<ClientStatus> staged(const Implementation& who, const convict_problem& problem,
                                     const convict_tensors& tensors);

  template <class Ask>
  auto or_die(const Implementation& who, const Ask& ask);
  template <class Read>
  void exchange_ahead(const Implementation& who, const std::string& question, std::chrono::milliseconds patience,
                      const Read& read);

  std::function<void()> before_death_ = [] {};
  const std::string command_;
  const KeeperAddress keeper_;
  std::unique_ptr<Client> client_;
  std::optional<FileLayout> layout_;
  uint64_t questions_ = 0;  // that the client was asked
  std::string version_;
  std::deque<Implementation> implementations_;
  std::vector<const convict_implementation*> list_;
  convict_plugin plugin_{};
  std::map<std::string, std::optional<std::string>> answers_;  // reasons to refuse, by implementation and problem
  std::vector<Staged> staged_;
  std::string batch_trouble_;
  bool too_slow_ = false;  // for batches
  std::string text_;       // of the last answer, which lives until the next call
};

}  // namespace convict::run
