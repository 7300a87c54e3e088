/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI header must compile as plain C99 without any other include before it. */
#include "abi/convict.h"

const convict_plugin* abi_header_is_usable(const convict_plugin* plugin);
const convict_plugin* abi_header_is_usable(const convict_plugin* plugin) {
  return plugin->abi_version == CONVICT_ABI_VERSION ? plugin : NULL;
}
