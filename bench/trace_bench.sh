#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace_bench.sh PROGRAM [--check]: the cost of trace files and, in the same run, the time that the real
# trace_processor takes to read them, run by test/e2e/judge.py. Without Node.js or a network the latter is left out.
set -eu
program=$1
shift
judge=$(dirname "$0")/../test/e2e/judge.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
"$program" "$@" "$folder" || status=$?
for kind in plain compressed; do
	seconds=$(python3 "$judge" time "$folder/bench-$kind.pftrace" 2>/dev/null) || seconds=
	if [ -n "$seconds" ]; then
		awk -v s="$seconds" -v k="$kind" \
			'BEGIN { printf "trace_processor (WebAssembly) reads the %s file: %.0f ns/packet\n", k,
				s * 1e9 / 1e6 }'
	else
		echo "trace_processor cannot run here: it is left out" >&2
	fi
done
exit $status
