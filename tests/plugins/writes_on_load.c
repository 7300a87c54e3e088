/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves that it was loaded: its initialiser creates the file that CONVICT_TEST_PROOF names. It is no plugin.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void initialise(void) {
  const char* proof = getenv("CONVICT_TEST_PROOF");
  FILE* file = proof ? fopen(proof, "w") : NULL;
  if (file) fclose(file);
}
