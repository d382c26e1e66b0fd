# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For scripts that take packages from Debian 13 without installing them. They source it from the top of the tree, and
# change to a folder of their own, whose apt/ has its lists. mirror: the one of Debian that this machine uses, or
# MIRROR; empty: there is none.

# shellcheck disable=SC2016 # apt-get's own
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/*$' | head -n 1)}
key=/usr/share/keyrings/debian-archive-keyring.gpg

# trixie COMMAND...: apt-get or apt-cache, with the lists in ./apt.
trixie() {
	apt_command=$1
	shift
	"$apt_command" -qq -o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o "Dir::State=$PWD/apt/state" -o "Dir::Cache=$PWD/apt/cache" -o Dir::State::status=/dev/null \
		-o "APT::Architecture=$processor" -o "APT::Architectures=$processor" -o APT::Sandbox::User=root "$@"
}

# lists PROCESSOR: makes them.
lists() {
	processor=$1
	mkdir -p apt/state/lists/partial apt/cache/archives/partial
	echo "deb [signed-by=$key] $mirror trixie main" > apt/sources.list
	trixie apt-get update
}
