#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""imports.py BUILD: how fast a large profile of ONNX Runtime is read, beside parsers of JSON that only build its tree
(Python, Node.js, jq, simdjson for Python), and trace_processor. The peers read a smaller file of the same events. Each
figure is the fastest of several times. Parsers that are not installed are left out."""

import os
import shutil
import subprocess
import sys
import time

import players

MEGABYTES, PEER_MEGABYTES = 1000, 200  # Node.js has no texts of more than 512 MB
HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "../test/data/ort_profile/good/ort1.29.0-java-cpu-squeezenet.json")
JUDGE = os.path.join(HERE, "../test/e2e/judge.py")
PEERS = [
    ("Python's json", [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))"]),
    ("Node.js", ["node", "-e", "JSON.parse(require('fs').readFileSync(process.argv[1], 'latin1'))"]),
    ("jq", ["jq", "length"]),
    ("simdjson", [sys.executable, "-c", "import simdjson, sys; simdjson.Parser().load(sys.argv[1])"]),
]


def seconds_of(argv, times):
    """The fastest of several runs; None: it cannot run here."""
    best = None
    for _ in range(times):
        begin = time.perf_counter()
        try:
            done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            return None
        if done.returncode:
            return None
        took = time.perf_counter() - begin
        best = took if best is None or took < best else best
    return best


def trace_processor(path):
    done = subprocess.run([sys.executable, JUDGE, "time", path], capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def peers_of(path):
    size = os.path.getsize(path) / 1e6
    for name, argv in PEERS:
        seconds = seconds_of([*argv, path], 2)
        if seconds:
            yield name, size / seconds
        else:
            players.left_out(f"reading JSON with {name}", "it is not installed")
    seconds = trace_processor(path)
    if seconds:
        yield "trace_processor", size / seconds
    else:
        players.left_out("reading JSON with trace_processor", "it cannot run here")


def peak_of(argv):
    """Peak memory in MiB."""
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv[0]} failed")
    return usage.ru_maxrss / 1024


def main(build):
    folder = players.folder()
    bench, inftrace = os.path.join(build, "bench/import_bench"), os.path.join(build, "inftrace")
    large, small = os.path.join(folder, "large.json"), os.path.join(folder, "small.json")
    try:
        for path, megabytes in ((large, MEGABYTES), (small, PEER_MEGABYTES)):
            subprocess.run([bench, "make", SAMPLE, str(megabytes), path], check=True)
        lines = subprocess.run([bench, "read", large], check=True, capture_output=True, text=True).stdout.splitlines()
        speed = {name: float(figure) for name, figure in map(str.split, lines)}
        report = os.path.getsize(large) / 1e6 / seconds_of([inftrace, "report", large], 3)
        peers = list(peers_of(small))
        players.row("profile of ONNX Runtime, parsed", speed["parse"], "MB/s", 800, None, peers, at_least=True)
        players.row("profile of ONNX Runtime, as events in order", speed["import"], "MB/s", 800, at_least=True)
        players.row("profile of ONNX Runtime, to a report", report, "MB/s", 500, at_least=True)
        players.row("report of a profile of 1 GB: memory", peak_of([inftrace, "report", large]), "MiB", 80)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main(sys.argv[1])
