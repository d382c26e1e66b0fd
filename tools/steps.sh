# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For ./demo and ./check, which source it from the top of the tree: one line per step, the output of a step only when
# it fails, packages from the system's registry, the build. Non-interactive; safe to run again.
log=build/steps.log
mkdir -p build

say() {
	printf '%s\n' "* $*"
}

fail() {
	printf '%s\n' "$0: $*" >&2
	exit 1
}

# step TEXT COMMAND...
step() {
	say "$1"
	shift
	"$@" > "$log" 2>&1 || {
		tail -n 60 "$log" >&2
		fail "failed: $*"
	}
}

apt() {
	case $(id -u) in
	0) env DEBIAN_FRONTEND=noninteractive apt-get "$@" ;;
	*) sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@" ;;
	esac
}

# packages NAME...: installs the missing ones of these Debian packages.
packages() {
	missing=
	command -v apt-get > /dev/null || {
		say "this system has no apt-get; going on with what is installed (wanted: $*)"
		return
	}
	for package; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed ||
			missing="$missing $package"
	done
	[ "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || command -v sudo > /dev/null ||
		fail "cannot install packages: neither root nor sudo. As root: apt-get install$missing"
	step "reading the package lists" apt update
	step "installing$missing" apt install -y --no-install-recommends $missing
}

# turn: the number of the commit, which chooses the cases of tests that run a few of many in turn.
turn() {
	git rev-list --count HEAD 2> /dev/null || echo 0
}

# build [TARGET...]: these targets, or everything.
build() {
	[ -f build/build.ninja ] || step "configuring build/" meson setup build
	step "building inftrace" ninja -C build "$@"
}

# python_venv FOLDER PACKAGE...: a virtual environment with these packages, made once.
python_venv() {
	venv=$1
	shift
	[ "$(cat "$venv/packages" 2> /dev/null)" = "$*" ] && return
	step "making a Python environment with $*" sh -c 'rm -rf "$0" && python3 -m venv "$0" &&
		"$0/bin/pip" install --quiet --disable-pip-version-check "$@"' "$venv" "$@"
	printf '%s\n' "$*" > "$venv/packages"
}
