#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# boot-arm64.sh KERNEL TREE OUT COMMAND: boots an arm64 kernel in qemu-system-aarch64 and runs COMMAND there. Status:
# its own. KERNEL is a folder with an unpacked linux-image-*-arm64-unsigned and busybox-static, both of Debian 13, or
# what make-kernel-64k.sh makes: a kernel without modules. TREE is the root folder of the guest, made by try-arm64.sh.
# The guest also sees this checkout and the cache of the tests where they are here, read-only, and OUT, which it may
# write; other changes are lost. Needs qemu-system-aarch64, cpio, kmod. The processor is emulated, at a twentieth of the
# speed or less.
set -euo pipefail
kernel=$1 tree=$2 out=$(realpath "$3") command=$4
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$(basename "$kernel"/boot/vmlinuz-*)
release=${release#vmlinuz-}

# The files of the modules that the kernel needs to mount the root, in their order.
list_modules() {
	[ -d "$kernel/usr/lib/modules" ] || return 0
	[ -f "$kernel/usr/lib/modules/$release/modules.dep" ] || depmod -b "$kernel/usr" "$release"
	modprobe -d "$kernel/usr" -S "$release" -a --show-depends virtio_pci 9pnet_virtio 9p overlay |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# These and a shell.
mkdir -p "$work/initramfs"/{bin,modules}
cp "$kernel/usr/bin/busybox" "$work/initramfs/bin/busybox"
n=100
list_modules | while IFS= read -r module; do
	n=$((n + 1))
	case $module in
	*.xz) xz -dc "$module" ;;
	*.zst) zstd -qdc "$module" ;;
	*) cat "$module" ;;
	esac >"$work/initramfs/modules/$n.ko"
done
cat >"$work/initramfs/init" <<'END'
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tree /host /layer /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do
	[ ! -e "$module" ] || insmod "$module"
done
share() {
	mkdir -p "$2"
	mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000,$3" "$1" "$2"
}
share tree /tree ro,cache=loose
share host /host ro,cache=loose
mount -t tmpfs -o mode=755 layer /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/tree,upperdir=/layer/upper,workdir=/layer/work overlay /root
mkdir -p /root/proc /root/sys /root/dev /root/tmp /root/run
while read -r folder; do
	mkdir -p "/root$folder"
	mount -o bind "/host$folder" "/root$folder"
done </folders
share output "/root$(cat /out)" rw,cache=none
cp /bin/busybox /root/bin/busybox
chroot /root /bin/busybox --install -s /bin
cp /guest /root/guest
exec switch_root /root /bin/sh /guest
END
chmod +x "$work/initramfs/init"
cache=${XDG_CACHE_HOME:-$HOME/.cache}
printf '%s\n' "$PWD" "$(dirname "$tree")" "${INFTRACE_TEST_CACHE:-$cache/inftrace-test}" >"$work/initramfs/folders"
echo "$out" >"$work/initramfs/out"
cat >"$work/initramfs/guest" <<END
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
chmod 1777 /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
export HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 OPENBLAS_NUM_THREADS=1 ORT_DISABLE_TELEMETRY=1
cd $(printf %q "$PWD")
echo "boot-arm64: \$(uname -r) at \$(cut -d' ' -f1 /proc/uptime) s"
setsid sh -c $(printf %q "$command") </dev/null
echo "boot-arm64: status \$? at \$(cut -d' ' -f1 /proc/uptime) s"
sync
echo o >/proc/sysrq-trigger
while :; do :; done
END
(cd "$work/initramfs" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initramfs.gz"
share() {
	printf '%s\n' -virtfs "local,path=$1,mount_tag=$2,security_model=none,multidevs=remap$3"
}
mapfile -t shares < <(share "$tree" tree ,readonly=on; share / host ,readonly=on; share "$out" output "")
nice -n 5 "${QEMU:-qemu-system-aarch64}" -M virt,gic-version=3 -cpu "${CPU:-max,pauth-impdef=on}" \
	-accel tcg,thread=multi -smp 2 -m "${GUEST_MEMORY:-3G}" -nodefaults -no-reboot -display none -serial stdio \
	-kernel "$kernel/boot/vmlinuz-$release" -initrd "$work/initramfs.gz" \
	-append "console=ttyAMA0 quiet loglevel=4 panic=-1" "${shares[@]}" </dev/null | tee "$work/console"
status=$(sed -n 's/.*boot-arm64: status \([0-9]*\).*/\1/p' "$work/console" | tail -n 1)
exit "${status:-1}"
