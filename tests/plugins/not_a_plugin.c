/* SPDX-License-Identifier: Apache-2.0
 *
 * Somebody names the library they link against instead of the plugin they built from it.
 * It loads, but exports nothing of ours.
 */
int not_a_plugin(void);
int not_a_plugin(void) { return 0; }
