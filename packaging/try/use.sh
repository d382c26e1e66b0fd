#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# use.sh WHAT PROGRAM [PYTHON | RUNTIME]: uses an installed inftrace, and checks the recording or the report.
set -eu
program=${2-} python=${3-}

# inferences FILE: their number.
inferences() {
	"$program" query --format csv "$1" "SELECT count(*) FROM inferences" | tail -n 1 | tr -d '\r'
}

case $1 in
record)
	"$program" record --force -o r.pftrace -- "$python" app.py model.onnx 50
	[ "$(inferences r.pftrace)" = 50 ]
	;;
model) # its roofline is of the widest vectors that the processor has
	case "$(uname -m) $(grep -m 1 ^flags /proc/cpuinfo)" in
	x86_64*" avx512f "*) widest=AVX-512 ;;
	x86_64*" avx2 "*) widest="AVX2 + FMA" ;;
	x86_64*) widest=SSE2 ;;
	*) widest="128-bit vectors" ;;
	esac
	"$program" model --iterations 3 --runtime "$3" --json model.onnx > model.json
	grep "\"instructions\": \"$widest\"" model.json
	;;
doctor) "$program" doctor || [ $? -le 3 ] ;;
inject | attach)
	"$python" app.py model.onnx 0 &
	app=$!
	trap 'kill $app' EXIT
	until [ -f running ]; do sleep 0.1; done
	rm running
	[ "$1" = attach ] && set -- --level operator || set -- --inject
	"$program" attach "$@" --force -o a.pftrace --iterations 20 --duration 60s $app
	[ "$(inferences a.pftrace)" -ge 20 ]
	;;
npx)
	npx inftrace record --force -o n.pftrace -- node app.js model.onnx 20
	program=node_modules/.bin/inftrace
	[ "$(inferences n.pftrace)" = 20 ]
	;;
signal)
	rm -f running
	"$program" record --force -o s.pftrace -- sh -c 'touch running; exec sleep 60' &
	shim=$!
	until [ -f running ]; do sleep 0.1; done
	rm running
	kill -TERM $shim
	status=0
	wait $shim || status=$?
	[ $status = 143 ]
	;;
esac
