#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the end-to-end tests: run.sh PATH-TO-INFTRACE [pytest arguments]
# as the gate does it:       run.sh PATH-TO-INFTRACE --gate [arguments of gate.py]
# makes what they need:      run.sh --prepare
# pytest and its requirements are installed once, in a virtual environment in the tests' cache.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:?usage: run.sh PATH-TO-INFTRACE [pytest arguments]}" != --prepare ]; then
	INFTRACE=$(realpath "$1")
	export INFTRACE
	shift
fi
cache=${INFTRACE_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inftrace-test}
mkdir -p "$cache"
# Different requirements get a different folder, because tests of another tree may be running.
venv=$cache/pytest-$(cksum < "$here/requirements.txt" | cut -d ' ' -f 1)
exec 9>"$cache/pytest.lock"
flock 9
if [ ! -e "$venv/.ready" ]; then
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
	: > "$venv/.ready"
fi
exec 9>&-
# else each process takes seconds to compile the tests
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$cache/pycache"
cd "$here"
case ${1-} in
--gate)
	shift
	exec "$venv/bin/python" gate.py "$@"
	;;
--prepare) exec "$venv/bin/python" prepare.py ;;
*) exec "$venv/bin/python" -m pytest -p no:cacheprovider "$@" ;;
esac
