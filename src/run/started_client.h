// SPDX-License-Identifier: Apache-2.0
//
// Hears what a client has that was begun, and has a copy of it made where that can be.
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

/// `begun` is of this command and keeper, and was asked nothing. What goes wrong with copies is not the client's fault
/// as long as it can be started. Throws UsageError if it does not start or speaks another protocol.
StartedClient started_client(std::unique_ptr<Client> begun, const std::string& command, const KeeperAddress& keeper);

}  // namespace convict::run
