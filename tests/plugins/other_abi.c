/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin from the future: built against a convict.h whose structures this program does not know.
 * Nothing behind its version may be believed, so the rest of it is garbage.
 */
#include "abi/convict.h"

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) {
  static const convict_plugin plugin = {999, (const char*)1, 7, (const convict_implementation* const*)1};
  return &plugin;
}
