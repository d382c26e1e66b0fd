#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attach.py BUILD [tiny|chain|resnet18|MODEL.onnx|times]...: the cost of external probes for a program that runs a
model, beside two empty probes; the time to inspect a runtime, and to add and remove the probes. Needs root."""

import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import players
import runtime

# name: (sets, rounds, inferences a turn)
PLANS = {"chain": (7, 20, 50), "tiny": (7, 20, 500), "other": (7, 20, 3)}


class Attached:
    """inftrace attach on a running player."""

    def __init__(self, bench, player, level):
        self.player, self.path = player, os.path.join(bench.folder, f"{level}.pftrace")
        self.process = subprocess.Popen(
            [
                bench.inftrace,
                "attach",
                "--quiet",
                "--force",
                "--level",
                level,
                "--output",
                self.path,
                str(player.process.pid),
            ],
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, players.OTHERS),
        )
        deadline = time.monotonic() + 20
        while "[uprobes]" not in open(f"/proc/{player.process.pid}/maps").read():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise runtime.Missing(f"inftrace attach: {self.process.communicate()[0] or 'no probes after 20 s'}")
            player.turn(1)
            time.sleep(0.05)
        time.sleep(0.3)  # until attach records

    def turn(self, n):
        return self.player.turn(n)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.player.end()


class Probed:
    """The same probes, empty: the unavoidable cost."""

    def __init__(self, bench, player, level):
        self.player = player
        self.process = subprocess.Popen(
            [bench.probe_run, "hold", str(player.process.pid), level],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, players.OTHERS),
        )
        if self.process.stdout.readline() != "in\n":
            raise runtime.Missing("probe_run cannot put probes in")

    def turn(self, n):
        return self.player.turn(n)

    def end(self):
        self.process.communicate()
        self.player.end()


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder, self.runtime = build, folder, runtime.Runtime(build)
        self.inftrace = os.path.join(build, "inftrace")
        self.probe_run = os.path.join(build, "bench/probe_run")

    def player(self, path):
        return players.Player([os.path.join(self.build, "bench/model_run"), self.runtime.library, path])

    def rounds(self, path, plan):
        n_sets, n_rounds, n = plan
        rounds, n_lost = players.Rounds(), 0
        for _ in range(n_sets):
            seen = [Attached(self, self.player(path), level) for level in ("inference", "operator")]
            empty = [Probed(self, self.player(path), level) for level in ("inference", "operator")]
            rounds.play(
                {
                    "plain": (self.player(path), n),
                    "inference": (seen[0], n),
                    "operator": (seen[1], n),
                    "inference-empty": (empty[0], n),
                    "operator-empty": (empty[1], n),
                    "empty": (players.Player([self.probe_run, "plain"]), 20000),
                    "pair": (players.Player([self.probe_run, "pair"]), 2000),
                },
                n_rounds,
            )
            n_lost += sum(players.report(self.inftrace, one.path)["losses"]["lost_events"] for one in seen)
        print(
            f"{os.path.basename(path)}, ONNX Runtime {self.runtime.version}: {rounds.describe()}, {n_lost} events lost"
        )
        for state in ("plain", "inference", "inference-empty", "operator", "operator-empty"):
            print("  %-15s %12.0f ns an inference (%.0f to %.0f)" % (state, *rounds.figure(lambda times: times[state])))
        return rounds


def pair(rounds):
    return rounds.figure(lambda times: times["pair"] - times["empty"])[0]


def at_sites(rounds, empty, cost):
    """The cost of empty probes at the same places of the same program."""
    return [
        (
            "probes that do nothing, same places",
            rounds.figure(
                lambda times: cost({**times, "inference": times["inference-empty"], "operator": times[empty]})
            )[0],
        )
    ]


def share(rounds, state):
    return rounds.figure(lambda times: 100 * (times[state] / times["plain"] - 1))


def tiny(bench):
    rounds = bench.rounds(bench.runtime.model(bench.folder, "tiny"), PLANS["tiny"])
    cost = lambda times: times["inference"] - times["plain"]
    players.row(
        "attach: one inference",
        rounds.figure(cost),
        "ns",
        1.2 * pair(rounds),
        pair(rounds),
        at_sites(rounds, "operator-empty", cost),
        more="the floor is two probes in a loop",
    )


def chain(bench):
    rounds = bench.rounds(bench.runtime.model(bench.folder, "chain"), PLANS["chain"])
    cost = lambda times: (times["operator"] - times["inference"]) / 100
    players.row(
        "attach: one operator",
        rounds.figure(cost),
        "ns",
        1.2 * pair(rounds),
        pair(rounds),
        at_sites(rounds, "operator-empty", cost),
        more="chain of 100; the floor is two probes in a loop",
    )


def other(bench, path):
    name = os.path.basename(path).removesuffix(".onnx")
    rounds = bench.rounds(path, PLANS["other"])
    players.row(f"attach: {name}, inferences", share(rounds, "inference"), "%", 1)
    players.row(f"attach: {name}, operators", share(rounds, "operator"), "%", 10)


def times(bench):
    player = bench.player(bench.runtime.model(bench.folder, "tiny"))
    done = subprocess.run(
        [bench.probe_run, "times", str(player.process.pid), "7"], stdout=subprocess.PIPE, text=True, check=True
    )
    player.end()
    columns = list(zip(*(map(float, line.split()) for line in done.stdout.splitlines())))
    for what, budget, column in zip(
        ("load the program", "look into the file", "put all probes in", "take them out"), (None, 120, 50, 100), columns
    ):
        players.row("attach: " + what, (statistics.median(column), min(column), max(column)), "ms", budget)


def main(build, *names):
    folder = players.folder()
    wanted = names or ["times", "tiny", "chain", "resnet18", *filter(None, [os.environ.get("BENCH_MODEL")])]
    try:
        if os.geteuid():
            raise runtime.Missing("it needs root")
        bench = Bench(build, folder)
        for name in wanted:
            if name in ("chain", "tiny", "times"):
                {"chain": chain, "tiny": tiny, "times": times}[name](bench)
            else:
                other(bench, name if os.path.exists(name) else bench.runtime.model(folder, name))
    except runtime.Missing as why:
        players.left_out("programs under probes from outside", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
