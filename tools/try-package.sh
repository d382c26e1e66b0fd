#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# [MIRROR=URL] [ARCH=arm64] try-package.sh SUITE [KIND...]: installs packages of these kinds (wheel, deb, npm, tar: all)
# in a bare Debian of that release (bullseye, bookworm, trixie), records, attaches, looks into a recording, removes
# them, and checks that nothing is left. Takes packages from build/package, which `tools/package all` makes. Needs root
# and mmdebstrap. ARCH=arm64: by an emulator, whose interpreter it registers in a namespace of its own (Linux 6.7).
# Bare systems are kept in $XDG_CACHE_HOME/inftrace-package and copied for each try.
set -euo pipefail
suite=${1:?usage: try-package.sh SUITE [KIND...]}
shift
cd "$(dirname "$0")/.."
. tools/bare.sh
arch=${ARCH:-amd64}
[ $# -gt 0 ] || set -- wheel deb npm tar
if [ "$arch" = arm64 ] && [ -z "${EMULATED-}" ]; then
	qemu=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-arm64/qemu/usr/bin/qemu-aarch64
	[ -x "$qemu" ] || {
		echo "try-package.sh: tools/try-arm64.sh gets the emulator: run it first" >&2
		exit 77
	}
	export EMULATED=1 QEMU_CPU=neoverse-n1
	exec tools/arm64-space "$qemu" tools/try-package.sh "$suite" "$@"
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-package
mkdir -p "$cache"
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/*$' | head -n 1)}

tree=$cache/$suite
include=python3-venv,ca-certificates
# Debian 11's Node.js is older than what the runtime's package needs. That of Debian takes minutes to install in the
# emulator: inside.sh takes the one of PyPI there.
[ "$suite" = bullseye ] || [ "$arch" != amd64 ] || include=$include,nodejs,npm
[ "$arch" = amd64 ] || tree=$tree-$arch
if [ ! -d "$tree" ]; then
	rm -rf "$tree.part"
	mmdebstrap --quiet --mode=root --skip=check/qemu --variant=minbase --arch="$arch" --include=$include \
		"$suite" "$tree.part" "$mirror"
	mv "$tree.part" "$tree"
fi
status=0
for kind; do
	[ "$kind" != npm ] || [ "$suite" != bullseye ] || continue
	root=$(mktemp -d "$cache/try-$suite.XXXXXX")
	trap 'rm -rf --one-file-system "$root"' EXIT
	chmod 755 "$root"
	cp -a --reflink=auto "$tree/." "$root"
	bare_prepare "$root"
	mkdir "$root/packages"
	case $arch in amd64) machine=x86_64 cpu=x64 ;; *) machine=aarch64 cpu=$arch ;; esac
	cp build/package/*_$machine.whl build/package/*_"$arch".deb build/package/inftrace-*-linux-$machine.tar.gz \
		build/package/inftrace-linux-$cpu-*.tgz build/package/inftrace-[0-9]*.tgz \
		packaging/try/* "$root/packages"
	cp test/data/onnx/good/conv_net.onnx "$root/packages/model.onnx"
	chmod -R a+rX "$root/packages"
	bare_enter "$root" "sh /packages/inside.sh $kind" | sed "s/^/$suite $arch  /" || status=1
	rm -rf --one-file-system "$root"
done
exit $status
