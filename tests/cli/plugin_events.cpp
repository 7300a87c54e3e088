// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/plugin_events.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace convict::test {
namespace {

/// For both directions, so that neither end has to wait for the other one to open it.
int make_fifo(const std::string& path) {
  const int descriptor = mkfifo(path.c_str(), 0600) == 0 ? open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
  if (descriptor < 0) throw std::runtime_error("cannot make " + path);
  return descriptor;
}

}  // namespace

PluginEvents::PluginEvents() : entered_(make_fifo(folder_.file("entered"))), gate_(make_fifo(folder_.file("gate"))) {}

PluginEvents::~PluginEvents() {
  close(entered_);
  close(gate_);
}

std::vector<std::string> PluginEvents::told_and_waiting() const {
  std::vector<std::string> variables = told();
  variables.push_back("CONVICT_TEST_GATE=" + folder_.file("gate"));
  return variables;
}

std::optional<pid_t> PluginEvents::next(Command& command) const {
  if (!command.waits_for(entered_)) return std::nullopt;
  std::string line;  // written in one piece: all of it is there
  for (char c; read(entered_, &c, 1) == 1 && c != '\n';) line += c;
  return std::atoi(line.c_str());
}

std::set<pid_t> PluginEvents::processes(Command& command, size_t count) const {
  std::set<pid_t> found;
  while (found.size() < count) {
    const auto process = next(command);
    if (!process) break;
    found.insert(*process);
  }
  return found;
}

void PluginEvents::let_pass(size_t calls) const {
  const std::string bytes(calls, '.');
  if (write(gate_, bytes.data(), bytes.size()) != static_cast<ssize_t>(calls))
    throw std::runtime_error("cannot open the gate");
}

bool PluginEvents::stop_after(Command& command, size_t calls) const {
  let_pass(calls);
  for (size_t i = 0; i <= calls; ++i)
    if (!next(command)) return false;
  return true;
}

}  // namespace convict::test
