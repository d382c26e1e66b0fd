#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# [MIRROR=URL] try-arm64.sh [--agent | --build | --short | --units | --kernel | pytest arguments]: builds inftrace for
# aarch64 in build/arm64 and runs its tests with real aarch64 wheels, by an emulator: the tests of units, those of
# record in Python and C, those of attach, --inject and next with a kernel of its own. --short: a few of them; --build:
# only what these need; --agent: only the agent, without a test; --units, --kernel: those of units, those with a kernel
# alone; else pytest's choice.
#
# Debian's cross compiler builds against a Debian tree for arm64, which is only unpacked. Programs for aarch64 are
# started by qemu-user in a user namespace, which has its own list of interpreters since Linux 6.7: nothing else on this
# machine sees it. The recorder, its agent and the programs are emulated; pytest is not. There is no ptrace, no probe
# and no process_vm_readv, memory is ordered as on x86-64, and times mean nothing. What needs these runs in a whole
# emulated machine with the kernels of Debian 13 for pages of 4 and of 16 KiB, and with that for 64 KiB if
# make-kernel-64k.sh has made it (boot-arm64.sh).
#
# Tree, emulator and kernels are kept in $XDG_CACHE_HOME/inftrace-arm64. Status 77: this machine cannot do it, and why.
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-arm64
# What the tree has in it, so that another list makes another tree.
development=libc6-dev,libgcc-12-dev,libstdc++6,linux-libc-dev,zlib1g-dev,libdeflate-dev,libzstd-dev,libsqlite3-dev
development=$development,libmicrohttpd-dev,libedit-dev,libncurses-dev,libcmocka-dev,libseccomp-dev,libpcre2-dev
development=$development,libbpf-dev,libelf-dev,python3
tree=$cache/tree-$(printf %s "$development" | cksum | cut -d ' ' -f 1)
build=build/arm64
mkdir -p "$cache"

cannot() {
	say "no tests for aarch64: $*"
	exit 77
}

# The mirror of Debian that this machine uses, or MIRROR.
command -v apt-get > /dev/null || cannot "this system has no apt-get"
. tools/trixie.sh
[ "$mirror" ] || cannot "MIRROR must name a mirror of Debian"
packages gcc-aarch64-linux-gnu mmdebstrap debian-archive-keyring libc6-dev clang libbpf-dev

# The emulator of Debian 13; that of Debian 12 crashes in the newest runtime.
get_emulator() {
	rm -rf "$cache/qemu.new"
	mkdir "$cache/qemu.new"
	(cd "$cache/qemu.new" && lists "$(dpkg --print-architecture)" && trixie apt-get download qemu-user &&
		dpkg -x qemu-user_*.deb . && rm -rf apt qemu-user_*.deb) || return 1
	find "$cache/qemu.new" -type f ! -name qemu-aarch64 -delete
	rm -rf "$cache/qemu"
	mv "$cache/qemu.new" "$cache/qemu"
}

# get_kernel FOLDER FLAVOUR: the newest one of Debian 13, with a static shell.
get_kernel() {
	package=$(trixie apt-cache search --names-only "^linux-image-[0-9][0-9a-z.+]*-arm64$2-unsigned\$" |
		awk '{ print $1 }' | sort -V | tail -n 1)
	[ "$package" ] && trixie apt-get download "$package" busybox-static || return 1
	for file in *.deb; do
		dpkg -x "$file" "$1"
	done
	rm -- *.deb
}

# For each size of pages.
get_kernels() {
	rm -rf "$cache/kernels.new"
	mkdir "$cache/kernels.new"
	(cd "$cache/kernels.new" && lists arm64 && get_kernel 4k "" && get_kernel 16k -16k) || return 1
	mkdir -p "$cache/kernels"
	mv "$cache/kernels.new/16k" "$cache/kernels.new/4k" "$cache/kernels"
	rm -rf "$cache/kernels.new"
}

get_tree() {
	rm -rf "$tree.new"
	mmdebstrap --quiet --variant=extract --arch=arm64 "--include=$development" \
		bookworm "$tree.new" "$mirror" || return 1
	mv "$tree.new" "$tree"
}

# get WHAT FUNCTION: what a mirror may not have, or not now.
get() {
	say "getting $1"
	"$2" > "$log" 2>&1 || {
		tail -n 5 "$log" >&2
		cannot "$1 cannot be had from $mirror"
	}
}

# The kernel starts this for programs of aarch64.
make_interpreter() {
	cc -O1 -Wall -Werror -static "-DQEMU=\"$cache/qemu/usr/bin/qemu-aarch64\"" "-DTREE=\"$tree\"" \
		tools/arm64_run.c -o "$cache/run.new"
	mv "$cache/run.new" "$cache/run" # others may be starting programs by it
	mkdir -p "$cache/bin"
	printf '#!/bin/sh\nexec aarch64-linux-gnu-gcc --sysroot=%s "$@"\n' "$tree" > "$cache/bin/cc"
	chmod +x "$cache/bin/cc"
}

