// SPDX-License-Identifier: Apache-2.0
#include "run/started_client.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace convict::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStartTime = std::chrono::seconds(120);  // for a client to say hello, on a busy machine
constexpr std::string_view kWhatAnswers =
    "valid: a program that answers lines of JSON, such as `python3 -m convict serve mine.py:FUNCTION`";
constexpr auto kAnswerTime = std::chrono::seconds(5);  // for a client that has imported everything

/// Hears what a client has. Throws ClientGone, ClientSlow or BrokenProtocol.
ClientHello greet(Client& client, std::chrono::seconds patience) {
  const std::string question = hello_question(1, kFileFd, client.file_path());
  return hello_from(client.exchange(question, Clock::now() + patience), 1);
}

/// The same, of who must answer. Throws UsageError.
StartedClient greeted(std::unique_ptr<Client> client, const std::string& command) {
  const auto refuse = [&](const std::string& why) {
    const std::string said(trim(end_of_stderr(300)));
    throw UsageError(fmt::format("command '{}' {}{}", printable(command, 300), why,
                                 said.empty() ? "" : ": " + printable(said, 300)));
  };
  ClientHello hello;
  try {
    hello = greet(*client, kStartTime);
  } catch (const ClientGone& gone) {
    refuse(gone.exit_code == 0 && gone.signal == 0 ? fmt::format("{}; {}", gone.how, kWhatAnswers) : gone.how);
  } catch (const ClientSlow&) {
    refuse(fmt::format("has not answered for {} s", kStartTime.count()));
  } catch (const BrokenProtocol& error) {
    refuse(fmt::format("is no process target: {}", error.what()));
  }
  if (hello.protocol != kClientProtocol)
    refuse(fmt::format("speaks version {} of the protocol; this program speaks version {}", hello.protocol,
                       kClientProtocol));
  return {std::move(client), std::move(hello), 1};
}

/// Calls attempt(), which talks to a client, and returns what that returns; nothing if the client does not do its part.
template <class Attempt>
auto if_it_answers(const Attempt& attempt) -> std::optional<decltype(attempt())> {
  try {
    return attempt();
  } catch (const ClientGone&) {
  } catch (const ClientSlow&) {
  } catch (const BrokenProtocol&) {
  }
  return std::nullopt;
}

/// Asks a client that has answered nothing but hello to wait for others to be copied from it.
bool waits(StartedClient& one) {
  const auto answer = if_it_answers([&] {
    const uint64_t id = ++one.questions;
    return forks_from(one.client->exchange(fork_question(id, kForksFd), Clock::now() + kAnswerTime), id);
  });
  return answer.value_or(false);
}

}  // namespace

StartedClient started_client(std::unique_ptr<Client> client, const std::string& command, const KeeperAddress& keeper) {
  if (client->may_be_copied()) {
    StartedClient first = greeted(std::move(client), command);
    const bool can_be_copied = first.hello.forks && waits(first);
    first.client->tell_keeper(can_be_copied);
    if (!first.hello.forks) return first;
    client = std::make_unique<Client>(command, can_be_copied ? keeper : KeeperAddress());
  }
  if (!client->is_copy()) return greeted(std::move(client), command);
  auto hello = if_it_answers([&] { return greet(*client, kAnswerTime); });
  if (hello && hello->protocol == kClientProtocol) return {std::move(client), std::move(*hello), 1};
  client->tell_keeper(false);  // so that it makes no more of this kind
  return greeted(std::make_unique<Client>(command), command);
}

}  // namespace convict::run
