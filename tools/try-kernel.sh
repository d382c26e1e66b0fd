#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# [COMMAND=...] [MIRROR=URL SUITE=NAME] try-kernel.sh VERSION [pytest arguments]: boots that kernel (6.1, 6.12) in qemu
# and runs the tests of attach, --inject and next there with build/inftrace, or COMMAND instead. The kernel is the
# newest of that version in this machine's package source, or in that of another Debian or Ubuntu release (MIRROR,
# SUITE). The guest sees this machine's files, read-only below a layer in memory: everything built and installed here is
# available there, and its changes are lost afterwards. The processor is emulated, at a tenth of the speed or less, so
# tests with fixed times may fail. Needs root, qemu-system-x86, busybox-static, kmod, cpio, xz-utils and zstd.
# GUEST_CPUS and GUEST_MEMORY size the guest (2, 4G); it may write half of its memory. Kernels are kept in
# $XDG_CACHE_HOME/inftrace-kernels.
set -euo pipefail
version=${1:?usage: try-kernel.sh VERSION [pytest arguments]}
shift
cd "$(dirname "$0")/.."
tests="test_attach.py test_inject.py test_next.py"
default="bash test/e2e/run.sh build/inftrace ${*:+$(printf '%q ' "$@")}"
case " $* " in *.py*) ;; *) default="$default $tests" ;; esac
command=${COMMAND:-$default}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-kernels
mkdir -p "$cache"
work=$(mktemp -d "$cache/try.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Packages come through apt; another release's with lists of its own.
apt=()
if [ -n "${MIRROR:-}" ]; then
	lists=$cache/apt-${SUITE:?SUITE says which release of MIRROR}
	mkdir -p "$lists/state/lists/partial" "$lists/cache/archives/partial"
	keys=debian
	case $MIRROR in */ubuntu*) keys=ubuntu ;; esac
	trust=signed-by=/usr/share/keyrings/$keys-archive-keyring.gpg
	if [ ! -f "${trust#*=}" ]; then
		echo "try-kernel.sh: ${trust#*=} is missing: the signatures of the packages are not checked" >&2
		trust=trusted=yes
	fi
	echo "deb [$trust] $MIRROR $SUITE main" >"$lists/sources.list"
	apt=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$lists/state"
		-o "Dir::Cache=$lists/cache" -o Dir::State::status=/dev/null -o APT::Architecture=amd64
		-o APT::Sandbox::User=root)
	apt-get "${apt[@]}" -qq update
fi
number=${version//./\\.}'[.-][0-9][^ ]*'
package=$(apt-cache "${apt[@]}" search --names-only "^linux-image-(unsigned-)?$number-(amd64-unsigned|generic)\$" |
	awk '{ print $1 }' | grep -v -- -cloud- | grep -v -- -rt- | sort -V | tail -n 1)
[ -n "$package" ] || {
	echo "try-kernel.sh: no package of a kernel $version here; MIRROR and SUITE name another release" >&2
	exit 2
}
kernel=$cache/$package
if [ ! -d "$kernel" ]; then
	packages=("$package")
	case $package in *-generic) packages+=("linux-modules-${package#linux-image-unsigned-}") ;; esac
	(cd "$work" && apt-get "${apt[@]}" -o APT::Sandbox::User=root -qq download "${packages[@]}")
	mkdir "$work/kernel"
	for file in "$work"/*.deb; do
		dpkg -x "$file" "$work/kernel"
	done
	mv "$work/kernel" "$kernel"
fi
release=$(basename "$kernel"/lib/modules/*)
[ -f "$kernel/lib/modules/$release/modules.dep" ] || depmod -b "$kernel" "$release"

# The kernel needs these to mount the root: modules in their order, and a shell.
mkdir -p "$work/initramfs"/{bin,modules}
cp "$(command -v busybox)" "$work/initramfs/bin/busybox"
n=100
modprobe -d "$kernel" -S "$release" -a --show-depends virtio_pci 9pnet_virtio 9p overlay fuse |
	awk '$1 == "insmod" { print $2 }' | awk '!seen[$0]++' | while IFS= read -r module; do
	n=$((n + 1))
	case $module in
	*.xz) xz -dc "$module" ;;
	*.zst) zstd -qdc "$module" ;;
	*) cat "$module" ;;
	esac >"$work/initramfs/modules/$n.ko"
done
cat >"$work/initramfs/init" <<'END'
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /host /layer /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do insmod "$module"; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 host /host
mount -t tmpfs -o mode=755 layer /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work overlay /root
read -r work </work
exec switch_root /root /bin/sh "$work/guest"
END
chmod +x "$work/initramfs/init"
echo "$work" >"$work/initramfs/work"
(cd "$work/initramfs" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initramfs.gz"

# The first program of the guest. Its time is that of this machine.
cat >"$work/guest" <<END
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t tracefs tracefs /sys/kernel/tracing
mount -t debugfs debugfs /sys/kernel/debug
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up 2>/dev/null
cd $(printf %q "$PWD")
export HOME=$(printf %q "$HOME") PATH=$(printf %q "$PATH")
export LANG=C.UTF-8 XDG_CACHE_HOME=$(printf %q "${XDG_CACHE_HOME:-}")
export INFTRACE_TEST_CACHE=$(printf %q "${INFTRACE_TEST_CACHE:-}")
echo "try-kernel: \$(uname -r)"
setsid bash -c $(printf %q "$command") </dev/null
echo "try-kernel: status \$?"
sync
echo o >/proc/sysrq-trigger
while :; do :; done
END

nice -n 19 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp "${GUEST_CPUS:-2}" -m "${GUEST_MEMORY:-4G}" \
	-nodefaults -no-reboot -display none -serial stdio -kernel "$kernel/boot/vmlinuz-$release" \
	-initrd "$work/initramfs.gz" \
	-append "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off no_timer_check" \
	-virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap </dev/null |
	tee "$work/console"
status=$(sed -n 's/.*try-kernel: status \([0-9]*\).*/\1/p' "$work/console" | tail -n 1)
exit "${status:-1}"
