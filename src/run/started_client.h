// SPDX-License-Identifier: Apache-2.0
//
// Starts a client, or has a copy of one made, and hears what it has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "run/client.h"
#include "run/client_messages.h"

namespace convict::run {

struct StartedClient {
  std::unique_ptr<Client> client;
  ClientHello hello;
  uint64_t questions = 0;  // that it was asked
};

/// What goes wrong with copies is not the client's fault as long as it can be started. Throws UsageError if it does not
/// start or speaks another protocol.
StartedClient start_client(const std::string& command, const KeeperAddress& keeper);

}  // namespace convict::run
