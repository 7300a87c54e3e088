/* SPDX-License-Identifier: Apache-2.0
 *
 * How plugins tell the test that runs them where they are, and wait for it: through FIFOs that environment variables
 * name (tests/cli/plugin_events.h makes them). Without the variables nothing happens.
 */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes the id of this process as a line to $CONVICT_TEST_ENTERED. What has no room there is dropped. */
static inline void tell(void) {
  const char* const fifo = getenv("CONVICT_TEST_ENTERED");
  const int descriptor = fifo ? open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (descriptor < 0) return;
  char line[16];
  const int size = snprintf(line, sizeof line, "%d\n", (int)getpid());
  const ssize_t written = write(descriptor, line, (size_t)size);
  (void)written;
  close(descriptor);
}

/* Takes one byte from $CONVICT_TEST_GATE, and waits until there is one. */
static inline void wait_at_gate(void) {
  const char* const fifo = getenv("CONVICT_TEST_GATE");
  const int descriptor = fifo ? open(fifo, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return;
  char byte;
  const ssize_t taken = read(descriptor, &byte, 1);
  (void)taken;
  close(descriptor);
}
