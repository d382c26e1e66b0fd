#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sampler_bench.sh PROGRAM [--check]: inftrace's sampler and, in the same run, psutil from PyPI, in an environment of
# its own beside the program. Without a network psutil is left out.
set -eu
program=$1
shift
here=$(dirname "$0")
environment=$(dirname "$program")/psutil-env
if ! "$environment/bin/python" -c 'import psutil' 2>/dev/null; then
	python3 -m venv "$environment" && "$environment/bin/pip" -q install psutil ||
		echo "psutil cannot be installed here: it is left out" >&2
fi
if "$environment/bin/python" -c 'import psutil' 2>/dev/null; then
	exec "$program" "$@" "$environment/bin/python" "$here/sampler_peer.py"
fi
exec "$program" "$@"