write_cross_file() {
	cat > "$cache/cross.ini" << END
[binaries]
c = ['aarch64-linux-gnu-gcc', '--sysroot=$tree']
ar = 'aarch64-linux-gnu-gcc-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$cache/qemu/usr/bin/qemu-aarch64', '-L', '$tree', '-cpu', 'neoverse-n1']
[properties]
sys_root = '$tree'
pkg_config_libdir = '$tree/usr/lib/aarch64-linux-gnu/pkgconfig:$tree/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
}

# The first bytes of an ELF file for aarch64, and which of their bits count.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# emulated COMMAND...: runs it where programs of aarch64 can be started.
emulated() {
	# shellcheck disable=SC2016 # expanded inside
	unshare --user --map-root-user --mount sh -c '
		mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
			printf %s "$0" > /proc/sys/fs/binfmt_misc/register || exit 77
		exec "$@"' ":inftrace-arm64:M::$magic:$mask:$cache/run:PF" "$@"
}

# All but those that need what the emulator has not: filters and BPF in the kernel, a process name, threads and
# descriptors of its own, ptrace, the speed of a processor, scripts and programs of its own kind, data files for its
# processor.
units() {
	failed='' cases=''
	for test in "$build"/test/unit/*_test; do
		case ${test##*/} in
		agent_filter_test | peek_test | tree_test | device_test | source_test | wheel_names_test) continue ;;
		machine_peak_test | report_memory_test | exec_env_test | others_test | attach_test) continue ;;
		inject_code_test | next_test | recorder_test) continue ;; # --kernel has these
		esac
		if (cd $build && emulated timeout 600 "${test#"$build"/}") > "$log" 2>&1; then
			result=
		else
			tail -n 30 "$log" >&2
			failed="$failed ${test##*/}" result='<failure/>'
		fi
		cases="$cases<testcase classname='unit' name='${test##*/}'>$result</testcase>"
	done
	echo "<testsuite>$cases</testsuite>" > $build/units.junit.xml
	[ ! "$failed" ] || say "failed:$failed"
	[ ! "$failed" ]
}

# Attach, --inject and next, with kernels of their own. These tests start qemu alone, which starts what is aarch64's.
with_kernels() {
	packages qemu-system-arm cpio kmod xz-utils
	[ -d "$cache/kernels/4k" ] || get "kernels for arm64" get_kernels
	INFTRACE_TEST_ARM64_KERNELS=$cache/kernels \
		sh test/e2e/run.sh $build/inftrace -q --full --junitxml="$PWD/$build/kernel.junit.xml" \
		--junitprefix=aarch64 test_arm64_kernel.py
}

# A lock: two runs would make the same.
exec 9> "$cache/lock"
flock 9
[ -x "$cache/qemu/usr/bin/qemu-aarch64" ] || get "an emulator for aarch64" get_emulator
[ -d "$tree" ] || get "a Debian tree for arm64" get_tree
make_interpreter
write_cross_file
exec 9>&-
emulated "$tree/usr/bin/python3" -c 'import platform; assert platform.machine() == "aarch64"' ||
	cannot "a user namespace here cannot start programs for aarch64 (needs Linux 6.7)"
# -O1: half of the time to compile. The page is the same on all processors.
# Anew for another tree.
[ "$(cat $build/tree 2> /dev/null)" = "$tree" ] || {
	rm -rf $build
	step "configuring $build" meson setup $build --cross-file "$cache/cross.ini" \
		-Dpage=disabled -Dattach=enabled -Doptimization=1 -Ddebug=false
	echo "$tree" > $build/tree
}
export INFTRACE_TEST_ARM64="$tree" PATH="$cache/bin:$PATH"
case ${1-} in
--agent) step "building the agent for aarch64" ninja -C $build libinftrace-agent.so ;;
--build | --short)
	step "building inftrace for aarch64" ninja -C $build inftrace libinftrace-agent.so test/e2e/sites_tool
	[ "$1" = --short ] || exit 0
	same=test_operators_are_those_of_the_runtimes_own_profiler
	# --full: else one of them is in turn elsewhere
	emulated sh test/e2e/run.sh $build/inftrace -q --full -n 2 --junitxml="$PWD/build/arm64.junit.xml" \
		--junitprefix=aarch64 "test_python.py::${same}[cnn-newest]" "test_native.py::${same}[wheel-newest]" \
		"test_sites.py::test_every_family_is_found_in_every_runtime[wheel newest]"
	;;
--units | '')
	step "building inftrace and its tests for aarch64" ninja -C $build
	units || status=1
	[ $# = 0 ] || exit "${status:-0}"
	emulated sh test/e2e/run.sh $build/inftrace -q -n 2 --junitxml="$PWD/$build/record.junit.xml" \
		--junitprefix=aarch64 test_python.py test_native.py test_sites.py || status=1
	with_kernels || status=1
	python3 tools/summary $build/units.junit.xml $build/record.junit.xml $build/kernel.junit.xml || status=1
	exit "${status:-0}"
	;;
--kernel)
	step "building inftrace and its tests for aarch64" ninja -C $build
	with_kernels
	;;
*)
	step "building inftrace for aarch64" ninja -C $build inftrace inftrace-run libinftrace-agent.so \
		test/e2e/sites_tool
	emulated sh test/e2e/run.sh $build/inftrace "$@"
	;;
esac
