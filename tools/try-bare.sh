#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# [MIRROR=URL] try-bare.sh SUITE [COMMAND]: runs COMMAND (./demo && ./check) on what is committed, in a bare system of
# that Debian or Ubuntu release (bookworm, trixie, noble). Needs root and debootstrap. Mirror, certificates and the
# settings of pip and Maven are those of this machine. The bare system is kept in $XDG_CACHE_HOME/inftrace-bare and
# copied for each try.
set -euo pipefail
suite=${1:?usage: try-bare.sh SUITE [COMMAND]}
command=${2:-./demo && ./check}
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-bare
mkdir -p "$cache"

# The first mirror this machine itself uses, unless told otherwise; Ubuntu keeps Meson in universe.
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}
components=main
case $mirror in */ubuntu*) components=main,universe ;; esac
if [ ! -d "$cache/$suite" ]; then
	rm -rf "$cache/$suite.part"
	debootstrap --variant=minbase --components=$components "$suite" "$cache/$suite.part" "$mirror"
	mv "$cache/$suite.part" "$cache/$suite"
fi

root=$(mktemp -d "$cache/try-$suite.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a --reflink=auto "$cache/$suite/." "$root"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
rm -f "$root"/etc/apt/apt.conf.d/docker-*
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
[ ! -f /etc/maven/settings.xml ] || install -D /etc/maven/settings.xml "$root/root/.m2/settings.xml"
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$root/etc/host-certificates.crt"
mkdir "$root/inftrace"
git archive HEAD | tar -x -C "$root/inftrace"

settings=()
while IFS= read -r setting; do
	case $setting in
	PIP_CERT=* | SSL_CERT_FILE=* | NODE_EXTRA_CA_CERTS=*) setting=${setting%%=*}=/etc/host-certificates.crt ;;
	PIP_CONFIG_FILE=* | PIP_FIND_LINKS=*) continue ;;
	esac
	settings+=("$setting")
done < <(env | grep -E -e '^(PIP_|https?_proxy=|HTTPS?_PROXY=|no_proxy=|NO_PROXY=|SSL_CERT_FILE=)' \
	-e '^(NODE_EXTRA_CA_CERTS=|GOPROXY=|GONOSUM|GOFLAGS)' || true)

# In namespaces of its own: nothing stays mounted or running afterwards.
unshare --mount --pid --fork bash -euc '
	root=$1
	command=$2
	shift 2
	mount --bind /dev "$root/dev"
	mount --bind /dev/pts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount --bind /sys "$root/sys"
	mount -t proc proc "$root/proc"
	exec chroot "$root" env -i HOME=/root TERM="${TERM:-dumb}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" \
		sh -c "cd /inftrace && $command"
' bash "$root" "$command" ${settings[@]+"${settings[@]}"}
