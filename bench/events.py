#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""events.py BUILD: the cost of one event inside a program, beside the least possible cost (a clock and 32 bytes) and
LTTng-UST."""

import os
import re
import subprocess
import sys

import players

SETS, ROUNDS, EVENTS = 5, 60, 100000


def main(build):
    program, lttng_program = (os.path.join(build, "bench", name) for name in ("event_run", "event_lttng"))
    why_not = players.Lttng.why_not(lttng_program)
    rounds, lost = players.Rounds(), []
    for _ in range(SETS):
        taking_part = {
            way: (players.Player([program, way]), EVENTS) for way in ("floor", "event", "floor-span", "span")
        }
        if not why_not:
            lttng = players.Lttng(["--subbuf-size", "4M", "--num-subbuf", "8"])
            taking_part["lttng"] = (lttng.player(lttng_program), EVENTS)
        rounds.play(taking_part, ROUNDS)
        if not why_not:
            lost.append(lttng.n_lost())
            lttng.end()
    floor, floor_span = (rounds.figure(lambda times, way=way: times[way])[0] for way in ("floor", "floor-span"))
    peers = []
    if why_not:
        players.left_out("LTTng-UST beside one event", why_not)
    else:
        version = re.search(
            r"[\d.]+", subprocess.run(["lttng", "--version"], stdout=subprocess.PIPE, text=True).stdout
        )[0]
        peers = [(f"LTTng-UST {version}", rounds.figure(lambda times: times["lttng"])[0])]
        for text in filter(None, lost):
            print("LTTng:", text)
    print(rounds.describe())
    players.row("one event into a ring", rounds.figure(lambda times: times["event"]), "ns", floor + 3, floor, peers)
    players.row("one event, beyond the floor", rounds.figure(lambda times: times["event"] - times["floor"]), "ns", 3)
    players.row(
        "a slice: two clocks, one record",
        rounds.figure(lambda times: times["span"]),
        "ns",
        floor_span + 3,
        floor_span,
        [(name, 2 * ns) for name, ns in peers],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
