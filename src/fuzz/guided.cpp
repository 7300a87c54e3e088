// SPDX-License-Identifier: Apache-2.0
//
// The worker of `convict fuzz --engine libfuzzer`. libFuzzer makes up the cases and calls back for each; otherwise this
// is a worker like any other. A death of this process costs only the case it died on: libFuzzer writes each input worth
// keeping to the corpus at once, and the next worker begins with that corpus.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/random.h"
#include "fuzz/guidance.h"
#include "fuzz/record.h"
#include "generate/generate.h"
#include "workers/worker_session.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*callback)(const uint8_t* data, size_t size));

/// Our own handler reports memory faults, and the supervisor handles deaths. Leaks would be found at a normal exit
/// only, and a worker has none.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:"
         "max_malloc_fill_size=0";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=0"; }

namespace convict::fuzz {
namespace {

/// Does the work that the supervisor hands out, case by case.
class GuidedWorker {
 public:
  bool load() {
    if (!session_.load(workers::WorkerSession::Purpose::kJudge)) return false;
    sampling_ = session_.settings().sampling();
    return true;
  }
  const workers::WorkerSettings& settings() const { return session_.settings(); }

  /// Waits for work if there is none.
  void run(const Case& c) {
    while (done_ == work_.count) open();
    const uint64_t index = work_.first + done_ * work_.step;
    session_.record().made_up.write(to_text(c));
    const examine::Examination examination = session_.examine_numbered(index, c);
    mark(c, examination.results, session_.record());
    if (++done_ == work_.count || session_.has_enough()) close();
  }

  /// A case that is drawn for the targets.
  Case drawn(uint64_t index) { return session_.find(sampling_, index); }

  /// Takes the next work. Called before the engine starts, too, because its seed depends on the work.
  uint64_t open() {
    work_ = session_.next<workers::Work>();
    done_ = 0;
    const uint64_t first = work_.first;
    if (session_.has_enough()) close();
    return first;
  }

 private:
  void close() {
    session_.finish(std::exchange(done_, 0));
    work_ = {};
  }

  workers::WorkerSession session_;
  generate::Sampling sampling_;  // of what libFuzzer begins with
  workers::Work work_;
  uint64_t done_ = 0;  // of its cases
};

/// libFuzzer's callback has no room for a context.
GuidedWorker& the_worker() {
  static GuidedWorker worker;
  return worker;
}

int run_one(const uint8_t* data, size_t size) {
  the_worker().run(decode({data, size}));
  return 0;
}

constexpr uint64_t kFirstCases = 256;  // enough to show most features; the engine drops what adds nothing

/// Fills an empty corpus with cases that the targets take. Ignores files that cannot be written.
void begin_corpus(GuidedWorker& worker) {
  const std::filesystem::path folder = worker.settings().corpus;
  std::error_code error;
  if (std::filesystem::directory_iterator(folder, error) != std::filesystem::directory_iterator()) return;
  for (uint64_t i = 0; i < kFirstCases; ++i) {
    const std::vector<uint8_t> bytes = encode(worker.drawn(i));
    std::ofstream(folder / fmt::format("generated-{:03}", i), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

int run_guided_worker() {
  GuidedWorker& worker = the_worker();
  if (!worker.load()) return 0;
  const uint64_t first = worker.open();
  begin_corpus(worker);
  const auto seed = static_cast<uint32_t>(mix(worker.settings().seed ^ mix(first)));
  std::vector<std::string> flags = {"convict-guided", worker.settings().corpus, fmt::format("-seed={}", seed | 1),
                                    fmt::format("-max_len={}", record_size())};
  // Entropic scheduling costs more than an execution once a corpus has hundreds of inputs with hundreds of features.
  // The supervisor watches time and memory, our own handlers watch signals, and other workers add to the corpus.
  // An input that ends the process is of no use as a file: the supervisor knows the case, and makes a row of it. The
  // folder has to exist, and no process can write to this one.
  for (const char* flag : {"-artifact_prefix=/proc/self/", "-timeout=0", "-rss_limit_mb=0", "-malloc_limit_mb=0",
                           "-detect_leaks=0", "-handle_abrt=0", "-handle_bus=0", "-handle_fpe=0", "-handle_ill=0",
                           "-handle_int=0", "-handle_segv=0", "-handle_term=0", "-handle_xfsz=0", "-handle_usr1=0",
                           "-handle_usr2=0", "-reload=1", "-print_final_stats=0", "-len_control=0", "-entropic=0"})
    flags.emplace_back(flag);
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  char** list = arguments.data();
  return LLVMFuzzerRunDriver(&count, &list, run_one);
}

}  // namespace
}  // namespace convict::fuzz

int main() { return convict::fuzz::run_guided_worker(); }
