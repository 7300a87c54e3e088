/* SPDX-License-Identifier: Apache-2.0
 *
 * A library whose initialiser crashes, as those built for another processor do.
 * Nobody gets as far as asking whether it is a plugin.
 */
#include <stddef.h>

static int* volatile nowhere = NULL;

__attribute__((constructor)) static void initialise(void) { *nowhere = 1; }
