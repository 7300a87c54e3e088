#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs convict on a processor with AVX-512 that this machine need not have: Bochs emulates one of Skylake's kind (without
# VNNI), on which Debian's kernel starts with the program in its first file system, and nothing else:
#     tools/avx512_emulator.sh FOLDER PROGRAM COMMAND...
# COMMANDs are lines for a shell there, where `convict` is the PROGRAM. What they print is printed. The exit code is that
# of the first one that fails. FOLDER is for the image, and is kept.
set -euo pipefail
# shellcheck source=tools/emulated_root.sh
. "$(dirname "$0")/emulated_root.sh"

[ $# -ge 3 ] || { echo "usage: $0 FOLDER PROGRAM COMMAND..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
program=$(realpath "$2")
shift 2

# The kernel is unpacked, not installed: it is not for this machine. That for virtual machines has the fewest drivers.
if [ ! -f "$folder/image/vmlinuz" ]; then
  rm -rf "$folder/kernel"
  mkdir -p "$folder/kernel" "$folder/image"
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
  (cd "$folder/kernel" && apt-get -q -o APT::Sandbox::User=root download "$package")
  dpkg-deb --extract "$folder"/kernel/*.deb "$folder/kernel"
  cp "$folder"/kernel/boot/vmlinuz-* "$folder/image/vmlinuz"
fi

root=$folder/root
rm -rf "$root"
mkdir -p "$root"/{bin,lib64,libraries}
strip -o "$root/bin/convict" "$program"
ldd "$program" | grep -o '/[^ ]*' | xargs -I{} cp -L {} "$root/libraries"
mv "$root"/libraries/ld-linux-x86-64.so.2 "$root/lib64"
pack_root "$root" /bin/busybox "$folder/image/root.img" "$@"

# noxsaves, and clearcpuid without XSAVEC: Bochs 2.7 and Linux disagree about the size of compacted states, and Linux then
# goes without AVX.
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$folder/image"
cat > "$folder/image/isolinux.cfg" <<'END'
serial 0
default convict
label convict
kernel vmlinuz
append initrd=root.img console=ttyS0 quiet loglevel=1 noxsaves clearcpuid=321 mitigations=off nokaslr tsc=reliable
END
genisoimage -quiet -o "$folder/cd.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table \
  "$folder/image"

cat > "$folder/bochsrc" <<END
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_skylake_x, ips=200000000, ignore_bad_msrs=1
memory: guest=2048, host=2048
ata0-master: type=cdrom, path=$folder/cd.iso, status=inserted
boot: cdrom
clock: sync=none
com1: enabled=1, mode=file, dev=$folder/serial
log: $folder/log
panic: action=fatal
END
echo c > "$folder/debugger"  # Debian's Bochs has a debugger, which waits for a command first

# What counts comes through the serial line, and is printed until the emulator ends. Bochs draws its screen to a terminal
# that it opens, and would wait for ever if nobody read there.
: > "$folder/serial"
started=$SECONDS
TERM=xterm bochs -q -f "$folder/bochsrc" -rc "$folder/debugger" < /dev/null > "$folder/screen" 2>&1 &
bochs=$!
tail --pid=$bochs -n +1 -f "$folder/serial" &
printer=$!
reader=
trap 'kill -9 $bochs $printer $reader 2> /dev/null || true' EXIT  # or their end would be the exit code
while kill -0 $bochs 2> /dev/null; do
  terminal=$(sed -n 's/^Bochs connected to screen "\(.*\)"$/\1/p' "$folder/screen")
  if [ -n "$terminal" ]; then
    stty -F "$terminal" raw -echo
    cat "$terminal" > "$folder/drawn" 2> /dev/null &
    reader=$!
    break
  fi
  sleep 0.1
done
wait $bochs || true  # its exit code says nothing
wait $printer
echo "emulated for $((SECONDS - started)) s"
exit "$(exit_code_of "$folder")"
