# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For scripts that emulate a processor: what Linux starts there, and what became of it.

# pack_root ROOT BUSYBOX IMAGE COMMAND...: writes the folder ROOT as a first file system, IMAGE. In it are /bin/convict, its
# loader and /libraries. It is given a shell, which runs the COMMANDs until one fails, and ends the machine.
pack_root() {
  local root=$1 busybox=$2 image=$3
  shift 3
  mkdir -p "$root"/{bin,dev,proc,sys,tmp}
  cp "$busybox" "$root/bin/busybox"
  printf '%s\n' "$@" > "$root/commands"
  cat > "$root/init" << 'END_OF_INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin LD_LIBRARY_PATH=/libraries HOME=/tmp NO_COLOR=1
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmpfs /tmp
mkdir /dev/shm; mount -t tmpfs tmpfs /dev/shm
cd /tmp
code=0
while read -r line && [ $code = 0 ]; do
  echo "\$ $line"
  sh -c "$line" < /dev/null || code=$?
done < /commands
echo "exit code $code"
sleep 1  # until the serial line has sent that
poweroff -f
END_OF_INIT
  chmod +x "$root/init"
  (cd "$root" && find . | cpio -o -H newc --quiet) > "$image"
}

# exit_code_of FOLDER: prints what FOLDER/serial, all that was printed there, says about how the COMMANDs ended.
exit_code_of() {
  local code
  code=$(tr -d '\r' < "$1/serial" | sed -n 's/^exit code \([0-9]*\)$/\1/p')
  [ -n "$code" ] || { echo "$0: the emulator ended early: see $1" >&2; code=1; }
  echo "$code"
}
