#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""others.py BUILD [operators|modules|openvino|litert]...: the cost of recording operators of other runtimes, and calls
of modules of PyTorch, beside the runtimes' own profilers. BENCH_TORCH names a Python that has PyTorch."""

import os
import shutil
import subprocess
import sys

import players
import runtime

HERE = os.path.dirname(os.path.abspath(__file__))
PLAYER = os.path.join(HERE, "others_player.py")
LITE_MODELS = os.path.join(HERE, "../test/e2e/programs/litemodels.py")
SETS, ROUNDS, CALLS = 5, 15, 100  # CALLS: of modules, in an inference
# name -> (arguments of the player, whether it is recorded)
STATES = {"plain": ((), False), "recorded": ((), True), "own": (("own",), False)}


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.around = [os.path.join(build, "inftrace"), "record", "--quiet", "--force"]
        self.around += ["--output", os.path.join(folder, "others.pftrace"), "--"]

    def torch(self):
        python = os.environ.get("BENCH_TORCH", "/usr/bin/python3")
        done = subprocess.run(
            [python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise runtime.Missing("%s has no torch (set BENCH_TORCH to a Python that has)" % python)
        return python, "PyTorch " + done.stdout.strip()

    def operators(self):
        """How many an inference of the last recording has: some call others."""
        (model,) = players.report(self.around[0], os.path.join(self.folder, "others.pftrace"))["models"]
        first_apart = model["inferences"]["count"] - 1
        return sum(row["calls"] for row in model["operators"]["types"]) / first_apart

    def rounds(self, python, what, runs, states=STATES):
        """runs: inferences a turn."""
        rounds = players.Rounds()
        for _ in range(SETS):
            playing = {
                state: (
                    players.Player([PLAYER, what, *args], [*(self.around if is_recorded else ()), python]),
                    runs // 10 if state == "own" else runs,
                )
                for state, (args, is_recorded) in states.items()
            }
            rounds.play(playing, ROUNDS)
        for state in states:
            print("  %-9s %10.0f ns an inference (%.0f to %.0f)" % (state, *rounds.figure(lambda times: times[state])))
        return rounds


def added(rounds, n, state, base="plain"):
    """n: into how many parts the difference goes."""
    return rounds.figure(lambda times: (times[state] - times[base]) / n)


def operators(bench):
    python, version = bench.torch()
    door = os.path.join(bench.build, "bench/torch_door.so")
    rounds = bench.rounds(python, "operators", 100, {**STATES, "door": (("door", door), False)})
    n = bench.operators()
    players.row(
        "one operator of PyTorch, beyond its door for observers",
        added(rounds, n, "recorded", "door"),
        "ns",
        25,
        None,
        [("torch.profiler", added(rounds, n, "own", "door")[0])],
        "%s; the door, with an observer that does nothing: %.0f ns" % (version, added(rounds, n, "door")[0]),
    )


def modules(bench):
    python, version = bench.torch()
    rounds = bench.rounds(python, "modules", 200)
    players.row(
        "one call of a module of PyTorch",
        added(rounds, CALLS, "recorded"),
        "ns",
        60,
        None,
        [("global hooks of modules", added(rounds, CALLS, "own")[0])],
        version + "; hooks that do nothing, before and after each call",
    )


def openvino(bench):
    python = runtime.environment(bench.build, "openvino", ["openvino", "numpy"])
    rounds = bench.rounds(python, "openvino", 200)
    n = bench.operators()
    players.row(
        "one node of OpenVINO",
        added(rounds, n, "recorded"),
        "ns",
        25,
        None,
        [("PERF_COUNT", added(rounds, n, "own")[0])],
        "100 softmax of 8 elements",
    )


def litert(bench):
    python = runtime.environment(bench.build, "litert", ["ai-edge-litert", "numpy"])
    runtime.call([python, LITE_MODELS, bench.folder])
    model = os.path.join(bench.folder, "chain.tflite")
    rounds = bench.rounds(python, "litert", 500, {"plain": ((model,), False), "recorded": ((model,), True)})
    n = bench.operators()
    players.row(
        "one operator of LiteRT",
        added(rounds, n, "recorded"),
        "ns",
        25,
        more="a chain of 100, without delegates; its own profiler is not in its packages",
    )


def main(build, *names):
    folder = players.folder()
    for name in names or ["operators", "modules", "openvino", "litert"]:
        try:
            {"operators": operators, "modules": modules, "openvino": openvino, "litert": litert}[name](
                Bench(build, folder)
            )
        except runtime.Missing as why:
            players.left_out(name, why)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
