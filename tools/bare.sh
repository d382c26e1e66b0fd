# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For try-bare.sh and try-package.sh: commands in a copy of a bare system, with the mirror, certificates and settings of
# pip, npm and Maven of this machine. Needs root.

# bare_prepare ROOT: gives a system the settings of this machine.
bare_prepare() {
	local root=$1
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
	rm -f "$root"/etc/apt/apt.conf.d/docker-*
	[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
	[ ! -f /etc/maven/settings.xml ] || install -D /etc/maven/settings.xml "$root/root/.m2/settings.xml"
	[ ! -f /etc/ssl/certs/ca-certificates.crt ] ||
		cp /etc/ssl/certs/ca-certificates.crt "$root/etc/host-certificates.crt"
}

# bare_enter ROOT COMMAND: runs it there, in namespaces of its own: nothing stays mounted or running afterwards.
bare_enter() {
	local settings=() setting
	while IFS= read -r setting; do
		case $setting in
		PIP_CERT=* | SSL_CERT_FILE=* | NODE_EXTRA_CA_CERTS=*)
			setting=${setting%%=*}=/etc/host-certificates.crt
			;;
		PIP_CONFIG_FILE=* | PIP_FIND_LINKS=*) continue ;;
		esac
		settings+=("$setting")
	done < <(env | grep -E -e '^(PIP_|https?_proxy=|HTTPS?_PROXY=|no_proxy=|NO_PROXY=|SSL_CERT_FILE=)' \
		-e '^(NODE_EXTRA_CA_CERTS=|GOPROXY=|GONOSUM|GOFLAGS|npm_config_|QEMU_CPU=|EMULATED=)' || true)
	unshare --mount --pid --fork bash -euc '
		root=$1
		command=$2
		shift 2
		mount --bind "$root" "$root" # as a root folder is: unshare changes how its mounts spread
		mount --rbind /dev "$root/dev"
		mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
		mount --rbind /sys "$root/sys"
		mount -t proc proc "$root/proc"
		exec chroot "$root" env -i HOME=/root TERM="${TERM:-dumb}" \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" sh -c "$command"
	' bash "$1" "$2" ${settings[@]+"${settings[@]}"}
}
