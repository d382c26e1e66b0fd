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
. tools/bare.sh
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
bare_prepare "$root"
mkdir "$root/inftrace"
git archive HEAD | tar -x -C "$root/inftrace"

bare_enter "$root" "cd /inftrace && $command"
