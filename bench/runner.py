#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runner.py BUILD: the cost of inftrace-run's loop for an inference, beside the barest loop that calls the same
session. Models: a chain of 100 tiny operators and, as the worst case, a single one."""

import os
import shutil
import statistics
import subprocess
import sys

import players
import runtime

SETS = 6
MODELS = {"chain": (600, 60), "tiny": (4000, 100)}  # inferences a turn, rounds


def play(program, library, model, n, rounds):
    """Paired differences of the rounds in ns, the time of the bare loop, the floor."""
    done = subprocess.run(
        [program, str(players.CPU), library, model, str(n), str(rounds + 3)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},
    )
    if done.returncode:
        sys.exit(f"{program}: status {done.returncode}")
    lines = [tuple(map(float, line.split())) for line in done.stdout.splitlines()][3:]
    return [ours - bare for bare, ours, _ in lines], [line[0] for line in lines], [line[2] for line in lines]


def measure(program, measured, folder, name):
    n, rounds = MODELS[name]
    model, sets, bare, floor = measured.model(folder, name), [], [], []
    for _ in range(SETS):
        differences, plain, clocks = play(program, measured.library, model, n, rounds)
        sets.append(statistics.median(differences))
        bare.append(statistics.median(plain))
        floor.append(statistics.median(clocks))
    sets.sort()
    figure = (statistics.median(sets), *players.interval(sets))
    base, clocks = statistics.median(bare), statistics.median(floor)
    print("%s: %.0f ns bare; the loop adds %.1f ns (%.1f to %.1f), floor %.1f ns" % (name, base, *figure, clocks))
    if name == "tiny":
        players.row(
            "loop of inftrace-run: one operator", figure, "ns", round(clocks + 25, 1), clocks, [], "%.0f ns bare" % base
        )
    else:
        players.row(
            f"loop of inftrace-run: {name}",
            tuple(100 * value / base for value in figure),
            "%",
            0.5,
            100 * clocks / base,
            [],
            "%.0f us bare" % (base / 1e3),
        )


def main(build):
    folder = players.folder()
    try:
        measured = runtime.Runtime(build)
        for name in MODELS:
            measure(os.path.join(build, "bench/runner_loop"), measured, folder, name)
    except runtime.Missing as why:
        players.left_out("loop of inftrace-run", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
