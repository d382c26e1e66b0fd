#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# [MIRROR=URL] make-kernel-64k.sh: builds a kernel for aarch64 with pages of 64 KiB, which Debian does not have, for
# boot-arm64.sh: Debian 13's source, cross-compiled, with what the recorder and its tests need and no module, and a
# static shell. Addresses have 52 bits, as in other distributions' kernels of this kind. Takes a quarter of an hour of
# two processors and 3 GiB of disk. The result is $XDG_CACHE_HOME/inftrace-arm64/kernels/64k, where the tests of
# try-arm64.sh --kernel find it. Run again, it makes a newer one.
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
command -v apt-get > /dev/null || fail "this system has no apt-get"
. tools/trixie.sh
[ "$mirror" ] || fail "MIRROR must name a mirror of Debian"
packages gcc-aarch64-linux-gnu debian-archive-keyring xz-utils flex bison bc libelf-dev zlib1g-dev dwarves
log=$PWD/$log
kernels=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-arm64/kernels
mkdir -p "$kernels"
work=$(mktemp -d "$kernels.64k.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-

# All else is off.
pages="ARM64_64K_PAGES ARM64_VA_BITS_52 ARM64_PA_BITS_52 TRANSPARENT_HUGEPAGE
	TRANSPARENT_HUGEPAGE_ALWAYS COMPACTION SWAP"
processor_has="SMP ARM64_LSE_ATOMICS ARM64_USE_LSE_ATOMICS ARM64_PTR_AUTH ARM64_BTI ARM64_SVE ARM64_PAN HW_RANDOM"
base="CC_OPTIMIZE_FOR_PERFORMANCE PREEMPT_VOLUNTARY HIGH_RES_TIMERS NO_HZ_IDLE PRINTK BUG KALLSYMS KALLSYMS_ALL
	MAGIC_SYSRQ RANDOMIZE_BASE STACKPROTECTOR STACKPROTECTOR_STRONG STRICT_KERNEL_RWX BLK_DEV_INITRD RD_GZIP"
calls="MULTIUSER POSIX_TIMERS FUTEX EPOLL SIGNALFD TIMERFD EVENTFD AIO IO_URING ADVISE_SYSCALLS MEMBARRIER RSEQ SHMEM
	CROSS_MEMORY_ATTACH SYSVIPC POSIX_MQUEUE FILE_LOCKING FHANDLE INOTIFY_USER SECCOMP SECCOMP_FILTER BINFMT_ELF
	BINFMT_SCRIPT NAMESPACES UTS_NS IPC_NS USER_NS PID_NS NET_NS TIME_NS"
files="PROC_FS PROC_SYSCTL PROC_PAGE_MONITOR SYSFS DEVTMPFS TMPFS TMPFS_XATTR TMPFS_POSIX_ACL OVERLAY_FS DEBUG_FS
	NETWORK_FILESYSTEMS 9P_FS NET_9P NET_9P_VIRTIO"
devices="TTY UNIX98_PTYS SERIAL_AMBA_PL011 SERIAL_AMBA_PL011_CONSOLE PCI PCI_MSI PCI_HOST_GENERIC VIRTIO_MENU VIRTIO_PCI
	NET UNIX INET"
figures="CGROUPS MEMCG CGROUP_SCHED FAIR_GROUP_SCHED CFS_BANDWIDTH CGROUP_PIDS CGROUP_FREEZER CPUSETS CGROUP_CPUACCT
	CGROUP_PERF CGROUP_BPF PSI TASKSTATS TASK_DELAY_ACCT TASK_XACCT TASK_IO_ACCOUNTING SCHEDSTATS"
probes="PERF_EVENTS ARM_PMU ARM_PMUV3 BPF_SYSCALL BPF_JIT BPF_JIT_ALWAYS_ON FTRACE FUNCTION_TRACER FTRACE_SYSCALLS
	KPROBES KPROBE_EVENTS UPROBE_EVENTS BPF_EVENTS DEBUG_KERNEL DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT DEBUG_INFO_BTF"

# get PROCESSOR PACKAGE: unpacks it here.
get() {
	lists "$1"
	trixie apt-get download "$2"
	dpkg -x "$2"_*.deb .
	rm -r apt "$2"_*.deb
}

get_source() {
	get arm64 linux-source-6.12
	mkdir source
	tar -C source --strip-components=1 -xf usr/src/linux-source-6.12.tar.xz
	rm -r usr
}

configure() {
	echo 'CONFIG_LOCALVERSION="-arm64-64k"' > wanted
	for name in $pages $processor_has $base $calls $files $devices $figures $probes; do
		echo "CONFIG_$name=y" >> wanted
	done
	make -s -C source KCONFIG_ALLCONFIG="$PWD/wanted" allnoconfig
	! grep -vxFf source/.config wanted # what the kernel does not know, or what needs something else
}

keep() {
	release=$(make -s -C source kernelrelease)
	mkdir -p 64k/boot
	cp source/arch/arm64/boot/Image.gz "64k/boot/vmlinuz-$release"
	cp source/.config "64k/boot/config-$release"
	(cd 64k && get arm64 busybox-static)
	rm -rf "$kernels/64k"
	mv 64k "$kernels"
}

step "getting the kernel's source" get_source
step "configuring it" configure
step "building it" nice -n 15 make -C source -j"$(nproc)" Image.gz
step "keeping it in $kernels/64k" keep
