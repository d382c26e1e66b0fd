#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start.py BUILD: how much later a program is ready when it is recorded: from its exec, over loading ONNX Runtime, to the
point at which it could create its first session. What the recorder does before the exec is told apart."""
import os
import shutil
import statistics
import subprocess
import sys
import time

import players
import runtime

PAIRS = {"a C program": 60, "python": 50}
PYTHON = "import onnxruntime, os, time; print('ready', time.monotonic_ns() - int(os.environ['BENCH_STARTED']))"


def start(around, argv):
    """Milliseconds from exec until it was ready, and of the whole command."""
    began = time.monotonic()
    done = subprocess.run([*around, *argv], stdout=subprocess.PIPE, text=True, env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},
                          preexec_fn=lambda: os.sched_setaffinity(0, players.OTHERS))
    if done.returncode or not done.stdout.startswith("ready "):
        sys.exit(f"{argv}: status {done.returncode}: {done.stdout}")
    return int(done.stdout.split()[1]) / 1e6, 1000 * (time.monotonic() - began)


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
        if number >= 2:	# the first ones read the files from the disk
            pairs.append((plain, recorded))
            armed.append(players.report(inftrace, path)["runtimes"][0]["arm_ns"] / 1e6)
    plain_ms = statistics.median(plain[0] for plain, _ in pairs)
    print("%s: ready after %.1f ms; recorded: %.2f ms more (%.2f to %.2f), of which the agent spent %.2f ms arming (%.2f to %.2f); "
          "the whole command %.1f ms more (%.1f to %.1f)" %
          (what, plain_ms, *difference(pairs, 0), statistics.median(armed), min(armed), max(armed), *difference(pairs, 1)))
    players.row(f"start of {what} that loads the runtime", difference(pairs, 0), "ms", 5, None, [],
                "plain: %.1f ms; arming: %.1f ms" % (plain_ms, statistics.median(armed)))


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
