#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start.py BUILD: the additional work at the start of a recorded program: from its exec to the point at which it could
create its first session, with ONNX Runtime loaded. The figure is CPU time, because a start waits only for disks and
other programs; the elapsed time is printed beside it."""

import os
import shutil
import statistics
import subprocess
import sys

import players
import runtime

PAIRS = {"a C program": 60, "python": 60}
PYTHON = """import onnxruntime, os, time
wall, cpu = map(int, os.environ["BENCH_STARTED"].split())
print("ready", time.monotonic_ns() - wall, time.process_time_ns() - cpu)"""


def start(around, argv):
    """Milliseconds from exec until it was ready: elapsed, CPU time."""
    done = subprocess.run(
        [*around, *argv],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},
        preexec_fn=lambda: os.sched_setaffinity(0, players.OTHERS),
    )
    if done.returncode or not done.stdout.startswith("ready "):
        sys.exit(f"{argv}: status {done.returncode}: {done.stdout}")
    return [int(ns) / 1e6 for ns in done.stdout.split()[1:]]


def difference(pairs, which):
    values = sorted(recorded[which] - plain[which] for plain, recorded in pairs)
    return (statistics.median(values), *players.interval(values))


def measure(what, argv, inftrace, folder):
    path = os.path.join(folder, "start.pftrace")
    around = [inftrace, "record", "--quiet", "--force", "--output", path, "--"]
    pairs, armed = [], []
    for number in range(PAIRS[what] + 2):
        if number % 2:
            plain, recorded = start((), argv), start(around, argv)
        else:
            recorded, plain = start(around, argv), start((), argv)
        if number >= 2:  # the first ones read the files from the disk
            pairs.append((plain, recorded))
            armed.append(players.report(inftrace, path)["runtimes"][0]["arm_ns"] / 1e6)
    wall, cpu = (statistics.median(plain[which] for plain, _ in pairs) for which in (0, 1))
    print(
        "%s: ready after %.1f ms, %.1f ms of CPU; recorded: %.2f ms of CPU more (%.2f to %.2f), "
        "on the wall %.2f (%.2f to %.2f); "
        "the agent says that it armed for %.2f ms (%.2f to %.2f)"
        % (
            what,
            wall,
            cpu,
            *difference(pairs, 1),
            *difference(pairs, 0),
            statistics.median(armed),
            min(armed),
            max(armed),
        )
    )
    players.row(
        f"start of {what} that loads the runtime",
        difference(pairs, 1),
        "ms",
        5,
        None,
        [],
        "CPU time; plain: %.1f ms; on the wall %.1f ms more (%.1f to %.1f)" % (cpu, *difference(pairs, 0)),
    )


def main(build):
    folder = players.folder()
    inftrace, stamp, program = (os.path.join(build, name) for name in ("inftrace", "bench/stamp", "bench/model_run"))
    try:
        measured = runtime.Runtime(build)
        measure("a C program", [stamp, str(players.CPU), program, "-1", measured.library], inftrace, folder)
        measure("python", [stamp, str(players.CPU), measured.python, "-c", PYTHON], inftrace, folder)
    except runtime.Missing as why:
        players.left_out("start of a program", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
