#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs convict, compiled for 64-bit ARM, on a processor of that kind, which QEMU emulates. Debian's kernel starts there with
# the program in its first file system, and nothing else:
#     tools/arm64_emulator.sh FOLDER PROCESSOR PROGRAM COMMAND...
# FOLDER is that of tools/foreign_tree.sh, which has unpacked the kernel, a shell and the libraries of the PROGRAM.
# PROCESSOR is a word for QEMU: cortex-a57, or max, which has all that QEMU knows. COMMANDs are lines for a shell there,
# where `convict` is the PROGRAM. What they print is printed. The exit code is that of the first one that fails.
set -euo pipefail
# shellcheck source=tools/emulated_root.sh
. "$(dirname "$0")/emulated_root.sh"

[ $# -ge 4 ] || { echo "usage: $0 FOLDER PROCESSOR PROGRAM COMMAND..." >&2; exit 2; }
folder=$(cd "$1" && pwd)
processor=$2
program=$3
shift 3

# All libraries of the tree, for no `ldd` of this machine reads such a program.
tree=$folder/tree
root=$folder/root
rm -rf "$root"
mkdir -p "$root"/{bin,lib,libraries}
aarch64-linux-gnu-strip -o "$root/bin/convict" "$program"
find "$tree"/{,usr/}lib/aarch64-linux-gnu -maxdepth 1 -name '*.so.*' -exec cp -a -t "$root/libraries" {} +
cp -L "$tree/lib/ld-linux-aarch64.so.1" "$root/lib"
pack_root "$root" "$tree/bin/busybox" "$folder/root.img" "$@"

# A process of the emulated machine is no process of this one, as it would be with QEMU's other mode: workers fork, start
# themselves anew, die of memory they must not touch, and read in /proc what they are.
[ "$processor" != max ] || processor=max,pauth-impdef=on  # or most of the time goes into signing the kernel's pointers
started=$SECONDS
qemu-system-aarch64 -machine virt -cpu "$processor" -m 2048 -display none -monitor none -nic none -serial stdio -no-reboot \
  -kernel "$tree"/boot/vmlinuz-* -initrd "$folder/root.img" -append 'console=ttyAMA0 quiet loglevel=0 mitigations=off' \
  < /dev/null | tee "$folder/serial"
echo "emulated for $((SECONDS - started)) s"
exit "$(exit_code_of "$folder")"
