#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report_bench.sh PROGRAM [--check]: the speed of turning a recording into a report and, in the same run on a
# smaller recording, the time that the real trace_processor takes just to load it, run by test/e2e/judge.py. Without
# Node.js or a network the latter is left out.
set -eu
program=$1
shift
judge=$(dirname "$0")/../test/e2e/judge.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
"$program" "$@" || status=$?
"$program" --operators 500000 "$folder" > "$folder/out"
seconds=$(python3 "$judge" time "$folder/bench-report.pftrace" 2>/dev/null) || seconds=
if [ -n "$seconds" ]; then
	awk -v s="$seconds" '/^recording/ { events = $5 } /events\/s, / { ours = $2 }
		END { theirs = events / s
			printf "trace_processor (WebAssembly) loads %.1f M events at %.2f M events/s; ", events, theirs
			printf "report: %.1f M/s, %.1f times that\n", ours, ours / theirs }' "$folder/out"
else
	echo "trace_processor cannot run here: it is left out" >&2
fi
exit $status
