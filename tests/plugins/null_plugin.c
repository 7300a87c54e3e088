/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that finds its accelerator missing and says so in the way the interface offers.
 * Its user should be told, not shown an empty campaign.
 */
#include "abi/convict.h"

const convict_plugin* convict_plugin_v1(void);
const convict_plugin* convict_plugin_v1(void) { return NULL; }
