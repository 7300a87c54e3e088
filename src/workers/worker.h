// SPDX-License-Identifier: Apache-2.0
//
// The worker of campaigns and of given cases.
#pragma once

namespace convict::workers {

/// The body of the hidden command `worker`. Returns when the supervisor closes the command pipe.
int run_worker();

}  // namespace convict::workers
