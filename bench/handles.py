#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""handles.py BUILD: the cost of a running handle of libinftrace for an inference of ONNX Runtime, beside the bare
program, in turns. The model is tiny, so that nothing hides the cost."""

import os
import shutil
import sys
import time

import players
import runtime

SETS, ROUNDS, INFERENCES = 9, 20, 1000
HOOKED_S = 0.5  # the agent looks for runtimes every tenth of a second
WAYS = {"table": ("latency", 1), "sixteenth": ("latency", 16), "trace": ("trace", 1)}


def main(build):
    try:
        found = runtime.Runtime(build)
    except runtime.Missing as why:
        players.left_out("an inference with a handle", str(why))
        return
    folder, rounds = players.folder(), players.Rounds()
    model = found.model(folder, "tiny")
    program = [os.path.join(build, "bench/model_run"), found.library, model]

    def player(way):
        kind, every = WAYS[way]
        return players.Player(
            program,
            env=[
                ("LD_PRELOAD", os.path.join(build, "bench/libhandle_preload.so")),
                ("HANDLE_TYPE", kind),
                ("HANDLE_EVERY", str(every)),
                ("HANDLE_COUNT", os.path.join(folder, way)),
            ],
        )

    for _ in range(SETS):
        taking_part = {"plain": (players.Player(program), INFERENCES)}
        taking_part.update((way, (player(way), INFERENCES)) for way in WAYS)
        time.sleep(HOOKED_S)
        rounds.play(taking_part, ROUNDS)
        for way in WAYS:
            with open(os.path.join(folder, way)) as file:
                n_samples = int(file.read())
                if n_samples < ROUNDS * INFERENCES / WAYS[way][1]:
                    sys.exit(f"the handle of way {way} has only {n_samples} samples: the figures would be wrong")
    shutil.rmtree(folder)
    print(f"tiny, ONNX Runtime {found.version}: {rounds.describe()}")
    for state in ("plain", *WAYS):
        print("  %-9s %12.0f ns an inference (%.0f to %.0f)" % (state, *rounds.figure(lambda times: times[state])))

    def added(way):
        return rounds.figure(lambda times: times[way] - times["plain"])

    players.row("one inference, a stream of tables runs", added("table"), "ns", 300)
    players.row("one inference, a stream that takes every 16th", added("sixteenth"), "ns", 300)
    players.row("one inference of one operator, a stream of traces runs", added("trace"), "ns", None)


if __name__ == "__main__":
    main(*sys.argv[1:])
