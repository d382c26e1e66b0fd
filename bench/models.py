#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""models.py BUILD [chain|tiny|memory|resnet18|MODEL.onnx]...: the cost of recording for a program that runs a model,
beside that of ONNX Runtime's own profiler. One thread, so that no other thread's work hides the cost."""

import os
import shutil
import sys

import players
import runtime

# The profiler stops after a million events, so it gets fewer inferences a turn.
# name: (sets, rounds, inferences a turn, of the profiler)
PLANS = {"chain": (40, 10, 50, 5), "tiny": (16, 20, 1000, 200), "other": (12, 20, 5, 5), "memory": (16, 20, 2000)}


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder, self.runtime = build, folder, runtime.Runtime(build)
        self.inftrace = os.path.join(build, "inftrace")

    def player(self, path, level=None, profile=None, memory=False):
        around = ()
        if level:
            around = [
                self.inftrace,
                "record",
                "--quiet",
                "--force",
                "--level",
                level,
                "--output",
                os.path.join(self.folder, f"{level}.pftrace"),
                "--",
            ]
        profile = [os.path.join(self.folder, "profile")] if profile else ["memory"] if memory else []
        return players.Player(
            [os.path.join(self.build, "bench/model_run"), self.runtime.library, path, *profile], around
        )

    def floor(self):
        return players.Player([os.path.join(self.build, "bench/event_run"), "floor-span"])

    def rounds(self, path, plan, *more_levels):
        n_sets, n_rounds, n, n_profiled = plan
        rounds = players.Rounds()
        for _ in range(n_sets):
            rounds.play(
                {
                    "plain": (self.player(path), n),
                    **{level: (self.player(path, level), n) for level in ("operator", "inference", *more_levels)},
                    "profiler": (self.player(path, profile=True), n_profiled),
                    "floor": (self.floor(), 20000),
                },
                n_rounds,
            )
            for name in os.listdir(self.folder):
                if name.startswith("profile"):
                    os.unlink(os.path.join(self.folder, name))
        print(f"{os.path.basename(path)}, ONNX Runtime {self.runtime.version}: {rounds.describe()}")
        for state in ("plain", "operator", "inference", *more_levels, "profiler"):
            print("  %-9s %12.0f ns an inference (%.0f to %.0f)" % (state, *rounds.figure(lambda times: times[state])))
        return rounds


def share(rounds, state):
    return rounds.figure(lambda times: 100 * (times[state] / times["plain"] - 1))


def chain(bench):
    n_operators = 100
    rounds = bench.rounds(bench.runtime.model(bench.folder, "chain"), PLANS["chain"], "detail")
    floor = rounds.figure(lambda times: times["floor"])[0]
    floor_share = rounds.figure(lambda times: 100 * n_operators * floor / times["plain"])[0]

    def each(state, base="plain"):
        return rounds.figure(lambda times: (times[state] - times[base]) / n_operators)

    players.row(
        "one operator, hooked",
        each("operator"),
        "ns",
        floor + 6.4,
        floor,
        [("its profiler", each("profiler")[0])],
        "chain of 100, with a 100th of what the inference around them costs",
    )
    players.row(
        "one operator, the hook alone", each("operator", "inference"), "ns", None, floor, more="against level inference"
    )
    players.row(
        "one operator, level detail",
        each("detail"),
        "ns",
        None,
        floor,
        [("its profiler", each("profiler")[0])],
        "with shapes, and each call of an allocator: one for the whole chain here",
    )
    players.row(
        "chain of 100 tiny operators",
        share(rounds, "operator"),
        "%",
        8,
        floor_share,
        [("its profiler", share(rounds, "profiler")[0])],
        "level operator",
    )


def tiny(bench):
    rounds = bench.rounds(bench.runtime.model(bench.folder, "tiny"), PLANS["tiny"], "detail")
    floor = rounds.figure(lambda times: times["floor"])[0]

    def added(state):
        return rounds.figure(lambda times: times[state] - times["plain"])

    players.row(
        "one inference, level inference",
        added("inference"),
        "ns",
        150,
        floor,
        [("its profiler", added("profiler")[0])],
        "a model of one operator",
    )
    players.row(
        "one inference, level detail",
        added("detail"),
        "ns",
        None,
        floor,
        [("its profiler", added("profiler")[0])],
        "the same, with its CPU time, waits and faults, and the operator's shapes",
    )


def memory(bench):
    """A block of a session's arena, taken and given back: two calls of the runtime's, two records."""
    path, (n_sets, n_rounds, n) = bench.runtime.model(bench.folder, "tiny"), PLANS["memory"]
    rounds = players.Rounds()
    for _ in range(n_sets):
        states = {
            level or "plain": (bench.player(path, level, memory=True), n) for level in (None, "operator", "detail")
        }
        rounds.play({**states, "floor": (bench.floor(), 20000)}, n_rounds)
    print(f"a block, ONNX Runtime {bench.runtime.version}: {rounds.describe()}")
    players.row(
        "one call of an allocator, level detail",
        rounds.figure(lambda times: (times["detail"] - times["operator"]) / 2),
        "ns",
        None,
        rounds.figure(lambda times: times["floor"])[0],
        more="a block of a session's arena, taken and given back: %.0f ns without recording"
        % rounds.figure(lambda times: times["plain"])[0],
    )


def other(bench, path):
    name = os.path.basename(path).removesuffix(".onnx")
    rounds = bench.rounds(path, PLANS["other"], "detail")
    players.row(
        name,
        share(rounds, "operator"),
        "%",
        1,
        None,
        [("its profiler", share(rounds, "profiler")[0])],
        "level operator",
    )
    players.row(
        name + ", its thread's usage",
        share(rounds, "inference"),
        "%",
        0.5,
        None,
        [("its profiler", share(rounds, "profiler")[0])],
        "level inference: with CPU time, waits and faults of each inference",
    )
    players.row(
        name + ", level detail",
        share(rounds, "detail"),
        "%",
        None,
        None,
        [("its profiler", share(rounds, "profiler")[0])],
        "with shapes, and each call of an allocator",
    )


def main(build, *names):
    folder = players.folder()
    wanted = names or ["chain", "tiny", "memory", "resnet18", *filter(None, [os.environ.get("BENCH_MODEL")])]
    try:
        bench = Bench(build, folder)
        for name in wanted:
            if name in ("chain", "tiny", "memory"):
                {"chain": chain, "tiny": tiny, "memory": memory}[name](bench)
            else:
                other(bench, name if os.path.exists(name) else bench.runtime.model(folder, name))
    except runtime.Missing as why:
        players.left_out("models under recording", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
